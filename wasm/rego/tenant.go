package main

import (
	"strings"

	"github.com/open-policy-agent/opa/v1/ast"
)

// contributions are the sets that the platform's rules take from operators and tenants.
var contributions = map[string]bool{"deny": true, "require_approval": true, "oblige": true}

// reserved are names that mean something in the platform's packages and nothing in a tenant's.
var reserved = map[string]bool{
	"allow": true, "decision": true, "default": true, "grants": true, "obligations": true, "reasons": true,
}

// callersEntry says by which part of the input a tenant's policy may look up its agent's entry. Where the
// input names identities of several tenants, or none of an agent, there is no such part.
func callersEntry(boundary string) ast.Ref {
	switch boundary {
	case "message", "deploy":
		return nil
	case "exchange":
		return ast.InputRootRef.Append(ast.StringTerm("spiffe_id"))
	}
	return ast.InputRootRef.Append(ast.StringTerm("identity")).Append(ast.StringTerm("spiffe_id"))
}

// confineTenant holds one source of a tenant to its own package, where sets can only narrow, and to
// what it may read: the input, its own rules, the caller's entry and its own data.
func confineTenant(req *request, f file, module *ast.Module, boundaries map[string]bool) []finding {
	var fails []finding
	report := func(location *ast.Location, code, message, hint string) {
		fails = append(fails, at(req, location, finding{Code: code, Message: message, Hint: hint}))
	}
	boundary, tenant := tenantPackage(module.Package.Path)
	own := tenant == f.Tenant || (isTest(f.Path) && tenant == f.Tenant+"_test")
	if boundary == "" || !own {
		report(module.Package.Location, "tenant_package_required",
			"a file of the tenant "+f.Tenant+" must be in a package platform.<boundary>.tenant."+f.Tenant,
			"write `package platform.tool.tenant[\""+f.Tenant+"\"]`; the brackets are for names that are no identifiers")
		return fails
	}
	if isTest(f.Path) {
		return fails
	}
	if !boundaries[boundary] {
		report(module.Package.Location, "tenant_boundary_unknown",
			"no policy decides at a boundary "+boundary, "the folders of policies/ are the boundaries")
	}
	for _, imported := range module.Imports {
		head := imported.Path.Value.(ast.Ref)[0]
		if !head.Equal(ast.VarTerm("rego")) && !head.Equal(ast.VarTerm("future")) {
			report(imported.Location, "tenant_import_forbidden", "a tenant's file imports nothing",
				"the rules of a package see each other, and `input` is there without an import")
		}
	}
	for _, r := range module.Rules {
		name := strings.Trim(r.Head.Ref()[0].Value.String(), `"`)
		switch {
		case contributions[name] && (r.Head.RuleKind() != ast.MultiValue || len(r.Head.Ref()) != 1 || r.Default):
			report(r.Location, "tenant_contribution_invalid", name+" of a tenant's package must be a set",
				"write `"+name+" contains {...} if { ... }`")
		case reserved[name]:
			report(r.Location, "tenant_rule_reserved", "a tenant's package cannot say "+name,
				"it contributes to `deny`, `require_approval` and `oblige`, which narrow; give a helper another name")
		}
		confineReads(r, module.Package.Path, report)
	}
	return fails
}

// confineReads reports each look at data that is not the tenant's, and each `with`, which could make
// the caller's entry another one.
func confineReads(r *ast.Rule, own ast.Ref, report func(*ast.Location, string, string, string)) {
	place := r.Location
	boundary, tenant := tenantPackage(own)
	allowed := "its own package and data.tenants[\"" + tenant + "\"]"
	if entry := callersEntry(boundary); entry != nil {
		allowed = "its own package, data.agents[" + entry.String() + "] and data.tenants[\"" + tenant + "\"]"
	}
	foreign := func() {
		report(place, "tenant_reference_forbidden", "a tenant's policy may not read this of `data`",
			"it may read input, "+allowed)
	}
	var visitor *ast.GenericVisitor
	visitor = ast.NewGenericVisitor(func(x any) bool {
		switch x := x.(type) {
		case *ast.Expr:
			if x.Location != nil {
				place = x.Location
			}
			if len(x.With) > 0 {
				report(place, "tenant_with_forbidden", "a tenant's policy may not replace input or data",
					"`with` is for tests, in a file that ends in _test.rego")
			}
		case *ast.SomeDecl, *ast.Every:
			if declaresInput(x) {
				report(place, "tenant_input_shadowed", "`input` may not be a variable",
					"give the variable another name; the caller's entry is looked up by the real input")
			}
		case *ast.Head:
			for _, part := range x.Reference {
				if _, name := part.Value.(ast.Var); !name {
					visitor.Walk(part)
				}
			}
		case ast.Ref:
			if !x[0].Equal(ast.DefaultRootDocument) {
				return false
			}
			if !readable(x, own, boundary, tenant) {
				foreign()
			}
			for _, part := range x[1:] {
				visitor.Walk(part)
			}
			return true
		case ast.Var:
			if x.Equal(ast.DefaultRootDocument.Value) {
				foreign()
			}
		}
		return false
	})
	visitor.Walk(r)
}

// declaresInput says whether `some` or `every` names a variable `input`, which OPA itself lets pass.
func declaresInput(node any) bool {
	var declared []*ast.Term
	switch node := node.(type) {
	case *ast.Every:
		declared = []*ast.Term{node.Key, node.Value}
	case *ast.SomeDecl:
		for _, symbol := range node.Symbols {
			if call, in := symbol.Value.(ast.Call); in {
				declared = append(declared, call[1:len(call)-1]...)
			} else {
				declared = append(declared, symbol)
			}
		}
	}
	found := false
	visitor := ast.NewGenericVisitor(func(x any) bool {
		name, isVar := x.(ast.Var)
		found = found || (isVar && name.Equal(ast.InputRootDocument.Value))
		return found
	})
	for _, term := range declared {
		if term != nil {
			visitor.Walk(term)
		}
	}
	return found
}

// readable says whether a reference that begins with `data` stays within what the tenant may read.
func readable(ref, own ast.Ref, boundary, tenant string) bool {
	if ref.HasPrefix(own) {
		return true
	}
	if len(ref) < 3 {
		return false
	}
	switch {
	case ref[1].Equal(ast.StringTerm("agents")):
		entry := callersEntry(boundary)
		return entry != nil && ref[2].Equal(ast.NewTerm(entry))
	case ref[1].Equal(ast.StringTerm("tenants")):
		return ref[2].Equal(ast.StringTerm(tenant))
	}
	return false
}

// tenantPackage recognizes data.platform.<boundary>.tenant.<tenant>, and nothing below it.
func tenantPackage(path ast.Ref) (boundary, tenant string) {
	if len(path) != 5 || !path.HasPrefix(platformRef) || !path[3].Equal(ast.StringTerm("tenant")) {
		return "", ""
	}
	return text(path[2]), text(path[4])
}

var platformRef = ast.DefaultRootRef.Append(ast.StringTerm("platform"))

func text(term *ast.Term) string {
	value, _ := term.Value.(ast.String)
	return string(value)
}

// boundariesOf lists the boundaries that the platform's own sources decide at.
func boundariesOf(req *request, modules map[string]*ast.Module) map[string]bool {
	out := map[string]bool{}
	for _, f := range req.Files {
		path := modules[f.Path].Package.Path
		if f.Tenant == "" && !f.Operator && len(path) == 3 && path.HasPrefix(platformRef) {
			out[text(path[2])] = true
		}
	}
	return out
}
