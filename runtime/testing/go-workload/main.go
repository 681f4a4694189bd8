// Command go-workload is a workload that speaks through go-spiffe: one JSON order a line in, one JSON answer a line out.
package main

import (
	"bufio"
	"context"
	"crypto/tls"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"os"
	"time"

	"github.com/spiffe/go-spiffe/v2/spiffeid"
	"github.com/spiffe/go-spiffe/v2/spiffetls/tlsconfig"
	"github.com/spiffe/go-spiffe/v2/svid/jwtsvid"
	"github.com/spiffe/go-spiffe/v2/svid/x509svid"
	"github.com/spiffe/go-spiffe/v2/workloadapi"
)

type order struct {
	Do       string `json:"do"`
	Socket   string `json:"socket"`
	Audience string `json:"audience"`
	Token    string `json:"token"`
	Peer     string `json:"peer"`
	Address  string `json:"address"`
	// Name is the TLS server name to ask for.
	Name string `json:"name"`
}

type svid struct {
	ID     string   `json:"id"`
	Hint   string   `json:"hint"`
	Serial string   `json:"serial"`
	DNS    []string `json:"dns"`
	Roots  int      `json:"roots"`
}

type answer struct {
	Error  string         `json:"error,omitempty"`
	SVIDs  []svid         `json:"svids,omitempty"`
	ID     string         `json:"id,omitempty"`
	Token  string         `json:"token,omitempty"`
	Claims map[string]any `json:"claims,omitempty"`
	Text   string         `json:"text,omitempty"`
}

func main() {
	workload := &workload{updates: make(chan answer, 100)}
	lines := bufio.NewScanner(os.Stdin)
	lines.Buffer(make([]byte, 1<<20), 1<<20)
	out := json.NewEncoder(os.Stdout)
	for lines.Scan() {
		var o order
		err := json.Unmarshal(lines.Bytes(), &o)
		var a answer
		if err == nil {
			a, err = workload.do(o)
		}
		if err != nil {
			a.Error = err.Error()
		}
		if err := out.Encode(a); err != nil {
			os.Exit(1)
		}
	}
}

type workload struct {
	client  *workloadapi.Client
	source  *workloadapi.X509Source
	updates chan answer
}

func (w *workload) do(o order) (answer, error) {
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	defer cancel()
	switch o.Do {
	case "open":
		client, err := workloadapi.New(ctx, workloadapi.WithAddr("unix://"+o.Socket))
		w.client = client
		return answer{}, err
	case "x509":
		x, err := w.client.FetchX509Context(ctx)
		return describe(x), err
	case "bundles":
		x, err := w.client.FetchX509Bundles(ctx)
		if err != nil {
			return answer{}, err
		}
		j, err := w.client.FetchJWTBundles(ctx)
		if err != nil {
			return answer{}, err
		}
		return answer{Text: fmt.Sprintf("%d %d", x.Len(), j.Len())}, nil
	case "watch":
		go func() { _ = w.client.WatchX509Context(context.Background(), w) }()
		return answer{}, nil
	case "update":
		select {
		case a := <-w.updates:
			return a, nil
		case <-ctx.Done():
			return answer{}, ctx.Err()
		}
	case "jwt":
		return w.jwt(ctx, o.Audience)
	case "validate":
		v, err := w.client.ValidateJWTSVID(ctx, o.Token, o.Audience)
		if err != nil {
			return answer{}, err
		}
		return answer{ID: v.ID.String(), Claims: v.Claims}, nil
	case "serve":
		return w.serve(ctx, o.Peer)
	case "dial":
		return w.dial(ctx, o)
	case "serve-http":
		return w.serveHTTP(ctx, o.Peer)
	case "get":
		return w.get(ctx, o)
	}
	return answer{}, fmt.Errorf("unknown order %q", o.Do)
}

// jwt fetches a token and validates it here, with the bundle from the Workload API.
func (w *workload) jwt(ctx context.Context, audience string) (answer, error) {
	fetched, err := w.client.FetchJWTSVID(ctx, jwtsvid.Params{Audience: audience})
	if err != nil {
		return answer{}, err
	}
	bundles, err := w.client.FetchJWTBundles(ctx)
	if err != nil {
		return answer{}, err
	}
	v, err := jwtsvid.ParseAndValidate(fetched.Marshal(), bundles, []string{audience})
	if err != nil {
		return answer{}, err
	}
	return answer{ID: v.ID.String(), Token: fetched.Marshal(), Claims: v.Claims}, nil
}

func (w *workload) open(ctx context.Context) error {
	if w.source != nil {
		return nil
	}
	source, err := workloadapi.NewX509Source(ctx, workloadapi.WithClient(w.client))
	w.source = source
	return err
}

// serve answers each connection of the one peer that it takes with that peer's SPIFFE ID.
func (w *workload) serve(ctx context.Context, peer string) (answer, error) {
	if err := w.open(ctx); err != nil {
		return answer{}, err
	}
	id, err := spiffeid.FromString(peer)
	if err != nil {
		return answer{}, err
	}
	config := tlsconfig.MTLSServerConfig(w.source, w.source, tlsconfig.AuthorizeID(id))
	listener, err := tls.Listen("tcp", "127.0.0.1:0", config)
	if err != nil {
		return answer{}, err
	}
	go func() {
		for {
			connection, err := listener.Accept()
			if err != nil {
				return
			}
			go greet(connection)
		}
	}()
	return answer{Text: listener.Addr().String()}, nil
}

func greet(connection net.Conn) {
	defer connection.Close()
	c := connection.(*tls.Conn)
	if err := c.Handshake(); err != nil {
		return
	}
	id, err := x509svid.IDFromCert(c.ConnectionState().PeerCertificates[0])
	if err != nil {
		return
	}
	fmt.Fprintf(c, "hello %s", id)
}

func (w *workload) dial(ctx context.Context, o order) (answer, error) {
	if err := w.open(ctx); err != nil {
		return answer{}, err
	}
	id, err := spiffeid.FromString(o.Peer)
	if err != nil {
		return answer{}, err
	}
	config := tlsconfig.MTLSClientConfig(w.source, w.source, tlsconfig.AuthorizeID(id))
	dialer := &tls.Dialer{Config: config}
	connection, err := dialer.DialContext(ctx, "tcp", o.Address)
	if err != nil {
		return answer{}, err
	}
	defer connection.Close()
	text, err := io.ReadAll(connection)
	return answer{Text: string(text)}, err
}

func (w *workload) OnX509ContextUpdate(x *workloadapi.X509Context) { w.updates <- describe(x) }

func (w *workload) OnX509ContextWatchError(err error) { w.updates <- answer{Error: err.Error()} }

func describe(x *workloadapi.X509Context) answer {
	var a answer
	if x == nil {
		return a
	}
	for _, s := range x.SVIDs {
		bundle, ok := x.Bundles.Get(s.ID.TrustDomain())
		roots := 0
		if ok {
			roots = len(bundle.X509Authorities())
		}
		leaf := s.Certificates[0]
		a.SVIDs = append(a.SVIDs, svid{
			ID: s.ID.String(), Hint: s.Hint, Serial: hex.EncodeToString(leaf.SerialNumber.Bytes()),
			DNS: leaf.DNSNames, Roots: roots,
		})
	}
	return a
}
