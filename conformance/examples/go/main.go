// Runs the conformance kit: go run . ../../v1. It reads only the kit, and runs its modules with wazero.
package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
)

// vector is a line of a layer's file: what goes in, and what must come out.
type vector map[string]json.RawMessage

// layer answers the inputs of a line; every member that it returns must be in the line, byte for byte.
type layer struct {
	name   string
	answer func(*kit, vector) (map[string]any, error)
}

var layers = []layer{
	{"canonical", canonical},
	{"hashes", hashes},
	{"commitments", commitments},
	{"decision-ids", decisionIDs},
	{"scope", decision},
	{"arguments", decision},
	{"guard", decision},
	{"authorization", decision},
	{"bundles", bundles},
	{"filter", filter},
}

func main() {
	if len(os.Args) < 2 {
		fmt.Fprintln(os.Stderr, "usage: conformance KIT [LAYER …]")
		os.Exit(2)
	}
	kit, err := openKit(os.Args[1])
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	failed := 0
	for _, layer := range layers {
		if !wanted(layer.name, os.Args[2:]) {
			continue
		}
		count, wrong, err := run(kit, layer)
		if err != nil {
			fmt.Fprintln(os.Stderr, layer.name, err)
			os.Exit(1)
		}
		fmt.Printf("%-14s %4d vectors, %d differ\n", layer.name, count, wrong)
		failed += wrong
	}
	if failed > 0 {
		os.Exit(1)
	}
}

func wanted(name string, names []string) bool {
	for _, each := range names {
		if each == name {
			return true
		}
	}
	return len(names) == 0
}

func run(kit *kit, layer layer) (count, wrong int, err error) {
	file, err := os.Open(filepath.Join(kit.folder, layer.name+".jsonl"))
	if err != nil {
		return 0, 0, err
	}
	defer file.Close()
	lines := bufio.NewScanner(file)
	lines.Buffer(nil, 16<<20)
	for lines.Scan() {
		count++
		var given vector
		if err := json.Unmarshal(lines.Bytes(), &given); err != nil {
			return count, wrong, err
		}
		answer, err := layer.answer(kit, given)
		if err != nil {
			return count, wrong, fmt.Errorf("vector %d: %w", count, err)
		}
		if difference := compare(given, answer); difference != "" {
			wrong++
			fmt.Printf("%s %d: %s\n", layer.name, count, difference)
		}
	}
	return count, wrong, lines.Err()
}

// compare says which member differs; nothing when all are as they must be.
func compare(given vector, answer map[string]any) string {
	for name, value := range answer {
		var text bytes.Buffer
		encoder := json.NewEncoder(&text)
		encoder.SetEscapeHTML(false)
		if err := encoder.Encode(value); err != nil {
			return err.Error()
		}
		if found := bytes.TrimSpace(text.Bytes()); !bytes.Equal(found, given[name]) {
			return fmt.Sprintf("%s is %s, must be %s", name, found, given[name])
		}
	}
	if _, refused := given["error"]; refused && answer["error"] == nil {
		return fmt.Sprintf("must be refused with %s", given["error"])
	}
	return ""
}

// text, raw and binary read members of a vector: a string, base64 and hexadecimal.
func (v vector) text(name string) string {
	var value string
	_ = json.Unmarshal(v[name], &value)
	return value
}
