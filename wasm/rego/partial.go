package main

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/open-policy-agent/opa/v1/ast"
	"github.com/open-policy-agent/opa/v1/rego"
	"github.com/open-policy-agent/opa/v1/storage/inmem"
	"github.com/open-policy-agent/opa/v1/topdown"
)

// What partial evaluation may cost: conditions multiply, and nothing in Rego bounds them.
const (
	partialQueriesMax = 20_000
	partialStepsMax   = 20_000_000
)

// residue is what remains of a query once all that is known is put in.
type residue struct {
	Queries []ast.Body    `json:"queries"`
	Support []*ast.Module `json:"support"`
	Text    residueText   `json:"text"`
}

type residueText struct {
	Queries []string `json:"queries"`
	Support []string `json:"support"`
}

// partial evaluates the query with the unknowns left open (`input` if none is named).
func partial(req *request) answer {
	req.Files = withoutTests(req.Files)
	modules, fails := parse(req)
	if fails != nil {
		return answer{Errors: fails}
	}
	compiler := newCompiler(req)
	if compiler.Compile(modules); compiler.Failed() {
		return answer{Errors: findings(compiler.Errors, req.Files)}
	}
	unknowns := req.Unknowns
	if len(unknowns) == 0 {
		unknowns = []string{"input"}
	}
	options := []func(*rego.Rego){
		rego.Query(req.Query),
		rego.Compiler(compiler),
		rego.Capabilities(req.Capabilities),
		rego.Store(inmem.NewFromObject(orEmpty(req.Data))),
		rego.Unknowns(unknowns),
	}
	if req.Input != nil {
		options = append(options, rego.Input(req.Input))
	}
	ctx := context.Background()
	prepared, err := rego.New(options...).PrepareForPartial(ctx)
	if err != nil {
		return answer{Errors: findings(err, req.Files)}
	}
	steps := newSteps(partialStepsMax)
	evaluation := []rego.EvalOption{
		rego.EvalQueryTracer(steps),
		rego.EvalExternalCancel(steps.cancel),
	}
	if req.Input != nil {
		evaluation = append(evaluation, rego.EvalInput(req.Input))
	}
	found, err := prepared.Partial(ctx, evaluation...)
	switch {
	case err != nil && steps.spent():
		return answer{Errors: []finding{tooMuch("more than %d steps", partialStepsMax)}}
	case err != nil:
		return answer{Errors: findings(err, req.Files)}
	case len(found.Queries) > partialQueriesMax:
		return answer{Errors: []finding{tooMuch("more than %d cases", partialQueriesMax)}}
	}
	return encodeResidue(req, found)
}

func encodeResidue(req *request, found *rego.PartialQueries) answer {
	out := residue{
		Queries: found.Queries,
		Support: found.Support,
		Text:    residueText{Queries: []string{}, Support: []string{}},
	}
	if out.Queries == nil {
		out.Queries = []ast.Body{}
	}
	if out.Support == nil {
		out.Support = []*ast.Module{}
	}
	for _, query := range out.Queries {
		out.Text.Queries = append(out.Text.Queries, query.String())
	}
	for _, module := range out.Support {
		out.Text.Support = append(out.Text.Support, module.String())
	}
	withLocations()
	encoded, err := json.Marshal(out)
	if err != nil {
		return answer{Errors: findings(err, req.Files)}
	}
	return answer{OK: true, Residue: encoded}
}

func tooMuch(format string, limit int) finding {
	return finding{
		Code:    "partial_too_large",
		Message: "partial evaluation came to " + fmt.Sprintf(format, limit),
		Hint:    "make more of the input known, or ask about one rule",
	}
}

// steps counts what the evaluator does and cancels it when the count is used up: inside WASI no
// clock can interrupt an evaluation.
type steps struct {
	left   int
	cancel topdown.Cancel
}

func newSteps(limit int) *steps { return &steps{left: limit, cancel: topdown.NewCancel()} }

func (s *steps) spent() bool { return s.left <= 0 }

// Enabled, TraceEvent and Config make steps a topdown.QueryTracer.
func (s *steps) Enabled() bool { return true }

func (s *steps) TraceEvent(topdown.Event) {
	if s.left--; s.left <= 0 {
		s.cancel.Cancel()
	}
}

func (s *steps) Config() topdown.TraceConfig { return topdown.TraceConfig{} }
