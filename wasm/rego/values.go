package main

import (
	"strings"

	"github.com/open-policy-agent/opa/v1/ast"
	"github.com/open-policy-agent/opa/v1/topdown"
)

const valuesMax = 12

func shown(term *ast.Term) string {
	if term == nil {
		return isUndefined
	}
	return show(term.Value)
}

func (e *explainedExpression) set(name, value string) {
	if e.Values == nil {
		e.Values = map[string]string{}
	}
	if _, known := e.Values[name]; known || len(e.Values) < valuesMax {
		e.Values[name] = value
	}
}

// watch notes which variables will hold the values of a condition's parts.
func (t *tracer) watch(
	q *query, made *explainedExpression, expr *ast.Expr, event *topdown.Event,
) {
	if variable := assigned(expr); variable != nil && !made.whole(expr) {
		made.watch(piece{text: oneLine(string(expr.Location.Text)), value: variable})
	}
	ast.WalkTerms(expr, func(term *ast.Term) bool {
		v, ok := term.Value.(ast.Var)
		if !ok {
			return closes(term)
		}
		if name, named := t.compiler.RewrittenVars[v]; named && !name.IsWildcard() &&
			!strings.HasPrefix(string(name), ast.LocalVarPrefix) {
			made.watch(piece{text: string(name), value: term})
		}
		return false
	})
	reference, other := operands(expr)
	if reference == nil || len(expr.With) > 0 {
		return
	}
	name := cut(oneLine(string(reference.Location.Text)), 120)
	ref, isRef := event.Plug(reference).Value.(ast.Ref)
	switch {
	case !isRef:
	case !ref.IsGround():
	case ref[0].Equal(ast.InputRootDocument):
		made.set(name, memberValue(event.Input(), ref))
	case !ref[0].Equal(ast.DefaultRootDocument):
		head := reference.Value.(ast.Ref)[0]
		made.set(name, memberValue(event.Plug(head), ref))
	default:
		q.awaited = &awaited{name: name, other: other}
	}
}

func (e *explainedExpression) watch(added piece) {
	for i, known := range e.pieces {
		if known.text == added.text {
			e.pieces[i] = added
			return
		}
	}
	if len(e.pieces) < valuesMax {
		e.pieces = append(e.pieces, added)
	}
}

// plug reads the values that the watched variables have by now.
func (t *tracer) plug(made *explainedExpression, event *topdown.Event) {
	for _, p := range made.pieces {
		if value := event.Plug(p.value); value != nil && ground(value) {
			made.set(cut(p.text, 120), show(value.Value))
		}
	}
}

func ground(term *ast.Term) bool {
	switch term.Value.(type) {
	case ast.Var, ast.Ref, ast.Call:
		return false
	}
	return term.IsGround()
}

// assigned is the variable that a generated expression gives a value to, or nil.
func assigned(expr *ast.Expr) *ast.Term {
	terms, ok := expr.Terms.([]*ast.Term)
	if !ok || len(terms) < 2 {
		return nil
	}
	target := terms[len(terms)-1]
	if expr.IsEquality() {
		if ast.IsConstant(target.Value) {
			return nil
		}
		target = terms[1]
	}
	if _, variable := target.Value.(ast.Var); !variable || !expr.Generated {
		return nil
	}
	return target
}

// operands are a reference that the expression tests and what it is to equal (nil: to be true).
func operands(expr *ast.Expr) (*ast.Term, *ast.Term) {
	if term, ok := expr.Terms.(*ast.Term); ok {
		if isReference(term) {
			return term, nil
		}
		return nil, nil
	}
	if !expr.IsEquality() || expr.Generated {
		return nil, nil
	}
	a, b := expr.Operand(0), expr.Operand(1)
	if isReference(a) {
		return a, b
	}
	if isReference(b) {
		return b, a
	}
	return nil, nil
}

func isReference(term *ast.Term) bool {
	ref, ok := term.Value.(ast.Ref)
	return ok && len(ref) > 1 && term.Location != nil
}

func closes(term *ast.Term) bool {
	switch term.Value.(type) {
	case *ast.ArrayComprehension, *ast.SetComprehension, *ast.ObjectComprehension:
		return true
	}
	return false
}

// memberValue is the value of a reference into the input or into a variable's value.
func memberValue(document *ast.Term, ref ast.Ref) string {
	if document == nil {
		return isUndefined
	}
	value, err := document.Value.Find(ref[1:])
	if err != nil {
		return isUndefined
	}
	return show(value)
}

// unify takes the value of the awaited reference from the side opposite to what it is to equal.
func (t *tracer) unify(q *query, event *topdown.Event) {
	if q.awaited == nil || q.pending == nil {
		return
	}
	expr := event.Node.(*ast.Expr)
	a, b := expr.Operand(0), expr.Operand(1)
	if isReference(a) || isReference(b) {
		return
	}
	value := a
	if q.awaited.other == nil {
		if _, open := a.Value.(ast.Var); open {
			value = b
		}
	} else if other := event.Plug(q.awaited.other); a.Equal(other) {
		value = b
	}
	if !ground(value) {
		return
	}
	q.pending.set(q.awaited.name, show(value.Value))
	q.awaited = nil
}

// arguments shows what a function was called with, once its patterns matched.
func (t *tracer) arguments(q *query, event *topdown.Event) {
	q.rule.Values = map[string]string{}
	for _, argument := range t.argumentsOf(q.rule) {
		if value := event.Plug(argument.value); ground(value) {
			q.rule.Values[argument.text] = show(value.Value)
		}
	}
}

func (t *tracer) argumentsOf(made *explainedRule) []piece {
	found := []piece{}
	for _, argument := range made.head.Args {
		if v, ok := argument.Value.(ast.Var); ok {
			if name, named := t.compiler.RewrittenVars[v]; named && !name.IsWildcard() {
				found = append(found, piece{text: string(name), value: argument})
			}
		}
	}
	return found
}

// repeated points at rules whose result was kept from an earlier evaluation.
func (t *tracer) repeated(q *query, made *explainedExpression, expr *ast.Expr) {
	known := t.seen[q.frame]
	ast.WalkRefs(expr, func(ref ast.Ref) bool {
		if !ref[0].Equal(ast.DefaultRootDocument) {
			return false
		}
		for end := 2; end <= len(ref); end++ {
			path := ref[:end].String()
			rules := known[path]
			if len(rules) == 0 || made.calls(path) {
				continue
			}
			for _, rule := range rules {
				if rule.Repeated || rule.Kind == "function" || rule.Outcome == isUndefined && len(rules) > 1 {
					continue
				}
				stub := *rule
				stub.Repeated, stub.Expressions = true, nil
				made.Rules = append(made.Rules, &stub)
				t.nodes++
			}
		}
		return false
	})
}

func (e *explainedExpression) calls(path string) bool {
	for _, rule := range e.Rules {
		if rule.Path == path {
			return true
		}
	}
	return false
}
