package main

import (
	"context"
	"encoding/json"
	"errors"
	"strings"

	"github.com/open-policy-agent/opa/v1/ast"
	"github.com/open-policy-agent/opa/v1/rego"
	"github.com/open-policy-agent/opa/v1/storage/inmem"
	"github.com/open-policy-agent/opa/v1/topdown"
)

// reply is what one input came to: the bindings of each result, or the code of an error.
type reply struct {
	Results []any  `json:"results"`
	Code    string `json:"code,omitempty"`
	Message string `json:"message,omitempty"`
}

// answers evaluates one query for many inputs with OPA's interpreter.
func answers(req *request) answer {
	_, compiler, fails := compileAll(req)
	if fails != nil {
		return answer{Errors: fails}
	}
	ctx := context.Background()
	query, err := rego.New(
		rego.Query(req.Query),
		rego.Compiler(compiler),
		rego.Capabilities(req.Capabilities),
		rego.Store(inmem.NewFromObject(orEmpty(req.Data))),
		rego.StrictBuiltinErrors(req.Strict),
		rego.GenerateJSON(func(term *ast.Term, _ *rego.EvalContext) (any, error) { return marked(term.Value) }),
	).PrepareForEval(ctx)
	if err != nil {
		return answer{Errors: findings(err, req.Files)}
	}
	ans := answer{OK: true, Replies: make([]reply, 0, len(req.Inputs))}
	for _, encoded := range req.Inputs {
		ans.Replies = append(ans.Replies, answerOne(ctx, query, encoded))
	}
	return ans
}

// answerOne evaluates for one input; the JSON text `undefined` of a host is an empty one here.
func answerOne(ctx context.Context, query rego.PreparedEvalQuery, encoded json.RawMessage) reply {
	input, err := ast.ValueFromReader(strings.NewReader(string(encoded)))
	if err != nil {
		return reply{Code: "input_invalid", Message: err.Error()}
	}
	results, err := query.Eval(ctx, rego.EvalParsedInput(input))
	if err != nil {
		var evaluating *topdown.Error
		if errors.As(err, &evaluating) {
			return reply{Code: evaluating.Code, Message: evaluating.Message}
		}
		return reply{Code: "rego_error", Message: err.Error()}
	}
	out := reply{Results: []any{}}
	for _, result := range results {
		row := map[string]any{}
		for name, value := range result.Bindings {
			row[name] = value
		}
		values := []any{}
		for _, expression := range result.Expressions {
			values = append(values, expression.Value)
		}
		out.Results = append(out.Results, map[string]any{"bindings": row, "expressions": values})
	}
	return out
}

// marked is a value as JSON that keeps sets apart: {"$set": […]} in order; a key that begins with $ gets
// another one in front.
func marked(value ast.Value) (any, error) {
	switch value := value.(type) {
	case *ast.Array:
		out := make([]any, 0, value.Len())
		for i := range value.Len() {
			element, err := marked(value.Elem(i).Value)
			if err != nil {
				return nil, err
			}
			out = append(out, element)
		}
		return out, nil
	case ast.Set:
		out := make([]any, 0, value.Len())
		for _, term := range value.Slice() {
			element, err := marked(term.Value)
			if err != nil {
				return nil, err
			}
			out = append(out, element)
		}
		return map[string]any{"$set": out}, nil
	case ast.Object:
		out := make(map[string]any, value.Len())
		err := value.Iter(func(key, member *ast.Term) error {
			name, err := nameOf(key.Value)
			if err != nil {
				return err
			}
			out[name], err = marked(member.Value)
			return err
		})
		return out, err
	}
	return ast.JSON(value)
}

// nameOf is a key as text; keys that are no strings are their JSON, as in OPA's own answers.
func nameOf(key ast.Value) (string, error) {
	if name, ok := key.(ast.String); ok {
		if strings.HasPrefix(string(name), "$") {
			return "$" + string(name), nil
		}
		return string(name), nil
	}
	value, err := ast.JSON(key)
	if err != nil {
		return "", err
	}
	encoded, err := json.Marshal(value)
	return string(encoded), err
}
