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

refused(value, code) if {
	answer := decided(value)
	answer.allow == false
	answer.reasons[0].code == code
	answer.rule == concat(".", ["platform.console", code])
}

test_granted if {
	every action in ["view", "approve"] {
		answer := decided(console_input(action))
		answer.allow == true
		answer.rule == "platform.console.granted"
	}
}

test_unknown_operator if {
	answer := console.decision with input as console_input("view") with data.operators as {}
	answer.allow == false
	answer.rule == "platform.console.unknown_operator"
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
