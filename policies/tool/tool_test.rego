package platform.tool_test

import data.platform.tool

agents := {"spiffe://platform.local/agent/acme/bot/main": {
	"tenant": "acme",
	"agent": "bot",
	"role": "main",
	"resources": {
		"github": {"actions": {"read": true}},
		"mail": {"actions": {"read": true, "write": true}, "tools": {"send_email": true}},
	},
}}

limits := {"agent_minute": 120, "tenant_minute": 600}

identity := {
	"spiffe_id": "spiffe://platform.local/agent/acme/bot/main",
	"trust_domain": "platform.local",
	"tenant": "acme",
	"agent": "bot",
	"role": "main",
}

operator := {
	"spiffe_id": "spiffe://platform.local/operator/local",
	"trust_domain": "platform.local",
	"tenant": "",
	"agent": "",
	"role": "",
}

approval := {
	"id": "a1",
	"call_digest": "sha256:00",
	"verdict": "allow",
	"approver": operator.spiffe_id,
	"expires_at": "2026-01-01T00:05:00.000Z",
}

call(service, name, action) := {
	"action": "call",
	"identity": identity,
	"resource": {
		"kind": "tool",
		"name": name,
		"service": service,
		"action": action,
		"source": "openapi",
		"tags": [],
	},
	"arguments": {},
	"provenance": {},
	"session": null,
	"counters": {"agent_minute": 1, "tenant_minute": 1},
	"approval": null,
	"context": {"time": "2026-01-01T00:00:00.000Z", "request_id": "r1"},
}

catalog(action) := object.union(
	object.remove(call("", "", "read"), {"resource", "arguments", "provenance"}),
	{"action": action, "resource": {"kind": "catalog"}},
)

with_member(value, key, member) := object.union(object.remove(value, {key}), {key: member})

decided(value) := answer if {
	answer := tool.decision with input as value
		with data.agents as agents
		with data.limits as limits
		with data.operators as {operator.spiffe_id: {"actions": {"operate": true}}}
}

decided_with_denials(value, denials) := answer if {
	answer := tool.decision with input as value
		with data.agents as agents
		with data.limits as limits
		with data.platform.tool.operator.deny as denials
}

contributed(value, operator, tenant) := answer if {
	answer := tool.decision with input as value
		with data.agents as agents
		with data.limits as limits
		with data.platform.tool.operator as operator
		with data.platform.tool.tenants as tenant
}

decided_with_questions(value, questions) := answer if {
	answer := tool.decision with input as value
		with data.agents as agents
		with data.limits as limits
		with data.platform.tool.operator.require_approval as questions
}

refused(value, code) if {
	answer := decided(value)
	answer.allow == false
	answer.rule == concat(".", ["platform.tool", code])
	answer.obligations == []
	answer.controls == controls[code]
	[reason.code | some reason in answer.reasons] == [code]
}

accepted(value, code) if {
	answer := decided(value)
	answer.allow == true
	answer.rule == concat(".", ["platform.tool", code])
	answer.obligations == []
	answer.controls == controls[code]
	[reason.code | some reason in answer.reasons] == [code]
}

refusal(code, message, ids) := {
	"allow": false,
	"controls": ids,
	"obligations": [],
	"reasons": [{"code": code, "message": message}],
	"rule": concat(".", ["platform.tool", code]),
}

controls := {
	"granted": ["NIST:AC-3", "SOC2:CC6.1"],
	"approved": ["EUAI:14", "NIST:AC-3"],
	"tool_described": ["SOC2:CC6.1"],
	"catalog_read": ["SOC2:CC6.1"],
	"unknown_agent": ["NIST:AC-3", "SOC2:CC6.1"],
	"agent_rate_exceeded": ["NIST:SC-5"],
	"tenant_rate_exceeded": ["NIST:SC-5"],
	"service_not_granted": ["NIST:AC-6", "SOC2:CC6.1"],
	"tool_not_granted": ["NIST:AC-6", "SOC2:CC6.1"],
	"action_not_granted": ["NIST:AC-6", "SOC2:CC6.1"],
	"approval_refused": ["EUAI:14", "NIST:AC-3"],
	"not_decided": ["NIST:AC-3"],
}

test_granted if accepted(call("github", "get_repo", "read"), "granted")

test_granted_tool_of_a_list if accepted(call("mail", "send_email", "write"), "granted")

test_unknown_agent if {
	other := with_member(identity, "spiffe_id", "spiffe://platform.local/agent/acme/botnet/main")
	refused(with_member(call("github", "get_repo", "read"), "identity", other), "unknown_agent")
}

test_unknown_agent_without_identity if {
	refused(object.remove(call("github", "get_repo", "read"), {"identity"}), "unknown_agent")
}

test_unknown_agent_without_data if {
	answer := tool.decision with input as call("github", "get_repo", "read")
	answer.rule == "platform.tool.unknown_agent"
	answer.allow == false
}

test_empty_input if {
	answer := tool.decision with input as {}
	answer.rule == "platform.tool.unknown_agent"
}

test_agent_rate_exceeded if {
	over := {"agent_minute": 121, "tenant_minute": 121}
	refused(with_member(call("github", "get_repo", "read"), "counters", over), "agent_rate_exceeded")
}

test_agent_rate_at_its_limit if {
	at := {"agent_minute": 120, "tenant_minute": 600}
	accepted(with_member(call("github", "get_repo", "read"), "counters", at), "granted")
}

test_rates_come_before_the_grants if {
	every counters in [{"agent_minute": 121, "tenant_minute": 1}, {"agent_minute": 121, "tenant_minute": 601}] {
		every value in [call("bank", "pay", "write"), call("mail", "delete_email", "write"), call("github", "x", "write"), catalog("register")] {
			refused(with_member(value, "counters", counters), "agent_rate_exceeded")
		}
	}
	refused(
		with_member(call("bank", "pay", "write"), "counters", {"agent_minute": 1, "tenant_minute": 601}),
		"tenant_rate_exceeded",
	)
	stranger := with_member(identity, "spiffe_id", "spiffe://platform.local/agent/acme/other/main")
	value := with_member(call("bank", "pay", "write"), "identity", stranger)
	refused(with_member(value, "counters", {"agent_minute": 121, "tenant_minute": 601}), "unknown_agent")
	refused(with_member(value, "counters", {"agent_minute": 1, "tenant_minute": 601}), "unknown_agent")
	refused(with_member(with_member(value, "counters", {"agent_minute": 1}), "action", "list"), "unknown_agent")
}

test_rates_hold_for_reading_too if {
	over := {"agent_minute": 121, "tenant_minute": 1}
	refused(with_member(catalog("list"), "counters", over), "agent_rate_exceeded")
	value := with_member(call("github", "get_repo", "read"), "action", "get")
	refused(with_member(value, "counters", {"agent_minute": 1, "tenant_minute": 601}), "tenant_rate_exceeded")
}

test_messages if {
	{answer.reasons[0].message |
		some value in [
			call("github", "get_repo", "read"),
			with_member(call("github", "get_repo", "read"), "action", "get"),
			catalog("list"),
			with_member(call("github", "get_repo", "read"), "identity", operator),
			with_member(catalog("list"), "counters", {"agent_minute": 121}),
			with_member(catalog("list"), "counters", {"agent_minute": 1, "tenant_minute": 601}),
			call("bank", "pay", "write"),
			call("mail", "delete_email", "write"),
			call("github", "get_repo", "write"),
		]
		answer := decided(value)
	} == {
		"the agent's grants cover this call",
		"the agent's grants reach this tool",
		"a registered agent may read the catalog",
		"no agent is registered under this identity",
		"the agent has reached its limit of calls a minute",
		"the tenant has reached its limit of calls a minute",
		"the agent was not granted this tool's service",
		"the agent's grant of this service does not include this tool",
		"the agent was granted this service, but not this action on it",
	}
}

of_kind(value, kind) := with_member(value, "resource", object.union(value.resource, {"kind": kind}))

test_no_grant_for_what_is_refused if {
	read := call("github", "get_repo", "read")
	approved := with_member(read, "approval", approval)
	every value in [
		call("bank", "pay", "write"),
		with_member(call("bank", "pay", "write"), "approval", approval),
		with_member(call("mail", "delete_email", "write"), "action", "get"),
		of_kind(with_member(read, "action", "get"), "console"),
		of_kind(read, "console"),
		of_kind(approved, "console"),
		with_member(read, "action", "list"),
		catalog("fly"),
		read,
	] {
		tool.grants == set() with input as value
			with data.agents as agents
			with data.limits as limits
			with data.platform.tool.operator.require_approval as {7}
	}
}

test_describing_anything_but_a_tool_is_no_describing if {
	read := of_kind(with_member(call("github", "get_repo", "read"), "action", "get"), "console")
	write := of_kind(with_member(call("github", "get_repo", "write"), "action", "get"), "console")
	refused(read, "not_decided")
	refused(write, "action_not_granted")
	contributed(read, {"deny": {7}}, {}).rule == "platform.tool.operator.denied_by_operator"
}

test_a_call_without_a_name_is_of_no_tool if {
	value := call("github", "get_repo", "read")
	refused(with_member(value, "resource", object.remove(value.resource, {"name"})), "tool_not_granted")
}

test_nobody_is_asked_about_what_is_not_granted if {
	every value in [call("bank", "pay", "write"), call("github", "get_repo", "write"), catalog("list")] {
		decided_with_questions(value, {7}) == decided(value)
	}
}

test_nothing_granted_is_nothing_allowed if {
	tool.allow == false with input as with_member(call("github", "get_repo", "read"), "action", "fly")
		with data.agents as agents
		with data.limits as limits
}

test_default_is_false if {
	tool.allow == false with input as {}
	tool.allow with input as call("github", "get_repo", "read") with data.agents as agents with data.limits as limits
}

test_tenant_rate_exceeded if {
	over := {"agent_minute": 1, "tenant_minute": 601}
	refused(with_member(call("github", "get_repo", "read"), "counters", over), "tenant_rate_exceeded")
}

test_without_counters_no_call if {
	refused(object.remove(call("github", "get_repo", "read"), {"counters"}), "agent_rate_exceeded")
}

test_without_limits_no_call if {
	answer := tool.decision with input as call("github", "get_repo", "read") with data.agents as agents
	answer.rule == "platform.tool.agent_rate_exceeded"
}

test_catalog_read if {
	accepted(catalog("list"), "catalog_read")
	accepted(catalog("search"), "catalog_read")
}

test_catalog_is_only_read if {
	every action in ["register", "call", "get", "fly"] {
		decided(catalog(action)) == refusal(
			"catalog_not_granted",
			"this identity may not change the catalog of tools",
			["NIST:CM-3", "SOC2:CC8.1"],
		)
	}
	decided(object.remove(catalog("list"), {"action"})).rule == "platform.tool.catalog_not_granted"
}

test_catalog_with_the_members_of_a_granted_tool if {
	every service in ["mail", "bank"] {
		value := call(service, "delete_email", "write")
		of_catalog := with_member(value, "resource", object.union(value.resource, {"kind": "catalog"}))
		[reason.code | some reason in decided(of_catalog).reasons] == ["catalog_not_granted"]
	}
	value := call("github", "get_repo", "write")
	of_catalog := with_member(value, "resource", object.union(value.resource, {"kind": "catalog"}))
	[reason.code | some reason in decided(of_catalog).reasons] == ["catalog_not_granted"]
	decided(with_member(of_catalog, "action", "list")).rule == "platform.tool.catalog_read"
}

test_operator_is_no_agent if {
	refused(with_member(catalog("list"), "identity", operator), "unknown_agent")
	refused(with_member(call("mail", "send_email", "write"), "identity", operator), "unknown_agent")
}

test_service_not_granted if refused(call("bank", "pay", "write"), "service_not_granted")

test_tool_not_granted if {
	refused(call("mail", "delete_email", "write"), "tool_not_granted")
	refused(with_member(call("mail", "delete_email", "write"), "action", "get"), "tool_not_granted")
}

test_tool_described if {
	accepted(with_member(call("github", "delete_repo", "write"), "action", "get"), "tool_described")
}

test_action_not_granted if refused(call("github", "delete_repo", "write"), "action_not_granted")

test_missing_members_grant_nothing if {
	every member in ["kind", "name", "service", "action"] {
		value := call("mail", "send_email", "write")
		answer := decided(with_member(value, "resource", object.remove(value.resource, {member})))
		answer.allow == false
		answer.rule == concat(".", ["platform.tool", codes[member]])
	}
}

codes := {
	"kind": "not_decided",
	"name": "tool_not_granted",
	"service": "service_not_granted",
	"action": "action_not_granted",
}

test_not_decided if {
	refused(with_member(call("github", "get_repo", "read"), "action", "rename"), "not_decided")
}

test_denied_by_operator if {
	answer := decided_with_denials(call("github", "get_repo", "read"), {
		{"code": "night", "message": "not at night", "controls": ["SOC2:CC7.2", "NIST:AC-3"]},
		{"code": "day", "message": "not by day"},
	})
	answer == {
		"allow": false,
		"controls": ["NIST:AC-3", "SOC2:CC7.2"],
		"obligations": [],
		"reasons": [
			{"code": "day", "message": "not by day"},
			{"code": "night", "message": "not at night"},
		],
		"rule": "platform.tool.operator.day",
	}
}

test_denied_by_operator_whatever_the_shape if {
	every odd in ["no", 7, null, false, [], {}, {"code": 7}, {"controls": "x"}] {
		answer := decided_with_denials(call("github", "get_repo", "read"), {odd})
		answer.reasons == [{"code": "denied_by_operator", "message": "the operator's policy refuses this"}]
		answer.allow == false
		answer.rule == "platform.tool.operator.denied_by_operator"
		answer.controls == ["NIST:AC-3"]
	}
}

test_empty_denials_refuse_nothing if {
	decided_with_denials(call("github", "get_repo", "read"), set()).allow == true
}

test_approval_required if {
	answer := decided_with_questions(call("github", "get_repo", "read"), {{"question": "Read it?"}})
	answer.allow == false
	answer.rule == "platform.tool.approval_required"
	answer.reasons == [{"code": "approval_required", "message": "a person must allow this call"}]
	answer.controls == ["EUAI:14", "NIST:AC-3"]
	answer.obligations == [{"kind": "require_approval", "question": "Read it?"}]
}

test_approval_required_without_a_question if {
	answer := decided_with_questions(call("github", "get_repo", "read"), {true})
	answer.obligations == [{"kind": "require_approval", "question": "May the agent do this?"}]
}

test_approved if {
	value := with_member(call("github", "get_repo", "read"), "approval", approval)
	answer := decided_with_questions(value, {{"question": "Read it?"}})
	answer == {
		"allow": true,
		"controls": ["EUAI:14", "NIST:AC-3"],
		"obligations": [],
		"reasons": [{"code": "approved", "message": "a person allowed this call"}],
		"rule": "platform.tool.approved",
	}
}

test_an_approval_that_nobody_asked_for_changes_nothing if {
	accepted(with_member(call("github", "get_repo", "read"), "approval", approval), "granted")
}

test_approved_only_for_calls if {
	value := object.union(call("github", "get_repo", "read"), {"approval": approval, "action": "fly"})
	decided_with_questions(value, {{"question": "Read it?"}}).rule == "platform.tool.not_decided"
	unasked := with_member(call("github", "get_repo", "read"), "action", "fly")
	decided_with_questions(unasked, {{"question": "Read it?"}}).obligations == []
}

test_approval_of_another_verdict if {
	every verdict in ["Allow", "", null, true, "allowed"] {
		other := with_member(approval, "verdict", verdict)
		value := with_member(call("github", "get_repo", "read"), "approval", other)
		decided_with_questions(value, {{"question": "Read it?"}}).rule == "platform.tool.approval_required"
	}
}

test_approval_refused_wins_over_asking_again if {
	no := with_member(approval, "verdict", "deny")
	value := with_member(call("github", "get_repo", "read"), "approval", no)
	answer := decided_with_questions(value, {{"question": "Read it?"}})
	answer == refusal("approval_refused", "a person refused this call", ["EUAI:14", "NIST:AC-3"])
}

test_approval_expired if {
	late := with_member(approval, "expires_at", "2026-01-01T00:00:00.000Z")
	value := with_member(call("github", "get_repo", "read"), "approval", late)
	decided_with_questions(value, {{"question": "Read it?"}}).rule == "platform.tool.approval_required"
}

test_approval_refused if {
	no := with_member(approval, "verdict", "deny")
	refused(with_member(call("github", "get_repo", "read"), "approval", no), "approval_refused")
}

test_approval_grants_nothing if {
	value := with_member(call("github", "delete_repo", "write"), "approval", approval)
	refused(value, "action_not_granted")
}

test_approval_refused_says_nothing_of_what_is_not_granted if {
	no := with_member(approval, "verdict", "deny")
	refused(with_member(call("bank", "pay", "write"), "approval", no), "service_not_granted")
	refused(with_member(with_member(call("github", "get_repo", "read"), "approval", no), "action", "fly"), "approval_refused")
	value := with_member(call("github", "get_repo", "read"), "approval", no)
	decided_with_denials(value, {{"code": "no", "message": "m"}}).reasons == [{"code": "no", "message": "m"}]
}

test_nobody_is_asked_where_others_refuse if {
	ask := {"require_approval": {{"question": "Read it?"}}}
	deny := {"deny": {{"code": "no", "message": "m"}}}
	value := call("github", "get_repo", "read")
	every answer in [
		contributed(value, object.union(ask, deny), {}),
		contributed(value, ask, deny),
		contributed(value, deny, ask),
	] {
		answer.obligations == []
		answer.reasons == [{"code": "no", "message": "m"}]
	}
}

test_tenants_ask_and_refuse_like_operators if {
	value := call("github", "get_repo", "read")
	asked := contributed(value, {"require_approval": {{"question": "A?"}}}, {"require_approval": {{"question": "B?"}}})
	asked.rule == "platform.tool.approval_required"
	asked.obligations == [
		{"kind": "require_approval", "question": "A?"},
		{"kind": "require_approval", "question": "B?"},
	]
	contributed(value, {}, {"require_approval": {7}}).rule == "platform.tool.approval_required"
	approved := with_member(value, "approval", approval)
	contributed(approved, {}, {"require_approval": {7}}).rule == "platform.tool.approved"
	contributed(value, {}, {"deny": {7}}) == {
		"allow": false,
		"controls": ["NIST:AC-3"],
		"obligations": [],
		"reasons": [{"code": "denied_by_tenant", "message": "the tenant's policy refuses this"}],
		"rule": "platform.tool.tenant.denied_by_tenant",
	}
}

test_others_refuse_only_what_is_granted if {
	deny := {"deny": {{"code": "no", "message": "m"}}}
	over := {"agent_minute": 121, "tenant_minute": 1}
	every value in [
		call("bank", "pay", "write"),
		call("github", "get_repo", "write"),
		call("mail", "delete_email", "write"),
		with_member(call("github", "get_repo", "read"), "counters", over),
		with_member(call("github", "get_repo", "read"), "counters", {"agent_minute": 1, "tenant_minute": 601}),
		with_member(call("github", "get_repo", "read"), "action", "get"),
		catalog("list"),
	] {
		contributed(value, deny, deny) == decided(value)
	}
}

test_approval_does_not_outweigh_a_denial if {
	value := with_member(call("github", "get_repo", "read"), "approval", approval)
	decided_with_denials(value, {{"code": "no"}}).allow == false
}

test_describing_does_not_ask if {
	value := with_member(call("github", "get_repo", "read"), "action", "get")
	decided_with_questions(value, {{"question": "Read it?"}}).rule == "platform.tool.tool_described"
}
