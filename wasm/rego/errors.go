package main

import (
	"errors"
	"fmt"
	"sort"
	"strings"

	"github.com/open-policy-agent/opa/v1/ast"
	"github.com/open-policy-agent/opa/v1/topdown"
)

// finding is one error at one place. Row and column count from 1; column counts characters.
type finding struct {
	Code    string   `json:"code"`
	Message string   `json:"message"`
	File    string   `json:"file,omitempty"`
	Row     int      `json:"row,omitempty"`
	Column  int      `json:"column,omitempty"`
	Source  string   `json:"source,omitempty"`
	Details []string `json:"details,omitempty"`
	Hint    string   `json:"hint,omitempty"`
}

// findings turns any error of OPA's packages into places in the sources, in the order of the files.
func findings(err error, files []file) []finding {
	var list ast.Errors
	var one *ast.Error
	var evaluating *topdown.Error
	switch {
	case errors.As(err, &list):
	case errors.As(err, &one):
		list = ast.Errors{one}
	case errors.As(err, &evaluating):
		list = ast.Errors{{
			Code: evaluating.Code, Message: evaluating.Message, Location: evaluating.Location,
		}}
	default:
		return []finding{{Code: "rego_error", Message: err.Error()}}
	}
	out := make([]finding, 0, len(list))
	for _, e := range list {
		out = append(out, place(e, files))
	}
	sort.SliceStable(out, func(i, j int) bool {
		if out[i].File != out[j].File {
			return out[i].File < out[j].File
		}
		return out[i].Row < out[j].Row
	})
	return out
}

func place(e *ast.Error, files []file) finding {
	f := finding{Code: e.Code, Message: e.Message}
	if e.Details != nil {
		f.Details = e.Details.Lines()
	}
	if e.Location != nil {
		f.File, f.Row, f.Column = e.Location.File, e.Location.Row, e.Location.Col
		f.Source = line(files, f.File, f.Row)
	}
	if name, found := strings.CutPrefix(f.Message, "undefined function "); found {
		if _, known := ast.BuiltinMap[name]; known {
			f.Code = "builtin_not_portable"
			f.Message = fmt.Sprintf("the built-in %s is not one that policies may use", name)
			f.Hint = replacement(name)
			return f
		}
	}
	f.Hint = hint(e.Code, f.Message)
	return f
}

func line(files []file, path string, row int) string {
	for _, f := range files {
		if f.Path != path {
			continue
		}
		lines := strings.Split(f.Content, "\n")
		if row >= 1 && row <= len(lines) {
			return strings.TrimSuffix(lines[row-1], "\r")
		}
	}
	return ""
}
