// Command builtin is OPA's built-ins for tests: a JSON array of calls `[name, operand...]` in, an array of results
// out, null for a call that fails or gives nothing and `[result]` otherwise; `{"$set": [...]}` is a set.
package main

import (
	"encoding/json"
	"fmt"
	"os"

	"github.com/open-policy-agent/opa/v1/ast"
	"github.com/open-policy-agent/opa/v1/topdown"
)

func main() {
	decoder := json.NewDecoder(os.Stdin)
	decoder.UseNumber()
	var calls [][]any
	if err := decoder.Decode(&calls); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	results := make([]any, len(calls))
	for i, call := range calls {
		results[i] = answer(call[0].(string), call[1:])
	}
	if err := json.NewEncoder(os.Stdout).Encode(results); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func answer(name string, parameters []any) any {
	operands := make([]*ast.Term, len(parameters))
	for i, parameter := range parameters {
		operands[i] = term(parameter)
	}
	var result any
	err := topdown.GetBuiltin(name)(topdown.BuiltinContext{}, operands, func(value *ast.Term) error {
		result = []any{marked(value)}
		return nil
	})
	if err != nil {
		return nil
	}
	return result
}

// term makes a value of JSON with marked sets.
func term(value any) *ast.Term {
	switch value := value.(type) {
	case []any:
		return ast.ArrayTerm(terms(value)...)
	case map[string]any:
		if members, ok := value["$set"].([]any); ok && len(value) == 1 {
			return ast.SetTerm(terms(members)...)
		}
		object := ast.NewObject()
		for key, member := range value {
			object.Insert(ast.StringTerm(key), term(member))
		}
		return ast.NewTerm(object)
	}
	return ast.NewTerm(ast.MustInterfaceToValue(value))
}

func terms(values []any) []*ast.Term {
	all := make([]*ast.Term, len(values))
	for i, value := range values {
		all[i] = term(value)
	}
	return all
}

// marked makes JSON with marked sets of a value.
func marked(value *ast.Term) any {
	switch value := value.Value.(type) {
	case *ast.Array:
		all := make([]any, 0, value.Len())
		value.Foreach(func(element *ast.Term) { all = append(all, marked(element)) })
		return all
	case ast.Set:
		all := make([]any, 0, value.Len())
		value.Foreach(func(element *ast.Term) { all = append(all, marked(element)) })
		return map[string]any{"$set": all}
	case ast.Object:
		all := map[string]any{}
		value.Foreach(func(key, member *ast.Term) { all[string(key.Value.(ast.String))] = marked(member) })
		return all
	case ast.String:
		return string(value)
	case ast.Number:
		return json.Number(value)
	case ast.Boolean:
		return bool(value)
	}
	return nil
}
