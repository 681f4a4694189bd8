package main

import (
	"encoding/json"

	"github.com/open-policy-agent/opa/v1/ast"
	astjson "github.com/open-policy-agent/opa/v1/ast/json"
)

// parseFiles answers with OPA's JSON syntax tree of every file that parses, and the errors of the rest.
func parseFiles(req *request) answer {
	withLocations()
	ans := answer{OK: true, Modules: make(map[string]json.RawMessage, len(req.Files))}
	for _, f := range req.Files {
		module, err := parseFile(req, f)
		if err != nil {
			ans.OK = false
			ans.Errors = append(ans.Errors, findings(err, req.Files)...)
			continue
		}
		if ans.Modules[f.Path], err = json.Marshal(module); err != nil {
			return answer{Errors: findings(err, req.Files)}
		}
	}
	return ans
}

// parseFile reads one source; a file without a package is an error like any other.
func parseFile(req *request, f file) (*ast.Module, error) {
	module, err := ast.ParseModuleWithOpts(f.Path, f.Content, ast.ParserOptions{
		ProcessAnnotation: true,
		RegoVersion:       ast.RegoV1,
		Capabilities:      req.Capabilities,
	})
	if err == nil && module == nil {
		place := ast.NewLocation(nil, f.Path, 1, 1)
		err = ast.NewError("rego_parse_error", place, "the file has no package")
	}
	return module, err
}

// withLocations makes OPA write the place and the text (base64) of every node for this process.
func withLocations() {
	astjson.SetOptions(astjson.Options{MarshalOptions: astjson.MarshalOptions{
		IncludeLocation: astjson.NodeToggle{
			Term: true, Package: true, Comment: true, Import: true, Rule: true, Head: true, Expr: true,
			SomeDecl: true, Every: true, With: true, Annotations: true, AnnotationsRef: true,
			Not: true, And: true, Or: true,
		},
		IncludeLocationText: true,
	}})
}
