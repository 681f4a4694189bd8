package main

import (
	"strings"

	"github.com/open-policy-agent/opa/v1/ast"
)

// rule is the public face of a rule: what `# METADATA` says of it, for people and reports.
type rule struct {
	Path        string         `json:"path"`
	File        string         `json:"file"`
	Row         int            `json:"row"`
	Title       string         `json:"title,omitempty"`
	Description string         `json:"description,omitempty"`
	Custom      map[string]any `json:"custom,omitempty"`
}

func check(req *request) answer {
	modules, fails := parse(req)
	if fails != nil {
		return answer{Errors: fails}
	}
	compiler := newCompiler(req)
	if compiler.Compile(modules); compiler.Failed() {
		return answer{Errors: findings(compiler.Errors, req.Files)}
	}
	return answer{OK: true, Rules: rules(compiler)}
}

// parse reads every source, and reports the errors of all of them at once.
func parse(req *request) (map[string]*ast.Module, []finding) {
	modules := make(map[string]*ast.Module, len(req.Files))
	var fails []finding
	for _, f := range req.Files {
		module, err := parseFile(req, f)
		if err != nil {
			fails = append(fails, findings(err, req.Files)...)
			continue
		}
		modules[f.Path] = module
	}
	if fails == nil {
		fails = confine(req, modules)
	}
	return modules, fails
}

// newCompiler is strict, knows only the listed built-ins and checks `input` against the schemas; the
// sources of a bundle come without any, and were checked when it was built.
func newCompiler(req *request) *ast.Compiler {
	compiler := ast.NewCompiler().
		WithStrict(true).
		WithUseTypeCheckAnnotations(len(req.Schemas) > 0).
		WithEnablePrintStatements(req.Command == "test" || req.Command == "eval").
		SetErrorLimit(50)
	if req.Capabilities != nil {
		compiler = compiler.WithCapabilities(req.Capabilities)
	}
	if len(req.Schemas) > 0 {
		set := ast.NewSchemaSet()
		for name, schema := range req.Schemas {
			ref := ast.SchemaRootRef.Copy()
			for _, part := range strings.Split(name, ".") {
				ref = ref.Append(ast.StringTerm(part))
			}
			set.Put(ref, schema)
		}
		compiler = compiler.WithSchemas(set)
	}
	return compiler
}

func rules(compiler *ast.Compiler) []rule {
	var out []rule
	for _, entry := range compiler.GetAnnotationSet().Flatten() {
		notes := entry.Annotations
		if notes == nil || (notes.Scope != "rule" && notes.Scope != "document") {
			continue
		}
		out = append(out, rule{
			Path:        entry.Path.String(),
			File:        entry.Location.File,
			Row:         entry.Location.Row,
			Title:       notes.Title,
			Description: notes.Description,
			Custom:      notes.Custom,
		})
	}
	return out
}
