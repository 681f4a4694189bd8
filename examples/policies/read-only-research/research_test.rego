package platform.tool.operator_test

import data.platform.tool.operator

researcher := "spiffe://platform.local/agent/acme/analyst/research"

agents := {
	researcher: {"role": "research"},
	"spiffe://platform.local/agent/acme/analyst/main": {"role": "main"},
}

tools := {"hr_salaries": {"confidential": true}, "web_search": {"external": true}}

call(identity, tool, action, provenance) := {
	"action": "call",
	"identity": {"spiffe_id": identity},
	"resource": {"kind": "tool", "name": tool, "action": action},
	"provenance": provenance,
}

codes(request) := {element.code |
	some element in operator.deny with input as request with data.agents as agents with data.tools as tools
}

from(tool) := {"/query": [{"source": "tool", "tool": tool, "path": "/0", "match": "inside"}]}

test_research_reads if codes(call(researcher, "wiki_read", "read", {})) == set()

test_research_changes_nothing if {
	codes(call(researcher, "wiki_edit", "write", {})) == {"research_is_read_only"}
	codes(object.remove(call(researcher, "wiki_edit", "write", {}), {"resource"})) == {"research_is_read_only"}
}

test_other_roles_write if {
	codes(call("spiffe://platform.local/agent/acme/analyst/main", "wiki_edit", "write", {})) == set()
}

test_only_calls_are_judged if {
	codes(object.union(call(researcher, "wiki_edit", "write", {}), {"action": "get"})) == set()
}

test_confidential_words_do_not_leave if {
	codes(call(researcher, "web_search", "read", from("hr_salaries"))) == {"confidential_leaves"}
	codes(call(researcher, "web_search", "read", from("wiki_read"))) == set()
	codes(call(researcher, "wiki_read", "read", from("hr_salaries"))) == set()
}

test_words_of_unknown_origin_do_not_leave if {
	codes(call(researcher, "web_search", "read", {"/query": [{"source": "unknown"}]})) == {"confidential_leaves"}
	codes(call(researcher, "web_search", "read", {"/query": [{"source": "prompt", "tool": "hr_salaries"}]})) == set()
}

test_everything_that_is_refused_names_its_controls if {
	operator.deny == {
		{
			"code": "research_is_read_only",
			"message": "a research process may only read",
			"controls": ["NIST:AC-6", "SOC2:CC6.3"],
		},
		{
			"code": "confidential_leaves",
			"message": "an argument of an external tool comes from a confidential one",
			"controls": ["NIST:AC-4", "SOC2:CC6.7"],
		},
	} with input as call(researcher, "web_search", "write", from("hr_salaries"))
		with data.agents as agents
		with data.tools as tools
}
