package platform.tool_test

import data.platform.tool

counted_as(agent_minute, tenant_minute, most) := answer if {
	value := with_member(
		call("github", "list_issues", "read"),
		"counters",
		{"agent_minute": agent_minute, "tenant_minute": tenant_minute},
	)
	answer := tool.decision with input as value with data.agents as agents with data.limits as most
}

test_counts_and_limits_are_numbers if {
	counted_as(1, 1, limits).allow
	every other in [null, false, true, "1", [], {}] {
		counted_as(other, 1, limits).rule == "platform.tool.agent_rate_exceeded"
		counted_as(1, other, limits).rule == "platform.tool.tenant_rate_exceeded"
		not counted_as(1, 1, object.union(limits, {"agent_minute": other})).allow
		not counted_as(1, 1, object.union(limits, {"tenant_minute": other})).allow
	}
}

with_grant(grant) := answer if {
	granted := {identity.spiffe_id: {"tenant": "acme", "agent": "bot", "role": "main", "resources": {"github": grant}}}
	answer := tool.decision with input as call("github", "list_issues", "read")
		with data.agents as granted
		with data.limits as limits
}

test_only_true_grants if {
	with_grant({"actions": {"read": true}}).allow
	with_grant({"actions": {"read": true}, "tools": {"list_issues": true}}).allow
	every other in [null, false, 1, "true", [], {}] {
		with_grant({"actions": {"read": other}}).rule == "platform.tool.action_not_granted"
		with_grant({"actions": {"read": true}, "tools": {"list_issues": other}}).rule == "platform.tool.tool_not_granted"
	}
}

test_tools_of_another_form_name_none if {
	every other in [null, false, true, 1, "list_issues", ["list_issues"], {}] {
		with_grant({"actions": {"read": true}, "tools": other}).rule == "platform.tool.tool_not_granted"
	}
}

test_a_grant_of_another_form_grants_nothing if {
	every other in [null, false, true, 1, "github", ["read"]] {
		not with_grant(other).allow
	}
}

approved_until(time, expires_at) := answer if {
	value := object.union(
		object.remove(call("github", "list_issues", "read"), {"approval"}),
		{"approval": {"verdict": "allow", "expires_at": expires_at}, "context": {"time": time}},
	)
	answer := tool.decision with input as value
		with data.agents as agents
		with data.limits as limits
		with data.platform.tool.operator.require_approval as {{"question": "Sure?"}}
}

test_an_approval_has_a_time_that_is_one if {
	approved_until("2026-01-01T00:00:00.000Z", "2026-01-01T00:05:00.000Z").allow
	every other in ["never", "z", {}, ["2027"], {"a": 1}, null, 9, true, ""] {
		approved_until("2026-01-01T00:00:00.000Z", other).rule == "platform.tool.approval_required"
	}
	every other in [null, 5, false] {
		approved_until(other, "2026-01-01T00:05:00.000Z").rule == "platform.tool.approval_required"
	}
}
