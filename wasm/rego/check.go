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
	_, compiler, fails := compileAll(req)
	if fails != nil {
		return answer{Errors: fails}
	}
	return answer{OK: true, Rules: rules(compiler)}
}

// compileAll parses and compiles every source; with findings there is no compiler.
func compileAll(req *request) (map[string]*ast.Module, *ast.Compiler, []finding) {
	modules, fails := parse(req)
	if fails != nil {
		return nil, nil, fails
	}
	compiler := newCompiler(req)
	if compiler.Compile(modules); compiler.Failed() {
		return nil, nil, findings(compiler.Errors, req.Files)
	}
	return modules, compiler, nil
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
		citeSchemas(req, modules)
	}
	return modules, fails
}

// citeSchemas checks the rules of platform.<boundary>, and of every package below it, against the schema
// of that boundary where no `# METADATA` of the package cites one: a misspelt member is an error anyway.
func citeSchemas(req *request, modules map[string]*ast.Module) {
	notes := map[string]*ast.Annotations{}
	first := map[string]*ast.Module{}
	for _, f := range req.Files {
		module := modules[f.Path]
		path := module.Package.Path
		if isTest(f.Path) || len(path) < 3 || !path.HasPrefix(platformRef) || req.Schemas[text(path[2])] == nil {
			continue
		}
		name := path.String()
		if first[name] == nil {
			first[name] = module
		}
		for _, found := range module.Annotations {
			if found.Scope == "package" {
				notes[name] = found
			}
		}
	}
	for name, module := range first {
		note := notes[name]
		if note == nil {
			note = (&ast.Annotations{Scope: "package", Location: module.Package.Location}).Copy(module.Package)
			module.Annotations = append(module.Annotations, note)
		}
		if len(note.Schemas) == 0 {
			note.Schemas = []*ast.SchemaAnnotation{{
				Path:   ast.InputRootRef,
				Schema: ast.SchemaRootRef.Append(module.Package.Path[2]),
			}}
		}
	}
}

// newCompiler is strict, knows only the listed built-ins and checks `input` against the schemas; the
// sources of a bundle come without any, and were checked when it was built.
func newCompiler(req *request) *ast.Compiler {
	compiler := ast.NewCompiler().
		WithStrict(!req.Lenient).
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
