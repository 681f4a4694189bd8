package main

import (
	"fmt"
	"strings"

	"github.com/open-policy-agent/opa/v1/ast"
)

// spot is one condition as its author wrote it. The compiler takes conditions apart; the offsets
// say which of its pieces belong to which condition.
type spot struct {
	file  string
	start int
	end   int
	row   int
	text  string
	// head marks what a rule gives, which no condition stands before.
	head bool
}

// spots finds the condition that a piece belongs to, and the conditions of each rule in order.
type spots struct {
	byFile map[string][]*spot
	byRule map[string][]*spot
}

func newSpots(modules map[string]*ast.Module, query ast.Body) *spots {
	p := &spots{byFile: map[string][]*spot{}, byRule: map[string][]*spot{}}
	for _, module := range modules {
		for _, r := range module.Rules {
			p.addRule(r)
		}
	}
	p.byRule[""] = p.addBody(query)
	return p
}

// of is the innermost condition around a piece of the compiled policy, or nil.
func (p *spots) of(location *ast.Location) *spot {
	if location == nil {
		return nil
	}
	var found *spot
	for _, candidate := range p.byFile[location.File] {
		inside := candidate.start <= location.Offset &&
			location.Offset+len(location.Text) <= candidate.end
		if inside && (found == nil || candidate.end-candidate.start < found.end-found.start) {
			found = candidate
		}
	}
	return found
}

func (p *spots) inRule(r *ast.Rule) []*spot { return p.byRule[ruleKey(r.Location)] }

func ruleKey(location *ast.Location) string {
	if location == nil {
		return ""
	}
	return fmt.Sprintf("%s@%d", location.File, location.Offset)
}

func (p *spots) addRule(r *ast.Rule) {
	if r.Default {
		return
	}
	own := p.addBody(r.Body)
	for _, term := range []*ast.Term{r.Head.Key, r.Head.Value} {
		if term != nil && computed(term) {
			given := p.add(term.Location)
			given.head = true
			own = append(own, given)
		}
	}
	p.byRule[ruleKey(r.Location)] = own
	if r.Else != nil {
		p.addRule(r.Else)
	}
	// Conditions within comprehensions, `every` and `not` bodies.
	ast.WalkTerms(r.Head, p.addNested)
}

func (p *spots) addBody(body ast.Body) []*spot {
	own := []*spot{}
	for _, expr := range body {
		if expr.Location == nil || declaresOnly(expr) || expr.Generated {
			continue
		}
		own = append(own, p.add(expr.Location))
		if every, ok := expr.Terms.(*ast.Every); ok {
			p.addBody(every.Body)
		}
		if not, ok := expr.Terms.(*ast.Not); ok {
			p.addBody(not.Body)
		}
		ast.WalkTerms(expr, p.addNested)
	}
	return own
}

func (p *spots) addNested(term *ast.Term) bool {
	switch x := term.Value.(type) {
	case *ast.ArrayComprehension:
		p.addBody(x.Body)
	case *ast.SetComprehension:
		p.addBody(x.Body)
	case *ast.ObjectComprehension:
		p.addBody(x.Body)
	}
	return false
}

func (p *spots) add(location *ast.Location) *spot {
	added := &spot{
		file:  location.File,
		start: location.Offset,
		end:   location.Offset + len(location.Text),
		row:   location.Row,
		text:  oneLine(string(location.Text)),
	}
	p.byFile[location.File] = append(p.byFile[location.File], added)
	return added
}

// declaresOnly is true of `some x`, which the compiler removes.
func declaresOnly(expr *ast.Expr) bool {
	declared, ok := expr.Terms.(*ast.SomeDecl)
	if !ok {
		return false
	}
	for _, symbol := range declared.Symbols {
		if _, call := symbol.Value.(ast.Call); call {
			return false
		}
	}
	return true
}

// computed is true of a value that depends on more than itself.
func computed(term *ast.Term) bool {
	found := false
	ast.WalkTerms(term, func(t *ast.Term) bool {
		switch t.Value.(type) {
		case ast.Call, ast.Ref, *ast.ArrayComprehension, *ast.SetComprehension,
			*ast.ObjectComprehension, *ast.TemplateString:
			found = true
		}
		return found
	})
	return found
}

// oneLine joins the lines of a condition; it is shown in a list.
func oneLine(text string) string {
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		lines[i] = strings.TrimSpace(line)
	}
	return cut(strings.Join(lines, " "), 400)
}
