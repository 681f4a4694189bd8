package main

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
)

func (v vector) raw(name string) []byte {
	data, _ := base64.StdEncoding.DecodeString(v.text(name))
	return data
}

func (v vector) binary(name string) []byte {
	data, _ := hex.DecodeString(v.text(name))
	return data
}

// committed are the top-level fields of an input that enter the id as commitments only.
func committed(module, boundary string) []string {
	switch {
	case module == "authorization" && boundary == "tool":
		return []string{"arguments", "provenance"}
	case module == "arguments":
		return []string{"arguments"}
	case module == "guard":
		return []string{"text", "prompt", "canaries", "topics"}
	}
	return nil
}

// commit is the commitment of a field under the request's salt, and the field's own salt.
func commit(salt []byte, field string, value []byte) (commitment string, own []byte) {
	fieldSalt := sha256.Sum256(framed([]byte("platform/salt/v1"), salt, []byte(field)))
	digest := sha256.Sum256(framed([]byte("platform/commitment/v1"), fieldSalt[:], []byte(field), value))
	return `{"$commitment":"sha256:` + hex.EncodeToString(digest[:]) + `"}`, fieldSalt[:]
}

// decide makes one decision: the committed input, the output and the id.
func (k *kit) decide(boundary, module string, input, salt, schema []byte) (seen, output []byte, id string) {
	canonical, err := k.record.run("canonicalize", input)
	if err != nil {
		commitment, _ := commit(salt, "", input)
		seen, output = []byte(commitment), failed(err)
	} else {
		seen = replaced(canonical, committed(module, boundary), salt)
		if output, err = k.execute(boundary, module, canonical, schema); err != nil {
			output = failed(err)
		}
	}
	return seen, output, k.id(boundary, module, seen, output)
}

func (k *kit) id(boundary, module string, seen, output []byte) string {
	return idOf(boundary, module, k.policyRevision, k.dataRevision, seen, output)
}

func idOf(boundary, module, policy, data string, seen, output []byte) string {
	digest := sha256.Sum256(framed([]byte("platform/decision/v1"), []byte(boundary), []byte(module),
		[]byte(policy), []byte(data), seen, output))
	return hex.EncodeToString(digest[:])
}

func failed(err error) []byte {
	return []byte(`{"allow":false,"reason":{"code":"` + err.Error() + `"}}`)
}

func (k *kit) execute(boundary, module string, input, schema []byte) ([]byte, error) {
	switch module {
	case "authorization":
		answer, err := k.policy.evaluate(boundary, input)
		if err != nil {
			return nil, err
		}
		return k.record.run("canonicalize", answer)
	case "scope":
		return k.scope.run("decide", input)
	case "guard":
		return k.guard.run("scan", input)
	}
	values := map[string][]byte{}
	for _, each := range members(input) {
		values[each.name] = input[each.start:each.end]
	}
	if len(values) != 2 || values["arguments"] == nil || values["schema"] == nil {
		return nil, failure("input_invalid")
	}
	if schema == nil {
		return nil, failure("module_missing")
	}
	digest := sha256.Sum256(schema)
	if string(values["schema"]) != `"sha256:`+hex.EncodeToString(digest[:])+`"` {
		return nil, failure("module_digest_mismatch")
	}
	return k.validate(schema, values["arguments"])
}

// member is a top-level member of canonical JSON: where its value begins and ends.
type member struct {
	name       string
	start, end int
}

func members(canonical []byte) []member {
	var found []member
	if len(canonical) < 3 || canonical[0] != '{' {
		return nil
	}
	for at := 1; at < len(canonical); {
		keyEnd := endOfString(canonical, at)
		var name string
		_ = json.Unmarshal(canonical[at:keyEnd], &name)
		end := endOfValue(canonical, keyEnd+1)
		found = append(found, member{name, keyEnd + 1, end})
		at = end + 1
	}
	return found
}

func endOfString(text []byte, start int) int {
	at := start + 1
	for text[at] != '"' {
		if text[at] == '\\' {
			at++
		}
		at++
	}
	return at + 1
}

func endOfValue(text []byte, start int) int {
	depth, at := 0, start
	for {
		switch text[at] {
		case '"':
			at = endOfString(text, at)
			continue
		case '{', '[':
			depth++
		case '}', ']':
			if depth == 0 {
				return at
			}
			depth--
		case ',':
			if depth == 0 {
				return at
			}
		}
		at++
	}
}

// replaced is canonical input with the values of some fields replaced by their commitments.
func replaced(canonical []byte, fields []string, salt []byte) []byte {
	var out bytes.Buffer
	at := 0
	for _, each := range members(canonical) {
		for _, field := range fields {
			if each.name != field {
				continue
			}
			commitment, _ := commit(salt, field, canonical[each.start:each.end])
			out.Write(canonical[at:each.start])
			out.WriteString(commitment)
			at = each.end
		}
	}
	out.Write(canonical[at:])
	return out.Bytes()
}

func decision(k *kit, v vector) (map[string]any, error) {
	var schema []byte
	if v["schema"] != nil {
		schema = v.raw("schema")
	}
	seen, output, id := k.decide(v.text("boundary"), v.text("module"), v.raw("input"), v.binary("salt"), schema)
	return map[string]any{"committed_input": seen, "output": output, "id": id}, nil
}
