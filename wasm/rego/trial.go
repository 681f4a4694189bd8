package main

import (
	"context"
	"maps"
	"runtime"

	"github.com/open-policy-agent/opa/v1/ast"
	"github.com/open-policy-agent/opa/v1/storage"
	"github.com/open-policy-agent/opa/v1/storage/inmem"
	"github.com/open-policy-agent/opa/v1/tester"
	"github.com/open-policy-agent/opa/v1/topdown"
)

const trialStepsMax = 5_000_000

// trialOutcome says whether the tests notice a variant of one file.
type trialOutcome struct {
	Killed bool `json:"killed"`
	// By is the first test that failed.
	By string `json:"by,omitempty"`
	// Error says why the variant is no policy at all, or which test did not end.
	Error string `json:"error,omitempty"`
}

// trial replaces one file by each variant in turn and runs the tests until one fails. Without a
// variant all of them must pass, or the outcomes would mean nothing.
func trial(req *request) answer {
	modules, fails := parse(req)
	if fails != nil {
		return answer{Errors: fails}
	}
	if outcome := runUntilFailure(req, modules); outcome.Killed || outcome.Error != "" {
		return answer{Errors: []finding{{
			Code:    "tests_fail",
			Message: "the tests must pass before variants are tried: " + outcome.By + " " + outcome.Error,
		}}}
	}
	ans := answer{OK: true, Outcomes: []trialOutcome{}}
	for _, variant := range req.Variants {
		ans.Outcomes = append(ans.Outcomes, tryVariant(req, modules, variant))
	}
	return ans
}

func tryVariant(req *request, modules map[string]*ast.Module, variant file) trialOutcome {
	if modules[variant.Path] == nil {
		return trialOutcome{Error: "no such file: " + variant.Path}
	}
	module, err := parseFile(req, variant)
	if err != nil {
		return trialOutcome{Error: err.Error()}
	}
	changed := maps.Clone(modules)
	changed[variant.Path] = module
	return runUntilFailure(req, changed)
}

func runUntilFailure(req *request, modules map[string]*ast.Module) trialOutcome {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	store := inmem.NewFromObject(orEmpty(req.Data))
	txn, err := store.NewTransaction(ctx, storage.WriteParams)
	if err != nil {
		return trialOutcome{Error: err.Error()}
	}
	defer store.Abort(ctx, txn)
	limit := &interrupter{left: trialStepsMax, cancel: cancel}
	results, err := tester.NewRunner().
		SetCompiler(newCompiler(req)).
		SetStore(store).
		SetModules(modules).
		SetCoverageQueryTracer(limit).
		SetParallel(1).
		Filter(req.Run).
		RunTests(ctx, txn)
	if err != nil {
		return trialOutcome{Error: err.Error()}
	}
	var outcome trialOutcome
	for result := range results {
		if outcome.Killed || result.Pass() || result.Skip {
			continue
		}
		outcome = trialOutcome{Killed: true, By: result.Package + "." + result.Name}
		if result.Error != nil {
			outcome.Error = result.Error.Error()
		}
		cancel()
	}
	return outcome
}

// interrupter cancels a context after so many steps, and yields so that the evaluator sees it.
type interrupter struct {
	left   int
	cancel context.CancelFunc
}

// Enabled, TraceEvent and Config make interrupter a topdown.QueryTracer.
func (i *interrupter) Enabled() bool { return true }

func (i *interrupter) TraceEvent(topdown.Event) {
	if i.left--; i.left <= 0 {
		i.cancel()
		runtime.Gosched()
	}
}

func (i *interrupter) Config() topdown.TraceConfig { return topdown.TraceConfig{} }
