package main

import (
	"encoding/hex"
	"encoding/json"
	"regexp"
	"strings"
)

// What stands behind the filter in the kit's data.
const (
	trustDomain = "platform.local"
	service     = "vault"
)

type header [2]string

// request is one request as its first enforcement point sees it: the peer, and the facts that it fixes.
type request struct {
	peer                string
	isService           bool
	names               [3]string
	id, time, salt      string
	given               map[string]bool
	approvals, behalves int
}

var shapes = map[string]*regexp.Regexp{
	"x-platform-request-id": regexp.MustCompile(`^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$`),
	"x-platform-time":       regexp.MustCompile(`^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}\.[0-9]{3}Z$`),
	"x-platform-salt":       regexp.MustCompile(`^[0-9a-f]{64}$`),
}

func filter(k *kit, v vector) (map[string]any, error) {
	var headers []header
	if err := json.Unmarshal(v["headers"], &headers); err != nil {
		return nil, err
	}
	random := v.binary("random")
	r := &request{id: uuid(random[:16]), salt: hex.EncodeToString(random[16:48]), time: v.text("time"), given: map[string]bool{}}
	why := k.readPeer(r, v)
	var kept []header
	if why == "" {
		var sound bool
		if kept, sound = k.clean(r, headers); !sound {
			why = "request_malformed"
		}
	}
	output := failed(failure(why))
	input := r.input()
	if why == "" {
		_, output, _ = k.decide("mesh", "authorization", input, make([]byte, 32), nil)
	}
	id := k.id("mesh", "authorization", input, output)
	var said struct {
		Allow  bool
		Rule   string
		Reason struct{ Code string }
		// The policy gives a list, of which the first is named.
		Reasons []struct{ Code string }
	}
	if err := json.Unmarshal(output, &said); err != nil {
		return nil, err
	}
	if said.Rule == "" {
		said.Rule = "authorization"
	}
	if len(said.Reasons) > 0 {
		said.Reason = said.Reasons[0]
	}
	answer := map[string]any{"allow": said.Allow, "rule": said.Rule, "reason": said.Reason.Code,
		"id": id, "request_id": r.id, "fixed_time": r.time}
	if said.Allow {
		answer["forwarded"] = append(kept, header{"x-platform-spiffe-id", r.peer},
			header{"x-platform-request-id", r.id}, header{"x-platform-time", r.time},
			header{"x-platform-salt", r.salt}, header{"x-platform-mesh-decision", id})
	} else {
		answer["status"] = 403
	}
	return answer, nil
}

func uuid(random []byte) string {
	random = append([]byte(nil), random...)
	random[6] = random[6]&0x0f | 0x40
	random[8] = random[8]&0x3f | 0x80
	text := hex.EncodeToString(random)
	return strings.Join([]string{text[:8], text[8:12], text[12:16], text[16:20], text[20:]}, "-")
}

// readPeer judges the peer's SPIFFE ID, and says what is wrong with it.
func (k *kit) readPeer(r *request, v vector) string {
	peer := v.text("peer")
	if peer == "" {
		return "svid_missing"
	}
	parsed, err := k.parse(peer)
	if err != nil {
		return err.Error()
	}
	if parsed.Domain != trustDomain {
		return "svid_foreign"
	}
	r.peer = peer
	r.isService = len(parsed.Path) == 2 && parsed.Path[0] == "service"
	if len(parsed.Path) == 4 && parsed.Path[0] == "agent" {
		copy(r.names[:], parsed.Path[1:])
	}
	return ""
}

type spiffeID struct {
	Path   []string
	Domain string `json:"trust_domain"`
}

func (k *kit) parse(id string) (parsed spiffeID, err error) {
	output, err := k.scope.run("parse", []byte(id))
	if err == nil {
		err = json.Unmarshal(output, &parsed)
	}
	return parsed, err
}

// clean removes what the peer says in the platform's name; false when two readers could read it in two ways.
func (k *kit) clean(r *request, headers []header) (kept []header, sound bool) {
	sound = true
	for _, each := range headers {
		name, value := strings.ToLower(each[0]), each[1]
		if !strings.HasPrefix(strings.ReplaceAll(name, "_", "-"), "x-platform-") {
			kept = append(kept, each)
			continue
		}
		switch {
		case name == "x-platform-approval":
			r.approvals++
			kept = append(kept, each)
		case name == "x-platform-on-behalf-of" && r.isService:
			r.behalves++
			kept = append(kept, each)
			parsed, err := k.parse(value)
			if err != nil || parsed.Domain != trustDomain || len(parsed.Path) != 4 || parsed.Path[0] != "agent" {
				return nil, false
			}
		case shapes[name] != nil && r.isService:
			if r.given[name] || !shapes[name].MatchString(value) {
				sound = false
				continue
			}
			r.given[name] = true
			r.adopt(name, value)
		}
	}
	return kept, sound && r.approvals <= 1 && r.behalves <= 1
}

func (r *request) adopt(name, value string) {
	switch name {
	case "x-platform-request-id":
		r.id = value
	case "x-platform-time":
		r.time = value
	case "x-platform-salt":
		r.salt = value
	}
}

// input is what the policy is asked: canonical JSON, whose members Go writes in their order.
func (r *request) input() []byte {
	text, _ := json.Marshal(map[string]any{
		"action":  "connect",
		"context": map[string]string{"request_id": r.id, "time": r.time},
		"identity": map[string]string{"spiffe_id": r.peer, "trust_domain": trustDomain,
			"tenant": r.names[0], "agent": r.names[1], "role": r.names[2]},
		"resource": map[string]string{"kind": "service", "name": service},
	})
	return text
}
