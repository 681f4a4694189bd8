package platform.tool.operator_test

import data.platform.tool.operator

bot := "spiffe://platform.local/agent/acme/buyer/main"

agents := {bot: {"tenant": "acme"}, "spiffe://platform.local/agent/umbrella/buyer/main": {"tenant": "umbrella"}}

tenants := {"acme": {"budgets": {"images": {"currency": "EUR", "limit": 5000}, "maps": {}, "fax": 7}}}

call(identity, service, spent) := {
	"action": "call",
	"identity": {"spiffe_id": identity},
	"resource": {"kind": "tool", "service": service},
	"counters": {"spend": {"tenant": spent}},
}

obliged(request) := found if {
	found := operator.oblige with input as request with data.agents as agents with data.tenants as tenants
}

asked(request) := found if {
	found := operator.require_approval with input as request with data.agents as agents with data.tenants as tenants
}

test_the_tenant_has_a_budget if {
	obliged(call(bot, "images", 100)) == {{"kind": "budget", "currency": "EUR", "limit": 5000, "per": "tenant"}}
	asked(call(bot, "images", 4000)) == set()
}

test_near_the_end_a_person_is_asked if {
	asked(call(bot, "images", 4001)) == {{"question": "The budget for this service is nearly spent. Buy it?"}}
}

test_what_nobody_counted_is_asked if {
	count(asked(object.remove(call(bot, "images", 1), {"counters"}))) == 1
}

test_a_budget_without_members_is_passed_on_for_the_platform_to_refuse if {
	obliged(call(bot, "maps", 1)) == {{"kind": "budget", "currency": null, "limit": null, "per": "tenant"}}
	count(asked(call(bot, "maps", 1))) == 1
}

test_only_calls_of_the_tenant_and_the_service if {
	obliged(call(bot, "wiki", 1)) == set()
	obliged(call("spiffe://platform.local/agent/umbrella/buyer/main", "images", 1)) == set()
	obliged(object.union(call(bot, "images", 1), {"action": "get"})) == set()
	asked(object.union(call(bot, "images", 4900), {"action": "get"})) == set()
}
