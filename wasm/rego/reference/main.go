// Command reference is the Go OPA for tests: it verifies the two bundles of a folder and answers
// queries over them with OPA's interpreter. Usage: reference FOLDER PUBLIC_KEY.pem < queries.json
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"

	"github.com/open-policy-agent/opa/v1/bundle"
	"github.com/open-policy-agent/opa/v1/keys"
	"github.com/open-policy-agent/opa/v1/rego"
)

type query struct {
	Query string `json:"query"`
	Input any    `json:"input"`
}

func main() {
	if err := answer(os.Args[1], os.Args[2]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func answer(folder, keyFile string) error {
	key, err := os.ReadFile(keyFile)
	if err != nil {
		return err
	}
	options := []func(*rego.Rego){}
	for _, kind := range []string{"policy", "data"} {
		loaded, err := load(filepath.Join(folder, kind), kind, string(key))
		if err != nil {
			return fmt.Errorf("%s: %w", kind, err)
		}
		options = append(options, rego.ParsedBundle(kind, loaded))
	}
	decoder := json.NewDecoder(os.Stdin)
	decoder.UseNumber()
	var queries []query
	if err := decoder.Decode(&queries); err != nil {
		return err
	}
	ctx := context.Background()
	prepared := map[string]rego.PreparedEvalQuery{}
	answers := []any{}
	for _, q := range queries {
		if _, found := prepared[q.Query]; !found {
			all := append([]func(*rego.Rego){rego.Query(q.Query)}, options...)
			made, err := rego.New(all...).PrepareForEval(ctx)
			if err != nil {
				return err
			}
			prepared[q.Query] = made
		}
		results, err := prepared[q.Query].Eval(ctx, rego.EvalInput(q.Input))
		if err != nil {
			return err
		}
		if len(results) == 0 {
			answers = append(answers, nil)
			continue
		}
		answers = append(answers, results[0].Expressions[0].Value)
	}
	return json.NewEncoder(os.Stdout).Encode(answers)
}

func load(path, kind, key string) (*bundle.Bundle, error) {
	config := bundle.NewVerificationConfig(map[string]*keys.Config{
		"trusted": {Key: key, Algorithm: "EdDSA", Scope: "platform/" + kind},
	}, "trusted", "", nil)
	var loader bundle.DirectoryLoader
	if archive, err := os.Open(path + ".tar.gz"); err == nil {
		defer archive.Close()
		loader = bundle.NewTarballLoaderWithBaseURL(archive, "")
	} else {
		loader = bundle.NewDirectoryLoader(path)
	}
	loaded, err := bundle.NewCustomReader(loader).WithBundleVerificationConfig(config).Read()
	return &loaded, err
}
