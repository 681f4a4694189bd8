package main

import (
	"context"
	"encoding/json"
	"errors"

	"github.com/open-policy-agent/opa/v1/ast"
	"github.com/open-policy-agent/opa/v1/bundle"
	"github.com/open-policy-agent/opa/v1/compile"
	"github.com/open-policy-agent/opa/v1/ir"
	"github.com/open-policy-agent/opa/v1/rego"
)

// plan answers with OPA's intermediate representation of the entrypoints, or of one query.
func plan(req *request) answer {
	req.Files = withoutTests(req.Files)
	modules, compiler, fails := compileAll(req)
	if fails != nil {
		return answer{Errors: fails}
	}
	if req.Query != "" {
		return planQuery(req, compiler)
	}
	if fails := missing(req, modules); fails != nil {
		return answer{Errors: fails}
	}
	planned := compile.New().
		WithTarget(compile.TargetPlan).
		WithBundle(bundleOf(req, modules)).
		WithEntrypoints(req.Entrypoints...).
		WithRegoVersion(ast.RegoV1).
		WithOptimizationLevel(req.Optimize).
		WithCapabilities(req.Capabilities)
	if err := planned.Build(context.Background()); err != nil {
		return answer{Errors: findings(err, req.Files)}
	}
	return answer{OK: true, Plan: planned.Bundle().PlanModules[0].Raw, Entrypoints: req.Entrypoints}
}

// planQuery plans a query as OPA does for engines of other makes, which is the only door to its planner.
func planQuery(req *request, compiler *ast.Compiler) answer {
	target := &planTarget{}
	rego.ResetTargetPlugins()
	rego.RegisterPlugin("plan", target)
	_, err := rego.New(
		rego.Query(req.Query),
		rego.Target("plan"),
		rego.Compiler(compiler),
		rego.Capabilities(req.Capabilities),
	).PrepareForEval(context.Background())
	if err != nil {
		return answer{Errors: findings(err, req.Files)}
	}
	encoded, err := json.Marshal(target.policy)
	if err != nil {
		return answer{Errors: findings(err, req.Files)}
	}
	return answer{OK: true, Plan: encoded}
}

type planTarget struct{ policy *ir.Policy }

func (*planTarget) IsTarget(name string) bool { return name == "plan" }

func (t *planTarget) PrepareForEval(
	_ context.Context, policy *ir.Policy, _ ...rego.PrepareOption,
) (rego.TargetPluginEval, error) {
	t.policy = policy
	return t, nil
}

func (*planTarget) Eval(context.Context, *rego.EvalContext, ast.Value) (ast.Value, error) {
	return nil, errors.New("a plan is not evaluated here")
}

// bundleOf makes the bundle that OPA's own compilers take.
func bundleOf(req *request, modules map[string]*ast.Module) *bundle.Bundle {
	input := &bundle.Bundle{Data: orEmpty(req.Data)}
	input.SetRegoVersion(ast.RegoV1)
	input.Manifest.Roots = &req.Roots
	input.Manifest.Init()
	for _, f := range req.Files {
		input.Modules = append(input.Modules, bundle.ModuleFile{
			URL: f.Path, Path: f.Path, Parsed: modules[f.Path], Raw: []byte(f.Content),
		})
	}
	return input
}
