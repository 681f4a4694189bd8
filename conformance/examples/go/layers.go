package main

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
)

func canonical(k *kit, v vector) (map[string]any, error) {
	input := v.raw("input")
	if v["parts"] != nil {
		var parts []struct {
			Base64 string
			Times  int
		}
		if err := json.Unmarshal(v["parts"], &parts); err != nil {
			return nil, err
		}
		for _, part := range parts {
			piece, err := base64.StdEncoding.DecodeString(part.Base64)
			if err != nil {
				return nil, err
			}
			input = append(input, bytes.Repeat(piece, part.Times)...)
		}
	}
	output, err := k.record.run("canonicalize", input)
	if code, known := err.(failure); known {
		return map[string]any{"error": string(code)}, nil
	}
	if err != nil {
		return nil, err
	}
	if v["parts"] != nil {
		digest := sha256.Sum256(output)
		return map[string]any{"output_sha256": hex.EncodeToString(digest[:])}, nil
	}
	return map[string]any{"output": output}, nil
}

func leafHash(data []byte) []byte {
	hash := sha256.Sum256(append([]byte{0}, data...))
	return hash[:]
}

func nodeHash(left, right []byte) []byte {
	hash := sha256.Sum256(append(append([]byte{1}, left...), right...))
	return hash[:]
}

// treeRoot is the root of RFC 6962, section 2.1.
func treeRoot(leaves [][]byte) []byte {
	switch len(leaves) {
	case 0:
		hash := sha256.Sum256(nil)
		return hash[:]
	case 1:
		return leaves[0]
	}
	split := 1
	for split*2 < len(leaves) {
		split *= 2
	}
	return nodeHash(treeRoot(leaves[:split]), treeRoot(leaves[split:]))
}

// included follows a path from a leaf to the root (RFC 9162, section 2.1.3.2).
func included(leaf []byte, index, size int, proof [][]byte, root []byte) bool {
	if index < 0 || index >= size {
		return false
	}
	hash, last := leaf, size-1
	for _, step := range proof {
		if last == 0 {
			return false
		}
		if index&1 == 1 || index == last {
			hash = nodeHash(step, hash)
			for index&1 == 0 && index != 0 {
				index, last = index>>1, last>>1
			}
		} else {
			hash = nodeHash(hash, step)
		}
		index, last = index>>1, last>>1
	}
	return last == 0 && bytes.Equal(hash, root)
}

func (v vector) list(name string) [][]byte {
	var texts []string
	_ = json.Unmarshal(v[name], &texts)
	list := make([][]byte, len(texts))
	for at, text := range texts {
		list[at], _ = hex.DecodeString(text)
	}
	return list
}

func (v vector) number(name string) (value int) {
	_ = json.Unmarshal(v[name], &value)
	return value
}

func hashes(_ *kit, v vector) (map[string]any, error) {
	var hash []byte
	switch v.text("kind") {
	case "sha256":
		digest := sha256.Sum256(v.raw("data"))
		hash = digest[:]
	case "leaf":
		hash = leafHash(v.raw("data"))
	case "node":
		hash = nodeHash(v.binary("left"), v.binary("right"))
	case "root":
		hash = treeRoot(v.list("leaves"))
	case "inclusion":
		valid := included(v.binary("leaf"), v.number("index"), v.number("size"), v.list("proof"), v.binary("root"))
		return map[string]any{"valid": valid}, nil
	default:
		return nil, fmt.Errorf("unknown kind %s", v["kind"])
	}
	return map[string]any{"hash": hex.EncodeToString(hash)}, nil
}

func commitments(_ *kit, v vector) (map[string]any, error) {
	commitment, salt := commit(v.binary("salt"), v.text("field"), v.raw("value"))
	return map[string]any{"field_salt": hex.EncodeToString(salt), "commitment": commitment}, nil
}

func decisionIDs(_ *kit, v vector) (map[string]any, error) {
	id := idOf(v.text("boundary"), v.text("module"), v.text("policy_revision"), v.text("data_revision"),
		v.raw("committed_input"), v.raw("output"))
	return map[string]any{"id": id}, nil
}
