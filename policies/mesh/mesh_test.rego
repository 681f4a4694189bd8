package platform.mesh_test

import data.platform.mesh

agent := "spiffe://platform.local/agent/acme/bot/main"

narrowed := "spiffe://platform.local/agent/acme/narrowed/main"

gateway := "spiffe://platform.local/service/gateway"

agents := {
	agent: {"tenant": "acme", "agent": "bot", "role": "main"},
	narrowed: {"tenant": "acme", "agent": "narrowed", "role": "main", "services": {"gateway": true}},
}

services := {
	"gateway": {"agents": true, "callers": {}},
	"vault": {"agents": true, "callers": {gateway: true}},
	"ledger": {"agents": false, "callers": {gateway: true}},
}

connect(spiffe_id, name) := {
	"action": "connect",
	"context": {"request_id": "r1", "time": "2026-01-01T00:00:00.000Z"},
	"identity": {
		"spiffe_id": spiffe_id,
		"trust_domain": "platform.local",
		"tenant": "",
		"agent": "",
		"role": "",
	},
	"resource": {"kind": "service", "name": name},
}

decided(value) := answer if {
	answer := mesh.decision with input as value with data.agents as agents with data.services as services
}

decided_with_denials(value, denials) := answer if {
	answer := mesh.decision with input as value
		with data.agents as agents
		with data.services as services
		with data.platform.mesh.operator.deny as denials
}

controls_of := {
	"agent_admitted": ["NIST:AC-3", "SOC2:CC6.1", "SOC2:CC6.6"],
	"caller_admitted": ["NIST:AC-3", "SOC2:CC6.1", "SOC2:CC6.6"],
	"unknown_service": ["NIST:AC-3", "SOC2:CC6.6"],
	"service_not_granted": ["NIST:AC-6", "SOC2:CC6.1"],
	"unknown_caller": ["NIST:AC-3", "SOC2:CC6.1"],
	"not_decided": ["NIST:AC-3"],
}

says(answer, allow, code) if {
	answer.allow == allow
	[reason.code | some reason in answer.reasons] == [code]
	answer.rule == concat(".", ["platform.mesh", code])
	answer.controls == controls_of[code]
	answer.obligations == []
}

refused(value, code) if says(decided(value), false, code)

accepted(value, code) if says(decided(value), true, code)

test_allow_needs_a_grant if {
	mesh.allow == false with input as object.union(connect(agent, "vault"), {"action": "listen"})
		with data.agents as agents
		with data.services as services
}

test_operators_refuse_only_what_reaches if {
	every value in [connect(agent, "ledger"), connect(narrowed, "vault"), connect("", "vault")] {
		decided_with_denials(value, {7}) == decided(value)
	}
	listen := object.union(connect(agent, "vault"), {"action": "listen"})
	decided_with_denials(listen, {7}).rule == "platform.mesh.operator.denied_by_operator"
}

test_admitted_once if {
	both := {"both": {"agents": true, "callers": {agent: true}}}
	answer := mesh.decision with input as connect(agent, "both")
		with data.agents as agents
		with data.services as both
	says(answer, true, "agent_admitted")
}

test_nobody_else_is_an_agent if {
	answer := mesh.decision with input as connect(gateway, "gateway")
		with data.agents as {agent: {"services": {}}}
		with data.services as {"gateway": {"agents": true}}
	says(answer, false, "unknown_caller")
}

test_agent_admitted if {
	accepted(connect(agent, "gateway"), "agent_admitted")
	accepted(connect(agent, "vault"), "agent_admitted")
}

test_caller_admitted if {
	accepted(connect(gateway, "vault"), "caller_admitted")
	accepted(connect(gateway, "ledger"), "caller_admitted")
}

test_entry_narrows if {
	accepted(connect(narrowed, "gateway"), "agent_admitted")
	refused(connect(narrowed, "vault"), "service_not_granted")
}

test_every_odd_value_narrows if {
	every odd in [false, null, "gateway", ["gateway"], {}, {"gateway": "yes"}, {"gateway": false}] {
		answer := mesh.decision with input as connect(agent, "gateway")
			with data.agents as {agent: {"services": odd}}
			with data.services as services
		answer.rule == "platform.mesh.service_not_granted"
	}
}

test_every_odd_value_admits_nobody if {
	every odd in [null, "true", 1, {}, ["x"], false] {
		answer := mesh.decision with input as connect(agent, "odd")
			with data.agents as agents
			with data.services as {"odd": {"agents": odd, "callers": {agent: odd}}}
		answer.rule == "platform.mesh.service_not_granted"
	}
}

test_service_not_for_agents if refused(connect(agent, "ledger"), "service_not_granted")

test_unknown_service if {
	refused(connect(agent, "billing"), "unknown_service")
	refused(connect(gateway, ""), "unknown_service")
}

test_unknown_service_without_data if {
	answer := mesh.decision with input as connect(agent, "gateway")
	answer.rule == "platform.mesh.unknown_service"
}

test_unknown_caller if {
	refused(connect(gateway, "gateway"), "unknown_caller")
	refused(connect("spiffe://platform.local/agent/acme/botnet/main", "vault"), "unknown_caller")
	refused(connect("spiffe://platform.local/service/gateway/x", "vault"), "unknown_caller")
	refused(connect("", "vault"), "unknown_caller")
}

test_without_identity_unknown_caller if {
	refused(object.remove(connect(agent, "vault"), {"identity"}), "unknown_caller")
}

test_empty_input if {
	answer := mesh.decision with input as {}
	answer.allow == false
}

test_not_decided if {
	refused(object.union(connect(agent, "vault"), {"action": "listen"}), "not_decided")
	tool := {"resource": {"kind": "tool", "name": "vault"}}
	refused(object.union(connect(agent, "vault"), tool), "not_decided")
}

test_denied_by_operator if {
	answer := decided_with_denials(connect(agent, "vault"), {
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
		"rule": "platform.mesh.operator.day",
	}
}

test_denied_by_operator_whatever_the_shape if {
	every odd in ["no", 7, null, false, [], {}, {"code": 7}, {"controls": "x"}] {
		answer := decided_with_denials(connect(gateway, "vault"), {odd})
		answer.allow == false
		answer.rule == "platform.mesh.operator.denied_by_operator"
		answer.controls == ["NIST:AC-3"]
	}
}

test_empty_denials_refuse_nothing if {
	decided_with_denials(connect(agent, "gateway"), set()).allow == true
}

contributed(operator, tenant) := answer if {
	answer := mesh.decision with input as connect(agent, "vault")
		with data.agents as agents
		with data.services as services
		with data.platform.mesh.operator as operator
		with data.platform.mesh.tenants as tenant
}

test_obligations_of_operator_and_tenant if {
	answer := contributed(
		{"require_approval": {{"question": "Sure?"}, 7}, "oblige": {{"kind": "max_bytes", "bytes": 9}}},
		{"require_approval": {{"question": "Really?"}}, "oblige": {{"kind": "redact", "paths": ["/a"]}}},
	)
	answer.allow == true
	answer.rule == "platform.mesh.agent_admitted"
	answer.obligations == [
		{"bytes": 9, "kind": "max_bytes"},
		{"kind": "redact", "paths": ["/a"]},
		{"kind": "require_approval", "question": "May this be done?"},
		{"kind": "require_approval", "question": "Really?"},
		{"kind": "require_approval", "question": "Sure?"},
	]
}

test_denied_by_tenant if {
	demands := {{"kind": "max_bytes", "bytes": 9}}
	contributed({}, {"deny": {{"code": "closed", "message": "we are closed", "controls": ["SOC2:CC7.2"]}}, "oblige": demands}) == {
		"allow": false,
		"controls": ["NIST:AC-3", "SOC2:CC7.2"],
		"obligations": [],
		"reasons": [{"code": "closed", "message": "we are closed"}],
		"rule": "platform.mesh.tenant.closed",
	}
	every odd in ["no", 7, null, false, [], {}, {"code": 7}, {"controls": "x"}] {
		contributed({}, {"deny": {odd}}) == {
			"allow": false,
			"controls": ["NIST:AC-3"],
			"obligations": [],
			"reasons": [{"code": "denied_by_tenant", "message": "the tenant's policy refuses this"}],
			"rule": "platform.mesh.tenant.denied_by_tenant",
		}
	}
}

test_nobody_learns_of_a_tenants_rules_without_a_grant if {
	answer := mesh.decision with input as object.union(connect(agent, "vault"), {"action": "fly"})
		with data.agents as agents
		with data.services as services
		with data.platform.mesh.tenants as {"deny": {{"code": "closed"}}, "oblige": {7}}
		with data.platform.mesh.operator as {"require_approval": {7}}
	answer.allow == false
	answer.obligations == []
	not answer.rule == "platform.mesh.tenant.closed"
}

with_tenant(value) := answer if {
	answer := mesh.decision with input as value
		with data.agents as agents
		with data.services as services
		with data.platform.mesh.tenants as {"deny": {{"code": "closed"}}}
}

test_tenants_are_heard_only_where_something_is_granted if {
	with_tenant(connect(gateway, "vault")).rule == "platform.mesh.tenant.closed"
	listen := object.union(connect(gateway, "vault"), {"action": "listen"})
	every value in [
		listen,
		connect(narrowed, "vault"),
		connect(agent, "ledger"),
		connect(gateway, "gateway"),
		connect(agent, "billing"),
	] {
		with_tenant(value) == decided(value)
	}
	refused(listen, "not_decided")
}
