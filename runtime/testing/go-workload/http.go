// HTTP over mutual TLS: a server and a client, as a Go service and a Go agent would make them.
package main

import (
	"context"
	"crypto/tls"
	"fmt"
	"io"
	"net/http"

	"github.com/spiffe/go-spiffe/v2/spiffeid"
	"github.com/spiffe/go-spiffe/v2/spiffetls/tlsconfig"
	"github.com/spiffe/go-spiffe/v2/svid/x509svid"
)

// serveHTTP answers each request of the one peer that it takes with that peer's SPIFFE ID.
func (w *workload) serveHTTP(ctx context.Context, peer string) (answer, error) {
	if err := w.open(ctx); err != nil {
		return answer{}, err
	}
	id, err := spiffeid.FromString(peer)
	if err != nil {
		return answer{}, err
	}
	config := tlsconfig.MTLSServerConfig(w.source, w.source, tlsconfig.AuthorizeID(id))
	config.NextProtos = []string{"http/1.1"}
	listener, err := tls.Listen("tcp", "127.0.0.1:0", config)
	if err != nil {
		return answer{}, err
	}
	handler := http.HandlerFunc(func(out http.ResponseWriter, in *http.Request) {
		peer, err := x509svid.IDFromCert(in.TLS.PeerCertificates[0])
		if err != nil {
			http.Error(out, err.Error(), http.StatusForbidden)
			return
		}
		fmt.Fprintf(out, "hello %s at %s", peer, in.URL.Path)
	})
	go func() { _ = http.Serve(listener, handler) }()
	return answer{Text: listener.Addr().String()}, nil
}

// get sends one request to whoever is the peer and answers under the server name; the text has status and body.
func (w *workload) get(ctx context.Context, o order) (answer, error) {
	if err := w.open(ctx); err != nil {
		return answer{}, err
	}
	id, err := spiffeid.FromString(o.Peer)
	if err != nil {
		return answer{}, err
	}
	config := tlsconfig.MTLSClientConfig(w.source, w.source, tlsconfig.AuthorizeID(id))
	config.ServerName = o.Name
	client := &http.Client{Transport: &http.Transport{TLSClientConfig: config, DisableKeepAlives: true}}
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, "https://"+o.Address+"/echo", nil)
	if err != nil {
		return answer{}, err
	}
	response, err := client.Do(request)
	if err != nil {
		return answer{}, err
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	return answer{Text: fmt.Sprintf("%d %s", response.StatusCode, body)}, err
}
