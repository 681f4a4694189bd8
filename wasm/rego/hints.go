package main

import "strings"

// replacements say what to use instead of a built-in whose answer does not follow from input and data alone,
// or that the engine of compiled policies (wasm/engine) does not have.
var replacements = map[string]string{
	"http.send":           "a policy reads only input and data; put the fact into the data bundle",
	"opa.runtime":         "a policy reads only input and data; put the fact into the data bundle",
	"net.lookup_ip_addr":  "a policy asks no name server; put the addresses into the data bundle",
	"rand.intn":           "a decision has no randomness; its ids are in input.context",
	"uuid.rfc4122":        "a decision has no randomness; its ids are in input.context",
	"time.now_ns":         "the time of the decision is input.context.time; time.parse_rfc3339_ns gives its nanoseconds",
	"rego.metadata.rule":  "put the value into the rule; `# METADATA` is for people and reports",
	"rego.metadata.chain": "put the value into the rule; `# METADATA` is for people and reports",
	"rego.parse_module":   "a policy decides on values, not on policies; check sources before they are built",
}

func replacement(name string) string {
	if text := replacements[name]; text != "" {
		return text
	}
	return "policies/capabilities.json lists the built-ins that there are"
}

// hint says what to do about the errors that people meet most.
func hint(code, message string) string {
	contains := func(part string) bool { return strings.Contains(message, part) }
	switch {
	case code == "rego_unsafe_var_error":
		return "give the variable a value first: `some x in ...`, or `x := ...`"
	case code == "rego_recursion_error":
		return "a rule may not depend on itself, not even through others"
	case contains("`if` keyword is required") || contains("`contains` keyword is required"):
		return "Rego v1: write `name if { ... }` for a rule with a body and `name contains x if { ... }` for a set"
	case code == "rego_parse_error":
		return "reading stopped here: look at this place, and for a bracket or quote that is still open before it"
	case contains("undefined ref: input."):
		return "the boundary's input.schema.json has no such member; see the members it lists"
	case contains("undefined ref: "):
		return "no rule has this name; check the package and the spelling"
	case contains("undefined function"):
		return "no built-in and no function of this package has this name"
	case contains("declared but not used") || (contains("assigned var") && contains("unused")):
		return "use the variable, or write _ instead"
	case contains("unused"):
		return "strict mode: remove it, or use it"
	case contains("match error"):
		return "the two sides can never be equal because their types differ"
	case contains("multiple default rules"):
		return "keep one `default`, also across the files of a package"
	case contains("unexpected else keyword"):
		return "`else` follows a rule that has a body: `rule := value if { ... } else := other if { ... }`"
	case contains("cannot be used for rule head"):
		return "move the expression into the body: `rule := x if { x := ... with ... }`"
	case contains("unexpected eof token"):
		return "a brace, bracket or quote is open"
	case contains("var cannot be used for rule name") || contains("unexpected identifier token"):
		return "a rule needs `:=`, `if` or `contains`"
	}
	return ""
}
