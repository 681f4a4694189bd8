package main

import (
	"context"
	"encoding/json"

	"github.com/open-policy-agent/opa/v1/ast"
	"github.com/open-policy-agent/opa/v1/rego"
	"github.com/open-policy-agent/opa/v1/storage"
	"github.com/open-policy-agent/opa/v1/storage/inmem"
)

// What an explanation may cost, and how large it may become.
const (
	explainStepsMax = 1_000_000
	explainNodesMax = 3_000
)

// Outcomes of rules and conditions. An undefined one had no value, because something is missing or
// did not match; an unreached one was not looked at.
const (
	isTrue      = "true"
	isFalse     = "false"
	isUndefined = "undefined"
	isUnreached = "unreached"
)

// explainedRule is one definition of a rule that was evaluated.
type explainedRule struct {
	Path        string `json:"path"`
	Name        string `json:"name"`
	Kind        string `json:"kind"`
	File        string `json:"file"`
	Row         int    `json:"row"`
	Title       string `json:"title,omitempty"`
	Description string `json:"description,omitempty"`
	Outcome     string `json:"outcome"`
	// Value is what it came to, as Rego; of a set the elements that this definition gave.
	Value string `json:"value,omitempty"`
	// Values are the arguments of a function.
	Values map[string]string `json:"values,omitempty"`
	// Times counts the evaluations when there were more than are shown.
	Times int `json:"times,omitempty"`
	// Repeated marks a result that was kept from before; its conditions stand where it came about.
	Repeated    bool                   `json:"repeated,omitempty"`
	Expressions []*explainedExpression `json:"expressions,omitempty"`

	head *ast.Head
}

// explainedExpression is one condition as its author wrote it.
type explainedExpression struct {
	Text    string `json:"text"`
	File    string `json:"file,omitempty"`
	Row     int    `json:"row"`
	Outcome string `json:"outcome"`
	// Values are those of the condition's variables, references and calls, as Rego.
	Values map[string]string `json:"values,omitempty"`
	// Times counts how often it was tried; more than once when what is before it iterates.
	Times int              `json:"times,omitempty"`
	Rules []*explainedRule `json:"rules,omitempty"`
	// Inner are the conditions of an `every`, as its last element met them.
	Inner []*explainedExpression `json:"inner,omitempty"`

	place  *spot
	pieces []piece
}

// explain evaluates the query and answers with its result and the tree of rules behind it.
func explain(req *request) answer {
	modules, compiler, fails := compileAll(req)
	if fails != nil {
		return answer{Errors: fails}
	}
	store := inmem.NewFromObject(orEmpty(req.Data))
	tree, result, err := explainQuery(explained{
		query: req.Query, modules: modules, compiler: compiler, store: store, input: req.Input,
	})
	if err != nil {
		return answer{Errors: findings(err, req.Files)}
	}
	return answer{OK: true, Result: result, Tree: tree}
}

type explained struct {
	query    string
	modules  map[string]*ast.Module
	compiler *ast.Compiler
	store    storage.Store
	txn      storage.Transaction
	input    any
}

// explainQuery turns rule indexing off, so that a rule which the index would skip shows its reason.
func explainQuery(e explained) ([]*explainedExpression, json.RawMessage, error) {
	body, err := ast.ParseBody(e.query)
	if err != nil {
		return nil, nil, err
	}
	ctx := context.Background()
	options := []func(*rego.Rego){
		rego.Query(e.query), rego.Compiler(e.compiler), rego.Store(e.store),
	}
	evaluation := []rego.EvalOption{rego.EvalRuleIndexing(false)}
	if e.txn != nil {
		options = append(options, rego.Transaction(e.txn))
		evaluation = append(evaluation, rego.EvalTransaction(e.txn))
	}
	if e.input != nil {
		evaluation = append(evaluation, rego.EvalInput(e.input))
	}
	prepared, err := rego.New(options...).PrepareForEval(ctx)
	if err != nil {
		return nil, nil, err
	}
	tracer := newTracer(e.compiler, newSpots(e.modules, body))
	evaluation = append(
		evaluation, rego.EvalQueryTracer(tracer), rego.EvalExternalCancel(tracer.steps.cancel),
	)
	results, err := prepared.Eval(ctx, evaluation...)
	if err != nil && tracer.steps.spent() {
		err = ast.NewError("explain_too_large", nil, "more than %d steps", explainStepsMax)
	}
	if err != nil {
		return nil, nil, err
	}
	values := []any{}
	for _, result := range results {
		for _, expression := range result.Expressions {
			values = append(values, expression.Value)
		}
	}
	encoded, err := json.Marshal(values)
	return tracer.tree(), encoded, err
}
