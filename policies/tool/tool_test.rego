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

decided_with_questions(value, questions) := answer if {
	answer := tool.decision with input as value
		with data.agents as agents
		with data.limits as limits
		with data.platform.tool.operator.require_approval as questions
}

refused(value, code) if {
	answer := decided(value)
	answer.allow == false
	answer.reasons[0].code == code
	answer.rule == concat(".", ["platform.tool", code])
	answer.obligations == []
}

accepted(value, code) if {
	answer := decided(value)
	answer.allow == true
	answer.reasons[0].code == code
	answer.rule == concat(".", ["platform.tool", code])
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
	answer.allow == false
}

test_agent_rate_exceeded if {
	over := {"agent_minute": 121, "tenant_minute": 121}
	refused(with_member(call("github", "get_repo", "read"), "counters", over), "agent_rate_exceeded")
}

test_agent_rate_at_its_limit if {
	at := {"agent_minute": 120, "tenant_minute": 600}
	accepted(with_member(call("github", "get_repo", "read"), "counters", at), "granted")
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

test_catalog_not_granted if refused(catalog("register"), "catalog_not_granted")

test_catalog_write_by_grant if {
	answer := tool.decision with input as catalog("register")
		with data.limits as limits
		with data.agents as {identity.spiffe_id: {"resources": {"catalog": {"actions": {"write": true}}}}}
	answer.rule == "platform.tool.catalog_write"
	answer.allow == true
}

test_catalog_write_of_granted_services_only if {
	granted := {identity.spiffe_id: {"resources": {
		"catalog": {"actions": {"write": true}},
		"notes": {"actions": {"read": true, "write": true}},
		"mail": {"actions": {"read": true}},
	}}}
	outcomes := {service: rule |
		some service in ["notes", "mail", "bank", ""]
		value := with_member(catalog("register"), "resource", {"kind": "catalog", "service": service})
		rule := tool.decision.rule with input as value with data.limits as limits with data.agents as granted
	}
	outcomes == {
		"notes": "platform.tool.catalog_write",
		"mail": "platform.tool.catalog_not_granted",
		"bank": "platform.tool.catalog_not_granted",
		"": "platform.tool.catalog_not_granted",
	}
}

test_catalog_write_by_operator if {
	accepted(with_member(catalog("register"), "identity", operator), "catalog_write")
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
	}
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
	answer.reasons[0].code == "approval_required"
	answer.obligations == [{"kind": "require_approval", "question": "Read it?"}]
}

test_approval_required_without_a_question if {
	answer := decided_with_questions(call("github", "get_repo", "read"), {true})
	answer.obligations == [{"kind": "require_approval", "question": "May the agent do this?"}]
}

test_approved if {
	value := with_member(call("github", "get_repo", "read"), "approval", approval)
	answer := decided_with_questions(value, {{"question": "Read it?"}})
	answer.allow == true
	answer.rule == "platform.tool.approved"
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

test_approval_does_not_outweigh_a_denial if {
	value := with_member(call("github", "get_repo", "read"), "approval", approval)
	decided_with_denials(value, {{"code": "no"}}).allow == false
}

test_describing_does_not_ask if {
	value := with_member(call("github", "get_repo", "read"), "action", "get")
	decided_with_questions(value, {{"question": "Read it?"}}).rule == "platform.tool.tool_described"
}
