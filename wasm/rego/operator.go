package main

import (
	"strings"

	"github.com/open-policy-agent/opa/v1/ast"
)

// confine holds operators' and tenants' sources to the packages that can only narrow what the platform's own
// rules allow, and every contribution there to the form that the platform's rules count.
func confine(req *request, modules map[string]*ast.Module) []finding {
	var fails []finding
	boundaries := boundariesOf(req, modules)
	for _, f := range req.Files {
		module := modules[f.Path]
		if f.Tenant != "" {
			fails = append(fails, confineTenant(req, f, module, boundaries)...)
			continue
		}
		boundary, operator := operatorBoundary(module.Package.Path)
		if f.Operator && !operator && !isTest(f.Path) {
			fails = append(fails, at(req, module.Package.Location, finding{
				Code:    "operator_package_required",
				Message: "an operator's file must be in a package platform.<boundary>.operator",
				Hint:    "such a package contributes to `deny`, `require_approval` and `oblige`; it cannot allow",
			}))
		}
		if !operator || isTest(f.Path) {
			continue
		}
		for _, r := range module.Rules {
			name := r.Head.Ref()[0].Value.String()
			if contributions[name] && r.Head.RuleKind() != ast.MultiValue {
				fails = append(fails, at(req, r.Location, finding{
					Code:    "operator_contribution_invalid",
					Message: name + " of platform." + boundary + ".operator must be a set",
					Hint:    "write `" + name + " contains {...} if { ... }`",
				}))
			}
		}
	}
	return fails
}

// operatorBoundary recognizes data.platform.<boundary>.operator and what is below it.
func operatorBoundary(path ast.Ref) (string, bool) {
	parts := strings.Split(path.String(), ".")
	if len(parts) < 4 || parts[1] != "platform" || parts[3] != "operator" {
		return "", false
	}
	return parts[2], true
}

func at(req *request, location *ast.Location, f finding) finding {
	if location != nil {
		f.File, f.Row, f.Column = location.File, location.Row, location.Col
		f.Source = line(req.Files, f.File, f.Row)
	}
	return f
}
