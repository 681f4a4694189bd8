// Command rego is OPA's compiler for WASI: one JSON request on standard input, one JSON answer on
// standard output, no files, no network, no environment.
package main

import (
	"encoding/json"
	"os"

	"github.com/open-policy-agent/opa/v1/ast"
)

// file is one Rego source; the path is only a name, nothing is read from disk.
type file struct {
	Path    string `json:"path"`
	Content string `json:"content"`
	// Operator marks a source that may only narrow what the platform's own policies allow.
	Operator bool `json:"operator,omitempty"`
	// Tenant names the tenant whose source it is; it may narrow what that tenant's agents may do.
	Tenant string `json:"tenant,omitempty"`
	// Generated marks a source that nobody wrote, and so nobody tests.
	Generated bool `json:"generated,omitempty"`
}

// request is what the host writes on standard input.
type request struct {
	Command      string            `json:"command"`
	Files        []file            `json:"files"`
	Capabilities *ast.Capabilities `json:"capabilities"`
	Entrypoints  []string          `json:"entrypoints"`
	Roots        []string          `json:"roots"`
	// Schemas maps a name to a JSON Schema that a policy cites as `schema.<name>`.
	Schemas map[string]any `json:"schemas"`
	Data    map[string]any `json:"data"`
	Input   any            `json:"input"`
	Query   string         `json:"query"`
	Run     string         `json:"run"`
	// Explain is how much of the trace `eval` answers with: notes, fails, full or debug.
	Explain string `json:"explain"`
	Pretty  bool   `json:"pretty"`
	// Strict makes an error of a built-in an error of the query, as OPA's strict-builtin-errors does.
	Strict bool `json:"strict"`
	// Inputs are those of `answers`.
	Inputs []json.RawMessage `json:"inputs"`
	// Optimize is OPA's level of partial evaluation, 0 to 2, for a plan of entrypoints.
	Optimize int `json:"optimize"`
	// Lenient takes what OPA's strict mode refuses, such as unused variables.
	Lenient bool `json:"lenient"`
	// Variants each replace the one file of the same path, for `trial`.
	Variants []file `json:"variants"`
}

// answer is what the host reads; only the fields of the command that ran are set.
type answer struct {
	OK          bool          `json:"ok"`
	Errors      []finding     `json:"errors,omitempty"`
	Tests       []testOutcome `json:"tests,omitempty"`
	Coverage    *coverage     `json:"coverage,omitempty"`
	Wasm        []byte        `json:"wasm,omitempty"`
	Entrypoints []string      `json:"entrypoints,omitempty"`
	Files       []file        `json:"files,omitempty"`
	// Reads says by entrypoint which parts of the input can matter, as JSON Pointers.
	Reads  map[string][]string `json:"reads,omitempty"`
	Result json.RawMessage     `json:"result,omitempty"`
	Output string              `json:"output,omitempty"`
	// Explanation is the trace of `eval`, in OPA's own form.
	Explanation json.RawMessage `json:"explanation,omitempty"`
	Rules       []rule          `json:"rules,omitempty"`
	// Modules are OPA's JSON syntax trees by file.
	Modules  map[string]json.RawMessage `json:"modules,omitempty"`
	Outcomes []trialOutcome             `json:"outcomes,omitempty"`
	// Plan is OPA's intermediate representation.
	Plan json.RawMessage `json:"plan,omitempty"`
	// Replies are the answers of `answers`, one for each input.
	Replies []reply `json:"replies,omitempty"`
	// Tree is the query as `explain` met it.
	Tree []*explainedExpression `json:"tree,omitempty"`
}

func main() {
	decoder := json.NewDecoder(os.Stdin)
	decoder.UseNumber()
	var req request
	var ans answer
	if err := decoder.Decode(&req); err != nil {
		ans = answer{Errors: []finding{{Code: "request_invalid", Message: err.Error()}}}
	} else {
		ans = run(&req)
	}
	if err := json.NewEncoder(os.Stdout).Encode(ans); err != nil {
		os.Exit(2)
	}
}

func run(req *request) answer {
	switch req.Command {
	case "check":
		return check(req)
	case "test":
		return test(req)
	case "build":
		return build(req)
	case "plan":
		return plan(req)
	case "answers":
		return answers(req)
	case "eval":
		return eval(req)
	case "fmt":
		return formatFiles(req)
	case "parse":
		return parseFiles(req)
	case "explain":
		return explain(req)
	case "compiled":
		return compiled(req)
	case "trial":
		return trial(req)
	}
	return answer{Errors: []finding{{Code: "request_invalid", Message: "unknown command " + req.Command}}}
}
