// OPA's prepared query in Go, as a program that the benchmark asks for batches.
package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"strconv"
	"time"

	"github.com/open-policy-agent/opa/v1/rego"
	"github.com/open-policy-agent/opa/v1/storage/inmem"
)

// Usage: opa-bench POLICY DATA INPUTS. Each line of standard input is a number of decisions to make, and is
// answered with the nanoseconds they took; `answers` is answered with the decisions for all inputs.
func main() {
	ctx := context.Background()
	policy := string(read(os.Args[1]))
	var data map[string]any
	must(json.Unmarshal(read(os.Args[2]), &data))
	var inputs []any
	must(json.Unmarshal(read(os.Args[3]), &inputs))
	query, err := rego.New(
		rego.Query("data.bench.decision"),
		rego.Module("policy.rego", policy),
		rego.Store(inmem.NewFromObjectWithOpts(data, inmem.OptRoundTripOnWrite(false), inmem.OptReturnASTValuesOnRead(true))),
	).PrepareForEval(ctx)
	must(err)
	decide := func(number int) any {
		results, err := query.Eval(ctx, rego.EvalInput(inputs[number%len(inputs)]))
		must(err)
		return results[0].Expressions[0].Value
	}
	next := 0
	lines := bufio.NewScanner(os.Stdin)
	for lines.Scan() {
		if lines.Text() == "answers" {
			answers := make([]any, len(inputs))
			for number := range inputs {
				answers[number] = decide(number)
			}
			must(json.NewEncoder(os.Stdout).Encode(answers))
			continue
		}
		count, err := strconv.Atoi(lines.Text())
		must(err)
		started := time.Now()
		for range count {
			decide(next)
			next++
		}
		fmt.Println(time.Since(started).Nanoseconds())
	}
}

func read(path string) []byte {
	bytes, err := os.ReadFile(path)
	must(err)
	return bytes
}

func must(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
