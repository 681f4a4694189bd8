package main

import (
	"bytes"
	"context"
	"encoding/json"

	"github.com/open-policy-agent/opa/v1/format"
	"github.com/open-policy-agent/opa/v1/rego"
	"github.com/open-policy-agent/opa/v1/storage/inmem"
	"github.com/open-policy-agent/opa/v1/topdown"
)

// eval answers one query with OPA's interpreter, the reference that the compiled module must equal.
func eval(req *request) answer {
	_, compiler, fails := compileAll(req)
	if fails != nil {
		return answer{Errors: fails}
	}
	var printed bytes.Buffer
	tracer := tracerOf(req)
	results, err := rego.New(
		rego.Query(req.Query),
		rego.Compiler(compiler),
		rego.Capabilities(req.Capabilities),
		rego.Store(inmem.NewFromObject(orEmpty(req.Data))),
		rego.Input(req.Input),
		rego.EnablePrintStatements(true),
		rego.PrintHook(topdown.NewPrintHook(&printed)),
		rego.StrictBuiltinErrors(req.Strict),
		rego.QueryTracer(tracer),
	).Eval(context.Background())
	if err != nil {
		return answer{Errors: findings(err, req.Files)}
	}
	values := []any{}
	for _, result := range results {
		for _, expression := range result.Expressions {
			values = append(values, expression.Value)
		}
	}
	encoded, err := json.Marshal(values)
	if err != nil {
		return answer{Errors: findings(err, req.Files)}
	}
	trace, err := explanation(req, tracer)
	if err != nil {
		return answer{Errors: findings(err, req.Files)}
	}
	return answer{OK: true, Result: encoded, Output: printed.String(), Explanation: trace}
}

// formatFiles answers with the files whose text would change.
func formatFiles(req *request) answer {
	ans := answer{OK: true}
	for _, f := range req.Files {
		formatted, err := format.SourceWithOpts(f.Path, []byte(f.Content), format.Opts{})
		if err != nil {
			ans.OK = false
			ans.Errors = append(ans.Errors, findings(err, req.Files)...)
			continue
		}
		if string(formatted) != f.Content {
			ans.Files = append(ans.Files, file{Path: f.Path, Content: string(formatted)})
		}
	}
	return ans
}

func orEmpty(data map[string]any) map[string]any {
	if data == nil {
		return map[string]any{}
	}
	return data
}
