// Command cases prints OPA's own conformance cases as JSON, read with OPA's loader.
// Usage: cases FOLDER, where FOLDER is v1/test/cases/testdata/v1 of OPA's Go module.
//
// Data, input and expected results are JSON text inside the JSON, so that no reader loses a digit.
package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"sort"
	"strings"

	"github.com/open-policy-agent/opa/v1/ast"
	"github.com/open-policy-agent/opa/v1/test/cases"
)

// testCase is one case; `input` is marked as the engine's `parseMarked` takes it.
type testCase struct {
	File         string   `json:"file"`
	Note         string   `json:"note"`
	Query        string   `json:"query"`
	Modules      []string `json:"modules,omitempty"`
	Data         string   `json:"data,omitempty"`
	Input        string   `json:"input,omitempty"`
	Results      string   `json:"results,omitempty"`
	ErrorCode    string   `json:"errorCode,omitempty"`
	Error        string   `json:"error,omitempty"`
	SortBindings bool     `json:"sortBindings,omitempty"`
	IgnoreMade   bool     `json:"ignoreGeneratedVars,omitempty"`
	Strict       bool     `json:"strict,omitempty"`
}

func main() {
	if err := export(os.Args[1]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func export(folder string) error {
	loaded, err := cases.Load(folder)
	if err != nil {
		return err
	}
	out := make([]testCase, 0, len(loaded.Cases))
	for _, one := range loaded.Cases {
		made, err := convert(folder, one)
		if err != nil {
			return fmt.Errorf("%s: %s: %w", one.Filename, one.Note, err)
		}
		out = append(out, made)
	}
	sort.SliceStable(out, func(i, j int) bool { return out[i].File < out[j].File })
	encoder := json.NewEncoder(os.Stdout)
	encoder.SetEscapeHTML(false)
	return encoder.Encode(out)
}

func convert(folder string, one cases.TestCase) (testCase, error) {
	if one.WantDefined != nil || len(one.Env) > 0 || one.ExperimentalKeywords {
		return testCase{}, fmt.Errorf("uses a field that the runner does not know")
	}
	file, err := filepath.Rel(folder, one.Filename)
	if err != nil {
		return testCase{}, err
	}
	made := testCase{
		File: filepath.ToSlash(file), Note: one.Note, Query: one.Query, Modules: one.Modules,
		SortBindings: one.SortBindings, IgnoreMade: one.IgnoreGeneratedVars, Strict: one.StrictError,
	}
	if one.WantErrorCode != nil {
		made.ErrorCode = *one.WantErrorCode
	}
	if one.WantError != nil {
		made.Error = *one.WantError
	}
	if one.Data != nil {
		if made.Data, err = text(*one.Data); err != nil {
			return made, err
		}
	}
	if one.WantResult != nil {
		if made.Results, err = text(*one.WantResult); err != nil {
			return made, err
		}
	}
	made.Input, err = inputOf(one)
	return made, err
}

// inputOf is the input as marked JSON, empty where the case has none.
func inputOf(one cases.TestCase) (string, error) {
	var value ast.Value
	switch {
	case one.InputTerm != nil:
		term, err := ast.ParseTerm(*one.InputTerm)
		if err != nil {
			return "", err
		}
		value = term.Value
	case one.Input != nil:
		made, err := ast.InterfaceToValue(*one.Input)
		if err != nil {
			return "", err
		}
		value = made
	default:
		return "", nil
	}
	marked, err := mark(value)
	if err != nil {
		return "", err
	}
	return text(marked)
}

// mark keeps sets apart: {"$set": […]}; a key that begins with $ gets another one in front.
func mark(value ast.Value) (any, error) {
	var fails error
	marked := func(term *ast.Term) any {
		made, err := mark(term.Value)
		if err != nil {
			fails = err
		}
		return made
	}
	switch value := value.(type) {
	case *ast.Array:
		out := []any{}
		value.Foreach(func(term *ast.Term) { out = append(out, marked(term)) })
		return out, fails
	case ast.Set:
		out := []any{}
		value.Foreach(func(term *ast.Term) { out = append(out, marked(term)) })
		return map[string]any{"$set": out}, fails
	case ast.Object:
		out := map[string]any{}
		value.Foreach(func(key, member *ast.Term) {
			name, isString := key.Value.(ast.String)
			if !isString {
				fails = fmt.Errorf("the key %v is no string", key)
			}
			if strings.HasPrefix(string(name), "$") {
				name = "$" + name
			}
			out[string(name)] = marked(member)
		})
		return out, fails
	}
	return ast.JSON(value)
}

func text(value any) (string, error) {
	var buffer bytes.Buffer
	encoder := json.NewEncoder(&buffer)
	encoder.SetEscapeHTML(false)
	err := encoder.Encode(value)
	return strings.TrimSpace(buffer.String()), err
}
