package main

import (
	"strings"

	"github.com/open-policy-agent/opa/v1/ast"
	"github.com/open-policy-agent/opa/v1/topdown"
)

const (
	sameRuleMax = 4
	setShownMax = 5
)

// piece is a part of a condition that the compiler gave a variable of its own.
type piece struct {
	text  string
	value *ast.Term
}

// tracer is a topdown.QueryTracer that builds the tree of rules while the policy is evaluated.
type tracer struct {
	compiler *ast.Compiler
	notes    *ast.AnnotationSet
	places   *spots
	steps    *steps
	nodes    int
	frames   int
	root     *query
	queries  map[uint64]*query
	// seen are the rules evaluated so far, by the frame of `with` they ran in and by path.
	seen map[int]map[string][]*explainedRule
}

// query is one body being evaluated: of a rule, or of a comprehension, `not` or `every` inside one.
type query struct {
	rule  *explainedRule
	owner *explainedExpression
	every bool
	// muted bodies are evaluated and not shown.
	muted   bool
	frame   int
	shown   map[*spot]*explainedExpression
	list    *[]*explainedExpression
	pending *explainedExpression
	expr    *ast.Expr
	awaited *awaited
	// attach shows a function once its arguments matched.
	attach func()
}

// awaited is a reference whose value a following unification will tell.
type awaited struct {
	name  string
	other *ast.Term
}

func newTracer(compiler *ast.Compiler, places *spots) *tracer {
	t := &tracer{
		compiler: compiler,
		notes:    compiler.GetAnnotationSet(),
		places:   places,
		steps:    newSteps(explainStepsMax),
		queries:  map[uint64]*query{},
		seen:     map[int]map[string][]*explainedRule{},
	}
	t.root = &query{shown: map[*spot]*explainedExpression{}, list: &[]*explainedExpression{}}
	t.queries[0] = t.root
	t.list(t.root, places.byRule[""])
	return t
}

func (t *tracer) tree() []*explainedExpression { return *t.root.list }

// Enabled, Config and TraceEvent make tracer a topdown.QueryTracer.
func (t *tracer) Enabled() bool { return true }

func (t *tracer) Config() topdown.TraceConfig { return topdown.TraceConfig{} }

func (t *tracer) TraceEvent(event topdown.Event) {
	t.steps.TraceEvent(event)
	if event.Op == topdown.EnterOp && event.QueryID != 0 {
		t.enter(&event)
		return
	}
	q := t.queries[event.QueryID]
	if q == nil || q.muted {
		return
	}
	switch event.Op {
	case topdown.EvalOp:
		t.eval(q, &event)
	case topdown.UnifyOp:
		t.unify(q, &event)
	case topdown.FailOp:
		t.fail(q, &event)
	case topdown.ExitOp:
		t.exit(q, &event)
	case topdown.RedoOp:
		q.pending, q.expr, q.awaited = nil, nil, nil
	}
}

func (t *tracer) enter(event *topdown.Event) {
	parent := t.queries[event.ParentID]
	if parent == nil {
		parent = &query{muted: true}
	}
	q := &query{frame: parent.frame, muted: parent.muted, shown: map[*spot]*explainedExpression{}}
	if parent.expr != nil && len(parent.expr.With) > 0 {
		t.frames++
		q.frame = t.frames
	}
	t.queries[event.QueryID] = q
	owner := parent.pending
	if owner == nil {
		owner = parent.owner
	}
	if r, ok := event.Node.(*ast.Rule); ok {
		t.enterRule(q, parent, owner, r)
		return
	}
	q.owner = owner
	q.rule = parent.rule
	if owner == nil {
		q.muted = true
		return
	}
	_, every := event.Node.(*ast.Expr)
	q.every = every || (parent.every && owner == parent.owner)
	q.list = &owner.Inner
	for _, inner := range owner.Inner {
		q.shown[inner.place] = inner
	}
}

func (t *tracer) enterRule(q, parent *query, owner *explainedExpression, r *ast.Rule) {
	made := t.describe(r)
	q.rule = made
	q.list = &made.Expressions
	if owner == nil {
		q.muted = true
		return
	}
	same := 0
	kept := owner.Rules[:0]
	for _, other := range owner.Rules {
		if other.Repeated && other.Path == made.Path {
			continue
		}
		kept = append(kept, other)
		if other.File == made.File && other.Row == made.Row {
			if same++; same == sameRuleMax {
				other.Times++
			}
		}
	}
	owner.Rules = kept
	if t.nodes > explainNodesMax || same >= sameRuleMax {
		q.muted = true
		return
	}
	q.attach = func() {
		t.nodes++
		owner.Rules = append(owner.Rules, made)
		if t.seen[q.frame] == nil {
			t.seen[q.frame] = map[string][]*explainedRule{}
		}
		t.seen[q.frame][made.Path] = append(t.seen[q.frame][made.Path], made)
		t.list(q, t.places.inRule(r))
		q.attach = nil
	}
	if made.Kind != "function" {
		q.attach()
	}
}

func (t *tracer) describe(r *ast.Rule) *explainedRule {
	made := &explainedRule{Path: r.Ref().GroundPrefix().String(), Kind: "rule", Outcome: isUndefined, head: r.Head}
	made.Name = strings.TrimPrefix(made.Path, r.Module.Package.Path.String()+".")
	switch {
	case r.Default:
		made.Kind = "default"
	case len(r.Head.Args) > 0:
		made.Kind = "function"
	case strings.HasPrefix(string(r.Location.Text), "else"):
		made.Kind = "else"
	case r.Head.RuleKind() == ast.MultiValue:
		made.Kind = "set"
	}
	if r.Location != nil {
		made.File, made.Row = r.Location.File, r.Location.Row
	}
	notes := t.notes.GetRuleScope(r)
	if len(notes) > 0 {
		made.Title, made.Description = notes[0].Title, notes[0].Description
	} else if document := t.notes.GetDocumentScope(r.Ref().GroundPrefix()); document != nil {
		made.Title, made.Description = document.Title, document.Description
	}
	made.Title, made.Description = cut(made.Title, 200), cut(oneLine(made.Description), 400)
	return made
}

// list shows conditions before they are met, so that the ones never met are there too.
func (t *tracer) list(q *query, all []*spot) {
	for _, p := range all {
		t.condition(q, p)
	}
}

func (t *tracer) condition(q *query, p *spot) *explainedExpression {
	if made := q.shown[p]; made != nil {
		return made
	}
	t.nodes++
	made := &explainedExpression{
		Text: p.text, File: p.file, Row: p.row, Outcome: isUnreached, place: p,
	}
	q.shown[p] = made
	*q.list = append(*q.list, made)
	return made
}
