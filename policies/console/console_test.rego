package platform.console_test

import data.platform.console

operators := {"spiffe://platform.local/operator/local": {"actions": {"view": true, "approve": true}}}

console_input(action) := {
	"action": action,
	"identity": {
		"spiffe_id": "spiffe://platform.local/operator/local",
		"trust_domain": "platform.local",
		"tenant": "",
		"agent": "",
		"role": "",
	},
	"resource": {"kind": "console", "name": "approvals"},
	"counters": {"agent_minute": 1, "tenant_minute": 1},
	"context": {"time": "2026-01-01T00:00:00.000Z", "request_id": "r1"},
}

decided(value) := answer if {
	answer := console.decision with input as value with data.operators as operators
}

refused(value, code) if decided(value) == refusals[code]

refusal(code, message, controls) := {
	"allow": false,
	"controls": controls,
	"obligations": [],
	"reasons": [{"code": code, "message": message}],
	"rule": concat(".", ["platform.console", code]),
}

refusals := {
	"unknown_operator": refusal(
		"unknown_operator",
		"no operator is registered under this identity",
		["NIST:AC-3", "SOC2:CC6.1"],
	),
	"action_not_granted": refusal(
		"action_not_granted",
		"this operator was not granted this action",
		["NIST:AC-5", "SOC2:CC6.3"],
	),
	"not_decided": refusal("not_decided", "no rule allows this", ["NIST:AC-3"]),
}

contributed(value, operator, tenant) := answer if {
	answer := console.decision with input as value
		with data.operators as operators
		with data.platform.console.operator as operator
		with data.platform.console.tenants as tenant
}

test_granted if {
	every action in ["view", "approve"] {
		decided(console_input(action)) == {
			"allow": true,
			"controls": ["NIST:AC-3", "SOC2:CC6.3"],
			"obligations": [],
			"reasons": [{"code": "granted", "message": "the operator was granted this action"}],
			"rule": "platform.console.granted",
		}
	}
}

test_unknown_operator if {
	answer := console.decision with input as console_input("view") with data.operators as {}
	answer == refusals.unknown_operator
}

test_agent_is_no_operator if {
	answer := console.decision with input as console_input("view")
		with data.agents as {"spiffe://platform.local/operator/local": {"actions": {"view": true}}}
		with data.operators as {}
	answer.rule == "platform.console.unknown_operator"
}

test_action_not_granted if refused(console_input("operate"), "action_not_granted")

test_not_decided if {
	other := {"resource": {"kind": "catalog", "name": "approvals"}}
	refused(object.union(console_input("view"), other), "not_decided")
}

test_denied_by_operator if {
	answer := console.decision with input as console_input("approve")
		with data.operators as operators
		with data.platform.console.operator.deny as {
			{"code": "closed", "message": "closed", "controls": ["SOC2:CC7.2"]},
			7,
		}
	answer.allow == false
	answer.rule == "platform.console.operator.closed"
	answer.controls == ["NIST:AC-3", "SOC2:CC7.2"]
	count(answer.reasons) == 2
}

test_missing_action_grants_nothing if {
	decided(object.remove(console_input("view"), {"action"})).allow == false
}

test_default_is_false if {
	console.allow == false with input as {}
	console.allow with input as console_input("view") with data.operators as operators
}

test_nothing_granted_is_nothing_allowed if {
	other := {"resource": {"kind": "catalog", "name": "approvals"}}
	console.allow == false with input as object.union(console_input("view"), other) with data.operators as operators
	console.grants == set() with input as console_input("operate") with data.operators as operators
}

test_each_contribution_alone if {
	value := console_input("view")
	contributed(value, {"deny": {7}}, {}).rule == "platform.console.operator.denied_by_operator"
	contributed(value, {}, {"deny": {7}}).rule == "platform.console.tenant.denied_by_tenant"
	contributed(value, {"oblige": {7}}, {}).obligations == [7]
	contributed(value, {}, {"oblige": {7}}).obligations == [7]
	question := [{"kind": "require_approval", "question": "May this be done?"}]
	contributed(value, {"require_approval": {7}}, {}).obligations == question
	contributed(value, {}, {"require_approval": {7}}).obligations == question
}

test_others_refuse_only_what_is_granted if {
	others := {"deny": {7}, "oblige": {7}, "require_approval": {7}}
	contributed(console_input("operate"), others, others) == refusals.action_not_granted
	nobody := object.union(console_input("view"), {"identity": {"spiffe_id": "spiffe://platform.local/operator/locally"}})
	contributed(nobody, others, others) == refusals.unknown_operator
}
