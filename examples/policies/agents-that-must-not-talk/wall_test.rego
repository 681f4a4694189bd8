package platform.message.operator_test

import data.platform.message.operator

tenants := {"acme": {"sides": {"bidder": "buy", "bid-analyst": "buy", "seller": "sell"}}, "umbrella": {}}

message(tenant, from, to) := {
	"action": "send",
	"identity": {"tenant": tenant, "agent": from, "role": "main"},
	"target": {"tenant": "acme", "agent": to, "role": "main"},
}

refused(request) if {
	some element in operator.deny with input as request with data.tenants as tenants
	element == {
		"code": "behind_the_wall",
		"message": "agents of one side talk to agents of their side only",
		"controls": ["NIST:AC-4", "NIST:AC-5"],
	}
}

test_within_a_side_they_talk if not refused(message("acme", "bidder", "bid-analyst"))

test_the_sides_do_not_talk if {
	refused(message("acme", "bidder", "seller"))
	refused(message("acme", "seller", "bidder"))
}

test_nobody_carries_words_around_the_wall if {
	refused(message("acme", "bidder", "press-desk"))
	refused(message("acme", "press-desk", "bidder"))
}

test_other_agents_talk if not refused(message("acme", "press-desk", "reception"))

test_the_same_name_of_another_tenant_is_another_agent if refused(message("umbrella", "bidder", "bid-analyst"))
