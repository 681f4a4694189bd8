package main

import (
	"context"
	"sort"
	"strings"

	"github.com/open-policy-agent/opa/v1/ast"
	"github.com/open-policy-agent/opa/v1/compile"
)

// build compiles the sources (never their tests) to OPA's Wasm ABI, after the checks of `check`.
func build(req *request) answer {
	sources := withoutTests(req.Files)
	sort.Slice(sources, func(i, j int) bool { return sources[i].Path < sources[j].Path })
	req.Files = sources
	modules, checker, fails := compileAll(req)
	if fails != nil {
		return answer{Errors: fails}
	}
	if fails := missing(req, modules); fails != nil {
		return answer{Errors: fails}
	}
	compiler := compile.New().
		WithTarget(compile.TargetWasm).
		WithBundle(bundleOf(req, modules)).
		WithEntrypoints(req.Entrypoints...).
		WithRegoVersion(ast.RegoV1).
		WithCapabilities(wasmCapabilities(req.Capabilities))
	if err := compiler.Build(context.Background()); err != nil {
		return answer{Errors: findings(err, sources)}
	}
	return answer{
		OK:          true,
		Wasm:        compiler.Bundle().WasmModules[0].Raw,
		Entrypoints: req.Entrypoints,
		Files:       sources,
		Reads:       reads(checker, req.Entrypoints),
	}
}

// missing reports each entrypoint that no rule defines; OPA itself would build an undefined one.
func missing(req *request, modules map[string]*ast.Module) []finding {
	defined := map[string]bool{}
	for _, module := range modules {
		for _, r := range module.Rules {
			defined[module.Package.Path.Extend(r.Head.Ref()).String()] = true
		}
	}
	var fails []finding
	for _, entrypoint := range req.Entrypoints {
		if !defined["data."+strings.ReplaceAll(entrypoint, "/", ".")] {
			fails = append(fails, finding{
				Code:    "entrypoint_missing",
				Message: "no rule defines the entrypoint " + entrypoint,
				Hint:    "add the rule, or remove the entrypoint from the build",
			})
		}
	}
	return fails
}

// wasmCapabilities adds what OPA's own compiler requires to accept the Wasm target.
func wasmCapabilities(given *ast.Capabilities) *ast.Capabilities {
	current := ast.CapabilitiesForThisVersion()
	if given == nil {
		return current
	}
	copied := *given
	copied.WasmABIVersions = current.WasmABIVersions
	return &copied
}

func withoutTests(files []file) []file {
	kept := make([]file, 0, len(files))
	for _, f := range files {
		if !isTest(f.Path) {
			kept = append(kept, f)
		}
	}
	return kept
}

func isTest(path string) bool { return strings.HasSuffix(path, "_test.rego") }
