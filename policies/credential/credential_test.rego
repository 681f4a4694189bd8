package platform.credential_test

import data.platform.credential

agents := {"spiffe://platform.local/agent/acme/bot/main": {
	"tenant": "acme",
	"agent": "bot",
	"role": "main",
	"resources": {
		"github": {"actions": {"read": true}},
		"mail": {"actions": {"read": true}},
		"files": {"actions": {"read": true}},
	},
	"credentials": {"github": true, "bank": true, "files": {"files-key": true}},
}}

operators := {"spiffe://platform.local/operator/local": {"actions": {"operate": true}}}

use(service) := {
	"action": "use",
	"identity": {
		"spiffe_id": "spiffe://platform.local/agent/acme/bot/main",
		"trust_domain": "platform.local",
		"tenant": "acme",
		"agent": "bot",
		"role": "main",
	},
	"resource": {
		"kind": "credential",
		"name": "token",
		"service": service,
		"origin": "https://api.example",
		"registered_by": "spiffe://platform.local/operator/local",
	},
	"counters": {"agent_minute": 1, "tenant_minute": 1},
	"context": {"time": "2026-01-01T00:00:00.000Z", "request_id": "r1"},
}

decided(value) := answer if {
	answer := credential.decision with input as value
		with data.agents as agents
		with data.operators as operators
}

of_resource(service, member, value) := object.union(
	use(service),
	{"resource": object.union(use(service).resource, {member: value})},
)

controls_of := {
	"granted": ["NIST:IA-5", "SOC2:CC6.1"],
	"unknown_agent": ["NIST:AC-3", "SOC2:CC6.1"],
	"service_not_granted": ["NIST:AC-6", "SOC2:CC6.1"],
	"credential_not_granted": ["NIST:IA-5", "SOC2:CC6.1"],
	"credential_not_bound": ["NIST:IA-5", "SOC2:CC6.1"],
	"not_decided": ["NIST:AC-3"],
}

says(answer, allow, code) if {
	answer.allow == allow
	[reason.code | some reason in answer.reasons] == [code]
	answer.rule == concat(".", ["platform.credential", code])
	answer.controls == controls_of[code]
	answer.obligations == []
}

refused(value, code) if says(decided(value), false, code)

test_granted if {
	says(decided(use("github")), true, "granted")
}

test_unknown_agent if {
	answer := credential.decision with input as use("github") with data.agents as {}
	says(answer, false, "unknown_agent")
}

test_service_not_granted_though_the_credential_is if refused(use("bank"), "service_not_granted")

test_credential_not_granted if refused(use("mail"), "credential_not_granted")

test_only_the_names_that_a_grant_holds if {
	refused(use("files"), "credential_not_granted")
	decided(of_resource("files", "name", "files-key")).allow == true
	refused(of_resource("files", "name", {}), "credential_not_granted")
}

test_bound_by_an_operator_only if {
	refused(
		of_resource("github", "registered_by", "spiffe://platform.local/agent/acme/bot/main"),
		"credential_not_bound",
	)
	viewer := {"spiffe://platform.local/operator/local": {"actions": {"view": true}}}
	answer := credential.decision with input as use("github")
		with data.agents as agents
		with data.operators as viewer
	says(answer, false, "credential_not_bound")
}

test_not_decided if {
	refused(object.union(use("github"), {"action": "read"}), "not_decided")
	refused(of_resource("github", "kind", "secret"), "not_decided")
}

test_allow_needs_a_grant if {
	credential.allow == false with input as object.union(use("github"), {"action": "read"})
		with data.agents as agents
		with data.operators as operators
}

test_one_reason_at_a_time if {
	anybody := "spiffe://platform.local/agent/acme/bot/main"
	every service, code in {"bank": "service_not_granted", "mail": "credential_not_granted"} {
		refused(of_resource(service, "registered_by", anybody), code)
	}
}

test_contributions_are_not_told_where_nothing_is_granted if {
	every value in [
		use("bank"),
		use("mail"),
		of_resource("github", "registered_by", "nobody"),
		of_resource("github", "kind", "secret"),
		object.union(use("github"), {"action": "read"}),
	] {
		answer := credential.decision with input as value
			with data.agents as agents
			with data.operators as operators
			with data.platform.credential.operator as {"deny": {{"code": "closed"}}}
			with data.platform.credential.tenants as {"deny": {{"code": "closed"}}}
		answer == decided(value)
	}
}

test_denied_by_operator if {
	answer := credential.decision with input as use("github")
		with data.agents as agents
		with data.operators as operators
		with data.platform.credential.operator.deny as {
			{"code": "frozen", "message": "frozen", "controls": ["SOC2:CC7.2"]},
			7,
		}
	answer.allow == false
	answer.rule == "platform.credential.operator.denied_by_operator"
	answer.controls == ["NIST:AC-3", "SOC2:CC7.2"]
	count(answer.reasons) == 2
}

test_missing_members_grant_nothing if {
	every member in ["kind", "service", "registered_by"] {
		answer := decided(object.union(
			object.remove(use("github"), {"resource"}),
			{"resource": object.remove(use("github").resource, {member})},
		))
		answer.allow == false
	}
}

contributed(operator, tenant) := answer if {
	answer := credential.decision with input as use("github")
		with data.agents as agents
		with data.operators as operators
		with data.platform.credential.operator as operator
		with data.platform.credential.tenants as tenant
}

test_obligations_of_operator_and_tenant if {
	answer := contributed(
		{"require_approval": {{"question": "Sure?"}, 7}, "oblige": {{"kind": "max_bytes", "bytes": 9}}},
		{"require_approval": {{"question": "Really?"}}, "oblige": {{"kind": "redact", "paths": ["/a"]}}},
	)
	answer.allow == true
	answer.rule == "platform.credential.granted"
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
		"rule": "platform.credential.tenant.closed",
	}
	every odd in ["no", 7, null, false, [], {}, {"code": 7}, {"controls": "x"}] {
		contributed({}, {"deny": {odd}}) == {
			"allow": false,
			"controls": ["NIST:AC-3"],
			"obligations": [],
			"reasons": [{"code": "denied_by_tenant", "message": "the tenant's policy refuses this"}],
			"rule": "platform.credential.tenant.denied_by_tenant",
		}
	}
}

test_nobody_learns_of_a_tenants_rules_without_a_grant if {
	answer := credential.decision with input as object.union(use("github"), {"action": "fly"})
		with data.agents as agents
		with data.operators as operators
		with data.platform.credential.tenants as {"deny": {{"code": "closed"}}, "oblige": {7}}
		with data.platform.credential.operator as {"require_approval": {7}}
	answer.allow == false
	answer.obligations == []
	not answer.rule == "platform.credential.tenant.closed"
}
