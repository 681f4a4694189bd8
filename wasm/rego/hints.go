package main

import "strings"

// replacements say what to use instead of a built-in that does not run inside the module, or not as in OPA itself.
var replacements = map[string]string{
	"replace":                          "compare the text itself; replacing the empty string never ends inside the module",
	"strings.replace_n":                "compare the text itself",
	"to_number":                        "numbers arrive as numbers in input and data",
	"numbers.range":                    "iterate over the members that there are; a range has no bound",
	"format_int":                       "use a template string: $\"{n}\"",
	"indexof":                          "use contains, startswith or endswith",
	"json.marshal":                     "compare the value itself; its members have no order that every evaluator shares",
	"json.unmarshal":                   "arguments arrive parsed in input.arguments",
	"json.is_valid":                    "arguments arrive parsed in input.arguments",
	"base64.decode":                    "compare the encoded text with base64.encode of what is expected",
	"base64.is_valid":                  "tool schemas check formats before policies see them",
	"base64url.decode":                 "compare the encoded text with base64url.encode of what is expected",
	"glob.match":                       "use startswith, endswith or regex.match",
	"product":                          "multiply the numbers one by one",
	"floor":                            "compare with < and <= instead",
	"ceil":                             "compare with < and <= instead",
	"round":                            "compare with < and <= instead",
	"regex.find_all_string_submatch_n": "use regex.match",
	"sprintf":                          "use a template string: $\"... {x} ...\", or concat",
	"http.send":                        "a policy reads only input and data; put the fact into the data bundle",
	"opa.runtime":                      "a policy reads only input and data; put the fact into the data bundle",
	"rego.metadata.rule":               "put the value into the rule; `# METADATA` is for people and reports",
	"rego.metadata.chain":              "put the value into the rule; `# METADATA` is for people and reports",
	"trace":                            "use print, which is removed from the built module",
	"object.subset":                    "compare the members with `every key, value in small { big[key] == value }`",
	"json.patch":                       "use object.union and object.remove",
	"strings.any_prefix_match":         "use `some prefix in prefixes; startswith(x, prefix)`",
	"strings.any_suffix_match":         "use `some suffix in suffixes; endswith(x, suffix)`",
	"strings.count":                    "use count(split(x, part)) - 1",
	"glob.quote_meta":                  "compare with == or startswith where the value is no pattern",
	"units.parse":                      "write the number of units into the data bundle",
	"units.parse_bytes":                "write the number of bytes into the data bundle",
	"semver.compare":                   "write the versions as arrays of numbers into the data bundle and compare those",
	"graph.reachable_paths":            "use graph.reachable",
	"json.match_schema":                "arguments are validated by the arguments module before policies see them",
	"json.verify_schema":               "arguments are validated by the arguments module before policies see them",
	"io.jwt.decode":                    "identities arrive verified in input.identity",
	"io.jwt.decode_verify":             "identities arrive verified in input.identity",
	"uuid.rfc4122":                     "a decision has no randomness; its ids are in input.context",
	"rand.intn":                        "a decision has no randomness; its ids are in input.context",
	"base64url.encode_no_pad":          "use base64url.encode and trim_right(x, \"=\")",
}

// families answer for every built-in whose name starts with the key.
var families = map[string]string{
	"bits.":      "keep flags as members with true and false",
	"regex.":     "use regex.match",
	"numbers.":   "iterate over the members that there are; a range has no bound",
	"time.":      "the time of the decision is input.context.time (RFC 3339, UTC), which compares as a string",
	"crypto.":    "a policy compares digests that the platform computed; add the digest to the input or the data",
	"io.jwt.":    "identities arrive verified in input.identity",
	"net.":       "put the network into the data bundle under the name that the input has",
	"graphql.":   "arguments are validated by the arguments module before policies see them",
	"hex.":       "use base64, or keep the value in the form it is compared in",
	"urlquery":   "compare the parsed parts that are in input.arguments",
	"yaml.":      "data bundles are JSON",
	"rand.":      "a decision has no randomness; its ids are in input.context",
	"semver.":    "write the versions as arrays of numbers into the data bundle and compare those",
	"units.":     "write plain numbers into the data bundle",
	"providers.": "requests to providers are signed by the credential injector",
}

func replacement(name string) string {
	if text := replacements[name]; text != "" {
		return text
	}
	for prefix, text := range families {
		if strings.HasPrefix(name, prefix) {
			return text
		}
	}
	return "policies/capabilities.json lists the built-ins that run inside the module"
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
