package main

import (
	"sort"
	"strings"

	"github.com/open-policy-agent/opa/v1/ast"
)

// reads lists, for each entrypoint, the JSON Pointers of the parts of `input` that any rule it can
// reach may look at; a pointer covers all that is below it, and the empty one is the whole input.
// What no pointer covers cannot change the answer. Doubt widens the list, never narrows it.
func reads(compiler *ast.Compiler, entrypoints []string) map[string][]string {
	out := make(map[string][]string, len(entrypoints))
	for _, entrypoint := range entrypoints {
		reached := map[*ast.Rule]bool{}
		for _, r := range compiler.GetRulesDynamic(dataRef(entrypoint)) {
			follow(compiler, r, reached)
		}
		found := map[string]bool{}
		for r := range reached {
			collect(r, found)
		}
		out[entrypoint] = minimal(found)
	}
	return out
}

// timeReaders look at the time of the input, where none is given to them, without a word of it in the policy.
var timeReaders = map[string]bool{
	"crypto.x509.parse_and_verify_certificates":              true,
	"crypto.x509.parse_and_verify_certificates_with_options": true,
	"io.jwt.decode_verify":                                   true,
	"time.now_ns":                                            true,
}

func dataRef(entrypoint string) ast.Ref {
	ref := ast.DefaultRootRef.Copy()
	for _, part := range strings.Split(entrypoint, "/") {
		ref = ref.Append(ast.StringTerm(part))
	}
	return ref
}

func follow(compiler *ast.Compiler, r *ast.Rule, reached map[*ast.Rule]bool) {
	if r == nil || reached[r] {
		return
	}
	reached[r] = true
	follow(compiler, r.Else, reached)
	for dependency := range compiler.Graph.Dependencies(r) {
		follow(compiler, dependency.(*ast.Rule), reached)
	}
}

// collect walks a rule with its else branches. The head of a reference to input is consumed with
// the reference; a bare `input` anywhere else is the whole of it.
func collect(node any, found map[string]bool) {
	ast.NewGenericVisitor(func(x any) bool {
		switch x := x.(type) {
		case ast.Ref:
			if timeReaders[x.String()] {
				found["/context/time"] = true
			}
			if !x[0].Equal(ast.InputRootDocument) {
				return false
			}
			found[pointer(x[1:])] = true
			for _, part := range x[1:] {
				collect(part, found)
			}
			return true
		case ast.Var:
			if x.Equal(ast.InputRootDocument.Value) {
				found[""] = true
			}
		}
		return false
	}).Walk(node)
}

// pointer is the JSON Pointer (RFC 6901) of the constant strings that a reference begins with.
func pointer(parts ast.Ref) string {
	var out strings.Builder
	for _, part := range parts {
		name, constant := part.Value.(ast.String)
		if !constant {
			break
		}
		out.WriteString("/")
		out.WriteString(strings.NewReplacer("~", "~0", "/", "~1").Replace(string(name)))
	}
	return out.String()
}

// minimal drops the pointers that another one covers, and sorts the rest.
func minimal(found map[string]bool) []string {
	out := []string{}
	for candidate := range found {
		covered := false
		for other := range found {
			covered = covered || (other != candidate && strings.HasPrefix(candidate, other+"/"))
		}
		if !covered {
			out = append(out, candidate)
		}
	}
	sort.Strings(out)
	return out
}
