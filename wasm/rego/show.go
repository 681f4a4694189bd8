package main

import (
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/open-policy-agent/opa/v1/ast"
)

const shownBytesMax = 240

// show writes a value as Rego, in at most about shownBytesMax bytes.
func show(value ast.Value) string {
	var out strings.Builder
	writeValue(&out, value)
	return cut(out.String(), shownBytesMax)
}

func writeValue(out *strings.Builder, value ast.Value) {
	if out.Len() > shownBytesMax {
		return
	}
	switch x := value.(type) {
	case ast.String:
		out.WriteString(strconv.Quote(cut(string(x), shownBytesMax)))
	case *ast.Array:
		writeMembers(out, "[", "]", x.Len(), func(yield func(ast.Value, ast.Value) bool) {
			x.Until(func(t *ast.Term) bool { return !yield(nil, t.Value) })
		})
	case ast.Set:
		if x.Len() == 0 {
			out.WriteString("set()")
			return
		}
		writeMembers(out, "{", "}", x.Len(), func(yield func(ast.Value, ast.Value) bool) {
			x.Until(func(t *ast.Term) bool { return !yield(nil, t.Value) })
		})
	case ast.Object:
		writeMembers(out, "{", "}", x.Len(), func(yield func(ast.Value, ast.Value) bool) {
			x.Until(func(k, v *ast.Term) bool { return !yield(k.Value, v.Value) })
		})
	default:
		out.WriteString(cut(value.String(), shownBytesMax))
	}
}

func writeMembers(
	out *strings.Builder, open, end string, count int, members func(func(k, v ast.Value) bool),
) {
	out.WriteString(open)
	written := 0
	members(func(k, v ast.Value) bool {
		if out.Len() > shownBytesMax*3/4 {
			fmt.Fprintf(out, " … %d more", count-written)
			return false
		}
		if written > 0 {
			out.WriteString(", ")
		}
		if k != nil {
			writeValue(out, k)
			out.WriteString(": ")
		}
		writeValue(out, v)
		written++
		return true
	})
	out.WriteString(end)
}

// cut shortens a text to at most limit bytes, between characters.
func cut(text string, limit int) string {
	if len(text) <= limit {
		return text
	}
	end := limit
	for end > 0 && !utf8.RuneStart(text[end]) {
		end--
	}
	return text[:end] + "…"
}
