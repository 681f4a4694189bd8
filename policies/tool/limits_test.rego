package platform.tool_test

import data.platform.tool

counters := {
	"agent_minute": 1,
	"tenant_minute": 1,
	"calls": {
		"agent": {"minute": 3, "hour": 30, "day": 300},
		"tenant": {"minute": 4, "hour": 40, "day": 400},
	},
	"spend": {"agent": 500, "tenant": 900},
}

limited_call := with_member(
	with_member(call("github", "get_repo", "read"), "counters", counters), "resource",
	object.union(
		call("github", "get_repo", "read").resource,
		{"cost": {"currency": "EUR", "minor": 250}},
	),
)

limited(value, of_grant) := answer if {
	answer := tool.decision with input as value
		with data.limits as limits
		with data.agents as {identity.spiffe_id: {"resources": {"github": {
			"actions": {"read": true},
			"limits": of_grant,
		}}}}
}

invalid := refusal("limits_invalid", "a limit that applies to this call is malformed", ["NIST:AC-3"])

rate_exceeded := refusal("rate_exceeded", "the limit of calls of this service is reached", ["NIST:SC-5"])

budget_exceeded := refusal(
	"budget_exceeded",
	"the budget for this service is spent, or the cost of this call is not known",
	["NIST:SC-6"],
)

granted_with(obligations) := {
	"allow": true,
	"controls": ["NIST:AC-3", "SOC2:CC6.1"],
	"obligations": obligations,
	"reasons": [{"code": "granted", "message": "the agent's grants cover this call"}],
	"rule": "platform.tool.granted",
}

test_limits_of_a_grant_are_obligations if {
	limited(limited_call, {
		"max_bytes": 1000,
		"redact": ["/email"],
		"rate": {"limit": 3, "window_seconds": 60},
		"budget": {"currency": "EUR", "limit": 900, "per": "tenant"},
	}) == granted_with([
		{"bytes": 1000, "kind": "max_bytes"},
		{"currency": "EUR", "kind": "budget", "limit": 900, "per": "tenant"},
		{"kind": "rate", "limit": 3, "per": "agent", "window_seconds": 60},
		{"kind": "redact", "paths": ["/email"]},
	])
	limited(limited_call, {}) == granted_with([])
}

test_rate_of_a_grant if {
	every of in [["agent", 60, 3], ["agent", 3600, 30], ["agent", 86400, 300], ["tenant", 60, 4]] {
		limited(limited_call, {"rate": {"per": of[0], "window_seconds": of[1], "limit": of[2]}}).allow
		limited(limited_call, {"rate": {"per": of[0], "window_seconds": of[1], "limit": of[2] - 1}}) == rate_exceeded
	}
}

test_rate_without_a_count_is_exceeded if {
	uncounted := with_member(limited_call, "counters", {"agent_minute": 1, "tenant_minute": 1})
	limited(uncounted, {"rate": {"limit": 3, "window_seconds": 60}}) == rate_exceeded
}

test_budget_of_a_grant if {
	limited(limited_call, {"budget": {"currency": "EUR", "limit": 500}}).allow
	limited(limited_call, {"budget": {"currency": "EUR", "limit": 499}}) == budget_exceeded
	limited(limited_call, {"budget": {"currency": "EUR", "limit": 899, "per": "tenant"}}) == budget_exceeded
	limited(limited_call, {"budget": {"currency": "USD", "limit": 900}}) == budget_exceeded
	free := with_member(call("github", "get_repo", "read"), "counters", counters)
	limited(free, {"budget": {"currency": "EUR", "limit": 900}}) == budget_exceeded
}

test_malformed_limits_refuse if {
	every odd in [
		null, true, false, 7, "none", [7],
		{"max_bytes": "9"}, {"max_bytes": -1}, {"max_bytes": null}, {"max_byte": 9},
		{"redact": "/a"}, {"redact": []}, {"redact": ["a"]},
		{"rate": 5}, {"rate": null}, {"rate": []}, {"rate": {}}, {"rate": {"limit": 5}}, {"rate": {"limit": 5, "window_seconds": 30}},
		{"budget": "EUR"}, {"budget": {"limit": 5}}, {"budget": {"currency": "EUR", "limit": 5, "per": "day"}},
		{"require_approval": {"question": "?"}}, {"kind": "max_bytes"},
		{"max_bytes": 9, "unknown": {}},
	] {
		answer := limited(limited_call, odd)
		answer.allow == false
		answer.obligations == []
		{"code": "limits_invalid", "message": invalid.reasons[0].message} in answer.reasons
	}
	limited(limited_call, {"max_bytes": "9"}) == invalid
	limited(limited_call, false) == invalid
}

test_limits_bind_calls_only if {
	limited(with_member(limited_call, "action", "get"), false).rule == "platform.tool.tool_described"
	fly := limited(with_member(limited_call, "action", "fly"), {"rate": {"limit": 0, "window_seconds": 60}})
	fly.rule == "platform.tool.not_decided"
	reading := with_member(catalog("list"), "counters", counters)
	limited(reading, {"rate": {"limit": 0, "window_seconds": 60}}).obligations == []
}

test_limits_say_nothing_of_what_is_not_granted if {
	value := with_member(limited_call, "resource", object.union(limited_call.resource, {"action": "write"}))
	every of_grant in [false, {"rate": {"limit": 0, "window_seconds": 60}}] {
		limited(value, of_grant).reasons[0].code == "action_not_granted"
		count(limited(value, of_grant).reasons) == 1
	}
	every other in [{"oblige": {7}}, {"oblige": {{"kind": "max_bytes", "bytes": 1}}}] {
		contributed(call("bank", "pay", "write"), other, other) == decided(call("bank", "pay", "write"))
	}
}

test_operator_and_tenant_oblige if {
	contributed(
		limited_call,
		{"oblige": {{"kind": "max_bytes", "bytes": 7}}},
		{"oblige": {{"kind": "rate", "limit": 4, "window_seconds": 60, "per": "tenant"}}},
	) == granted_with([
		{"bytes": 7, "kind": "max_bytes"},
		{"kind": "rate", "limit": 4, "per": "tenant", "window_seconds": 60},
	])
	slow := {"oblige": {{"kind": "rate", "limit": 3, "window_seconds": 60, "per": "tenant"}}}
	contributed(limited_call, slow, {}) == rate_exceeded
	contributed(limited_call, {}, slow) == rate_exceeded
	poor := {"oblige": {{"kind": "budget", "limit": 1, "currency": "EUR", "per": "agent"}}}
	contributed(limited_call, poor, {}) == budget_exceeded
	contributed(limited_call, {}, poor) == budget_exceeded
	every odd in [7, null, false, "rate", {}, {"kind": "unknown"}, {"kind": "require_approval", "question": "?"}] {
		contributed(limited_call, {"oblige": {odd}}, {}) == invalid
		contributed(limited_call, {}, {"oblige": {odd}}) == invalid
	}
}

test_nobody_is_asked_about_a_call_over_its_limits if {
	every limit in [
		{"kind": "rate", "limit": 3, "window_seconds": 60, "per": "tenant"},
		{"kind": "budget", "limit": 1, "currency": "EUR", "per": "agent"},
		7,
	] {
		answer := contributed(limited_call, {"oblige": {limit}, "require_approval": {7}}, {})
		answer.allow == false
		answer.obligations == []
		not answer.rule == "platform.tool.approval_required"
	}
}

test_an_approval_frees_from_no_limit if {
	value := with_member(limited_call, "approval", approval)
	kept := {"kind": "rate", "limit": 4, "window_seconds": 60, "per": "tenant"}
	free := contributed(value, {"oblige": {kept}, "require_approval": {7}}, {})
	free.rule == "platform.tool.approved"
	free.obligations == [kept]
	slow := {"kind": "rate", "limit": 3, "window_seconds": 60, "per": "tenant"}
	contributed(value, {"oblige": {slow}, "require_approval": {7}}, {}) == rate_exceeded
}
