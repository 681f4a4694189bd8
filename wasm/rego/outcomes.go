package main

import (
	"github.com/open-policy-agent/opa/v1/ast"
	"github.com/open-policy-agent/opa/v1/topdown"
)

// at finds the condition that an expression of the query is a piece of. It is nil inside a
// comprehension, whose conditions choose elements and say nothing of the condition around them.
func (t *tracer) at(q *query, expr *ast.Expr) *explainedExpression {
	p := t.places.of(expr.Location)
	if p == nil {
		return nil
	}
	if made := q.shown[p]; made != nil {
		return made
	}
	switch {
	case q.owner == nil:
		return nil
	case p == q.owner.place:
		return q.owner
	case q.every && t.nodes < explainNodesMax:
		return t.condition(q, p)
	}
	return nil
}

func (t *tracer) eval(q *query, event *topdown.Event) {
	expr, ok := event.Node.(*ast.Expr)
	if !ok {
		return
	}
	if q.attach != nil {
		q.attach()
	}
	made := t.at(q, expr)
	if q.expr != nil && expr.Index > q.expr.Index && q.pending != made {
		t.passed(q, event)
	}
	q.pending, q.expr, q.awaited = made, expr, nil
	if q.rule != nil && q.rule.Kind == "function" && q.rule.Values == nil && q.owner == nil {
		t.arguments(q, event)
	}
	if made == nil {
		q.pending = q.owner
		if q.owner != nil {
			t.repeated(q, q.owner, expr)
		}
		return
	}
	if made.whole(expr) && made != q.owner {
		made.Times++
	}
	if made.Outcome == isUnreached {
		made.Outcome = isUndefined
	}
	t.watch(q, made, expr, event)
	t.repeated(q, made, expr)
	t.plug(made, event)
}

// whole is true of the compiled expression that stands for all of the condition.
func (e *explainedExpression) whole(expr *ast.Expr) bool {
	return len(expr.Location.Text) == e.place.end-e.place.start
}

// passed notes that evaluation went on behind the pending condition.
func (t *tracer) passed(q *query, event *topdown.Event) {
	if q.pending == nil {
		return
	}
	t.plug(q.pending, event)
	if q.pending != q.owner && q.pending.whole(q.expr) {
		q.pending.Outcome = isTrue
	}
}

func (t *tracer) fail(q *query, event *topdown.Event) {
	expr, ok := event.Node.(*ast.Expr)
	if !ok {
		return
	}
	made := t.at(q, expr)
	if made == nil {
		q.pending, q.expr, q.awaited = nil, nil, nil
		return
	}
	t.plug(made, event)
	missing := missingPart(q, made, expr)
	if missing != "" {
		if _, known := made.Values[missing]; !known {
			made.set(missing, isUndefined)
		}
	}
	if made != q.owner && (made.Outcome != isTrue || q.every) {
		made.Outcome = isFalse
		if missing != "" || (justReference(expr) && made.Values[made.Text] != isFalse) {
			made.Outcome = isUndefined
		}
	}
	q.pending, q.expr, q.awaited = nil, nil, nil
}

// missingPart names the part of the condition that had no value, or is empty.
func missingPart(q *query, made *explainedExpression, expr *ast.Expr) string {
	switch {
	case expr.Negated:
		return ""
	case q.awaited != nil:
		return q.awaited.name
	case !made.whole(expr):
		return cut(oneLine(string(expr.Location.Text)), 120)
	}
	return ""
}

// justReference is true of a condition such as `agent` or `input.x`, that fails when it is missing.
func justReference(expr *ast.Expr) bool {
	term, ok := expr.Terms.(*ast.Term)
	if !ok || expr.Negated {
		return false
	}
	_, reference := term.Value.(ast.Ref)
	return reference
}

func (t *tracer) exit(q *query, event *topdown.Event) {
	t.passed(q, event)
	r, ok := event.Node.(*ast.Rule)
	if !ok || q.rule == nil {
		return
	}
	for _, condition := range q.rule.Expressions {
		if condition.place.head {
			condition.Outcome = isTrue
		}
	}
	if q.rule.Kind == "set" {
		q.rule.Outcome = isTrue
		if q.rule.Times++; q.rule.Times <= setShownMax {
			separator := ""
			if q.rule.Value != "" {
				separator = ", "
			}
			q.rule.Value += separator + shown(event.Plug(r.Head.Key))
		}
		return
	}
	if r.Head.Value == nil {
		return
	}
	value := event.Plug(r.Head.Value)
	q.rule.Value = shown(value)
	q.rule.Outcome = isTrue
	if value.Value.Compare(ast.Boolean(false)) == 0 {
		q.rule.Outcome = isFalse
	}
}
