package main

import (
	"encoding/json"

	astjson "github.com/open-policy-agent/opa/v1/ast/json"
)

// compiled answers with the syntax trees as OPA's compiler leaves them, which is what is evaluated:
// names resolved, variables unique, calls apart, every body in an order that is safe.
func compiled(req *request) answer {
	req.Files = withoutTests(req.Files)
	_, compiler, fails := compileAll(req)
	if fails != nil {
		return answer{Errors: fails}
	}
	withPlaces()
	ans := answer{OK: true, Modules: make(map[string]json.RawMessage, len(req.Files))}
	for path, module := range compiler.Modules {
		encoded, err := json.Marshal(module.Rules)
		if err != nil {
			return answer{Errors: findings(err, req.Files)}
		}
		ans.Modules[path] = encoded
	}
	return ans
}

// withPlaces makes OPA write the place of every rule and condition, without its text.
func withPlaces() {
	astjson.SetOptions(astjson.Options{MarshalOptions: astjson.MarshalOptions{
		IncludeLocation: astjson.NodeToggle{Rule: true, Head: true, Expr: true},
	}})
}
