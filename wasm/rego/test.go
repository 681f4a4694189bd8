package main

import (
	"context"
	"fmt"
	"time"

	"github.com/open-policy-agent/opa/v1/ast"
	"github.com/open-policy-agent/opa/v1/cover"
	"github.com/open-policy-agent/opa/v1/storage"
	"github.com/open-policy-agent/opa/v1/storage/inmem"
	"github.com/open-policy-agent/opa/v1/tester"
)

const testTimeout = 10 * time.Second

// tracedTestsMax bounds how many failed tests of a run are explained.
const tracedTestsMax = 10

type testOutcome struct {
	Package string `json:"package"`
	Name    string `json:"name"`
	File    string `json:"file"`
	Row     int    `json:"row"`
	Pass    bool   `json:"pass"`
	Skip    bool   `json:"skip,omitempty"`
	Error   string `json:"error,omitempty"`
	// FailedAt is the expression of the test that was not true, with its row.
	FailedAt    string `json:"failed_at,omitempty"`
	FailedAtRow int    `json:"failed_at_row,omitempty"`
	// Trace is the failed test with the rules it called, as `explain` shows them.
	Trace   []*explainedExpression `json:"trace,omitempty"`
	Output  string                 `json:"output,omitempty"`
	Seconds float64                `json:"seconds"`
}

// coverage is in lines, over the files whose names do not end in _test.rego.
type coverage struct {
	Percent    float64            `json:"percent"`
	Covered    int                `json:"covered"`
	NotCovered int                `json:"not_covered"`
	Files      map[string][]lines `json:"files"`
}

type lines struct {
	Start int `json:"start"`
	End   int `json:"end"`
}

func test(req *request) answer {
	modules, fails := parse(req)
	if fails != nil {
		return answer{Errors: fails}
	}
	ctx := context.Background()
	store := inmem.NewFromObject(orEmpty(req.Data))
	txn, err := store.NewTransaction(ctx, storage.WriteParams)
	if err != nil {
		return answer{Errors: findings(err, req.Files)}
	}
	defer store.Abort(ctx, txn)
	covered := cover.New()
	compiler := newCompiler(req)
	runner := tester.NewRunner().
		SetCompiler(compiler).
		SetStore(store).
		SetModules(modules).
		SetCoverageQueryTracer(covered).
		CapturePrintOutput(true).
		SetTimeout(testTimeout).
		SetParallel(1).
		Filter(req.Run)
	results, err := runner.RunTests(ctx, txn)
	if err != nil {
		return answer{Errors: findings(err, req.Files)}
	}
	ans := answer{OK: true}
	for result := range results {
		outcome := describe(result)
		ans.OK = ans.OK && (outcome.Pass || outcome.Skip)
		ans.Tests = append(ans.Tests, outcome)
	}
	traceFailures(ans.Tests, explained{
		modules: modules, compiler: compiler, store: store, txn: txn,
	})
	for _, f := range req.Files {
		if isTest(f.Path) || f.Generated {
			delete(modules, f.Path)
		}
	}
	ans.Coverage = summarize(covered.Report(modules))
	return ans
}

// traceFailures evaluates the first failed tests once more and keeps the conditions that were met.
// A test without a tree has failed all the same.
func traceFailures(tests []testOutcome, e explained) {
	traced := 0
	for i := range tests {
		if tests[i].Pass || tests[i].Skip || traced == tracedTestsMax {
			continue
		}
		traced++
		e.query = tests[i].Package + "." + tests[i].Name
		if _, err := ast.ParseRef(e.query); err != nil {
			e.query = fmt.Sprintf("%s[%q]", tests[i].Package, tests[i].Name)
		}
		if tree, _, err := explainQuery(e); err == nil {
			tests[i].Trace = tree
		}
	}
}

func describe(result *tester.Result) testOutcome {
	outcome := testOutcome{
		Package: result.Package,
		Name:    result.Name,
		Pass:    result.Pass(),
		Skip:    result.Skip,
		Output:  string(result.Output),
		Seconds: result.Duration.Seconds(),
	}
	if result.Location != nil {
		outcome.File, outcome.Row = result.Location.File, result.Location.Row
	}
	if result.Error != nil {
		outcome.Error = result.Error.Error()
	}
	if result.FailedAt != nil && result.FailedAt.Location != nil {
		outcome.FailedAt = string(result.FailedAt.Location.Text)
		outcome.FailedAtRow = result.FailedAt.Location.Row
	}
	return outcome
}

func summarize(report cover.Report) *coverage {
	out := &coverage{Files: map[string][]lines{}}
	for path, f := range report.Files {
		if isTest(path) {
			continue
		}
		out.Covered += f.CoveredLines
		out.NotCovered += f.NotCoveredLines
		missed := []lines{}
		for _, r := range f.NotCovered {
			missed = append(missed, lines{Start: r.Start.Row, End: r.End.Row})
		}
		out.Files[path] = missed
	}
	if total := out.Covered + out.NotCovered; total > 0 {
		out.Percent = 100 * float64(out.Covered) / float64(total)
	}
	return out
}
