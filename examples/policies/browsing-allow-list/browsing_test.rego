package platform.browse.operator_test

import data.platform.browse.operator

bot := "spiffe://platform.local/agent/acme/clerk/main"

at(host, actions) := {
	"action": "browse",
	"identity": {"spiffe_id": bot},
	"resource": {"kind": "url", "host": host},
	"actions": actions,
}

denied(request) := found if {
	found := operator.deny with input as request
		with data.agents as {bot: {"tenant": "acme"}}
		with data.tenants as {"acme": {"own_hosts": {"crm.acme.example": true, "old.acme.example": false}}}
}

refusal := {{
	"code": "only_looking",
	"message": "at this host the agent may only look",
	"controls": ["NIST:AC-4", "SOC2:CC6.7"],
}}

test_looking_is_free if {
	denied(at("docs.example.org", ["extract_text", "screenshot", "scroll", "wait"])) == set()
	denied(at("docs.example.org", [])) == set()
}

test_typing_is_for_own_hosts if {
	every action in ["type", "fill", "click", "navigate", "unheard_of"] {
		denied(at("docs.example.org", ["wait", action])) == refusal
		denied(at("crm.acme.example", ["wait", action])) == set()
	}
}

test_a_host_that_only_looks_like_an_own_one_is_not if {
	every host in ["crm.acme.example.evil.example", "acme.example", "xcrm.acme.example", "old.acme.example"] {
		denied(at(host, ["type"])) == refusal
	}
}

test_another_tenants_host_is_not if {
	denied(object.union(at("crm.acme.example", ["type"]), {"identity": {"spiffe_id": "spiffe://x"}})) == refusal
}
