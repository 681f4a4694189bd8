package platform.secret_test

import data.platform.secret

me := "spiffe://platform.local/agent/acme/bot/main"

gateway := "spiffe://platform.local/service/gateway"

person := "spiffe://platform.local/operator/local"

agents := {me: {"tenant": "acme", "agent": "bot", "role": "main"}}

operators := {person: {"actions": {"operate": true}}}

services := {"vault": {"delegates": {gateway: true}}}

identity := {
	"spiffe_id": me,
	"trust_domain": "platform.local",
	"tenant": "acme",
	"agent": "bot",
	"role": "main",
}

operator_identity := {
	"spiffe_id": person,
	"trust_domain": "platform.local",
	"tenant": "",
	"agent": "",
	"role": "",
}

agent_wide := "spiffe://platform.local/agent/acme/bot/*"

tenant_wide := "spiffe://platform.local/agent/acme/*"

asked(action, resource) := {
	"action": action,
	"identity": identity,
	"resource": resource,
	"counters": {"agent_minute": 1, "tenant_minute": 1},
	"context": {"time": "2026-01-01T00:00:00.000Z", "request_id": "r1"},
}

on(action) := asked(action, {"kind": "secret", "key": "db", "scope": agent_wide})

in_scope(action, scope) := asked(action, {"kind": "secret", "key": "db", "scope": scope})

by_operator(value) := object.union(object.remove(value, {"identity"}), {"identity": operator_identity})

by_service(value, actor) := object.union(value, {"actor": actor})

decided_with(value, entries) := answer if {
	answer := secret.decision with input as value
		with data.agents as entries
		with data.operators as operators
		with data.services as services
		with data.limits as {}
}

decided(value) := decided_with(value, agents)

with_secrets(secrets) := {me: {"tenant": "acme", "agent": "bot", "role": "main", "secrets": secrets}}

controls_of := {
	"granted": ["NIST:AC-3", "NIST:SC-12", "SOC2:CC6.1"],
	"operated": ["NIST:AC-3", "NIST:SC-12", "SOC2:CC6.3"],
	"not_delegated": ["NIST:AC-6", "SOC2:CC6.3"],
	"unknown_identity": ["NIST:AC-3", "SOC2:CC6.1"],
	"agent_rate_exceeded": ["NIST:SC-5"],
	"tenant_rate_exceeded": ["NIST:SC-5"],
	"action_not_granted": ["NIST:AC-6", "SOC2:CC6.1"],
	"scope_not_granted": ["NIST:AC-6", "SOC2:CC6.1"],
	"not_decided": ["NIST:AC-3"],
}

says(answer, allow, code) if {
	answer.allow == allow
	[reason.code | some reason in answer.reasons] == [code]
	answer.rule == concat(".", ["platform.secret", code])
	answer.controls == controls_of[code]
	answer.obligations == []
}

granted_by(answer, code) if says(answer, true, code)

refused_by(answer, code) if says(answer, false, code)

test_granted if {
	every action in ["read", "write", "list", "delete", "restore"] {
		granted_by(decided(on(action)), "granted")
	}
	granted_by(decided(asked("list", {"kind": "vault"})), "granted")
	granted_by(decided(asked("read", {"kind": "secret", "key": "db"})), "granted")
	granted_by(decided(in_scope("write", me)), "granted")
}

test_unknown_identity if {
	every action in ["read", "write", "list", "delete", "restore", "rotate"] {
		refused_by(decided_with(on(action), {}), "unknown_identity")
	}
}

test_rotate_is_for_operators if {
	refused_by(decided(asked("rotate", {"kind": "vault"})), "action_not_granted")
	granted_by(decided(by_operator(asked("rotate", {"kind": "vault"}))), "operated")
	refused_by(decided(by_operator(on("rotate"))), "not_decided")
}

test_operated if {
	every action in ["read", "write", "list", "delete", "restore"] {
		granted_by(decided(by_operator(in_scope(action, tenant_wide))), "operated")
	}
	granted_by(decided(by_operator(asked("list", {"kind": "vault"}))), "operated")
}

test_operator_who_may_not_operate if {
	answer := secret.decision with input as by_operator(on("read"))
		with data.operators as {person: {"actions": {"view": true}}}
	refused_by(answer, "unknown_identity")
}

test_narrowed if {
	only_read := with_secrets({"actions": {"read": true}})
	granted_by(decided_with(on("read"), only_read), "granted")
	refused_by(decided_with(on("write"), only_read), "action_not_granted")
	refused_by(decided_with(on("read"), with_secrets(false)), "action_not_granted")
	refused_by(decided_with(on("read"), with_secrets({"actions": true})), "action_not_granted")
	rotates := with_secrets({"actions": {"rotate": true}})
	refused_by(decided_with(asked("rotate", {"kind": "vault"}), rotates), "action_not_granted")
}

test_tenant_wide if {
	every action in ["write", "delete", "restore"] {
		refused_by(decided(in_scope(action, tenant_wide)), "scope_not_granted")
		wide := with_secrets({"tenant_write": true})
		granted_by(decided_with(in_scope(action, tenant_wide), wide), "granted")
	}
}

test_other_role if {
	other := "spiffe://platform.local/agent/acme/bot/worker"
	refused_by(decided(in_scope("write", other)), "scope_not_granted")
	grant := with_secrets({"role_write": true})
	granted_by(decided_with(in_scope("write", other), grant), "granted")
	refused_by(decided_with(in_scope("write", tenant_wide), grant), "scope_not_granted")
	foreign := "spiffe://platform.local/agent/acme/bot2/worker"
	refused_by(decided_with(in_scope("write", foreign), grant), "scope_not_granted")
}

test_foreign_scope if {
	wide := with_secrets({"tenant_write": true, "role_write": true})
	every scope in [
		"spiffe://platform.local/agent/*",
		"spiffe://platform.local/agent/other/*",
		"spiffe://other.local/agent/acme/*",
		"spiffe://platform.local/agent/acme/bot",
		"",
	] {
		refused_by(decided_with(in_scope("write", scope), wide), "scope_not_granted")
	}
	unnamed := asked("write", {"kind": "secret", "key": "db"})
	refused_by(decided_with(unnamed, wide), "scope_not_granted")
}

test_on_behalf_of if {
	granted_by(decided(by_service(on("read"), gateway)), "granted")
	every action in ["write", "list", "delete", "restore"] {
		refused_by(decided(by_service(on(action), gateway)), "not_delegated")
	}
	refused_by(decided(by_service(on("read"), "spiffe://platform.local/service/other")), "not_delegated")
	refused_by(decided(by_service(on("read"), "")), "not_delegated")
	for_operator := by_service(by_operator(on("read")), gateway)
	decided(for_operator).allow == false
}

counted(agent_minute, tenant_minute) := object.union(
	object.remove(on("read"), {"counters"}),
	{"counters": {"agent_minute": agent_minute, "tenant_minute": tenant_minute}},
)

test_rate if {
	granted_by(decided(counted(600, 3000)), "granted")
	refused_by(decided(counted(601, 601)), "agent_rate_exceeded")
	refused_by(decided(counted(1, 3001)), "tenant_rate_exceeded")
	refused_by(decided(object.remove(on("read"), {"counters"})), "agent_rate_exceeded")
}

limited(value) := answer if {
	answer := secret.decision with input as value
		with data.agents as agents
		with data.limits as {"secret_agent_minute": 2, "secret_tenant_minute": 3}
}

test_rate_of_the_data if {
	granted_by(limited(counted(2, 3)), "granted")
	refused_by(limited(counted(3, 3)), "agent_rate_exceeded")
	refused_by(limited(counted(1, 4)), "tenant_rate_exceeded")
}

test_without_limits_nothing if {
	answer := secret.decision with input as on("read") with data.agents as agents
	refused_by(answer, "agent_rate_exceeded")
}

test_operators_are_not_limited if {
	granted_by(decided(by_operator(counted(9000, 9000))), "operated")
}

test_denied_by_operator if {
	answer := secret.decision with input as on("read")
		with data.limits as {}
		with data.agents as agents
		with data.platform.secret.operator.deny as {
			{"code": "closed", "message": "closed", "controls": ["SOC2:CC7.2"]},
			7,
		}
	answer.allow == false
	answer.rule == "platform.secret.operator.closed"
	answer.controls == ["NIST:AC-3", "SOC2:CC7.2"]
	count(answer.reasons) == 2
}

test_operator_is_narrowed_too if {
	answer := secret.decision with input as by_operator(on("read"))
		with data.operators as operators
		with data.platform.secret.operator.deny as {{"code": "four_eyes"}}
	answer.rule == "platform.secret.operator.four_eyes"
}

test_not_decided if {
	decided(object.remove(on("read"), {"action"})).allow == false
	decided(asked("read", {"kind": "vault"})).allow == false
	decided(asked("list", {"kind": "catalog"})).allow == false
	decided(asked("read", {"kind": "secret"})).allow == false
}

contributed(operator, tenant) := answer if {
	answer := secret.decision with input as on("read")
		with data.agents as agents
		with data.limits as {}
		with data.platform.secret.operator as operator
		with data.platform.secret.tenants as tenant
}

test_obligations_of_operator_and_tenant if {
	answer := contributed(
		{"require_approval": {{"question": "Sure?"}, 7}, "oblige": {{"kind": "max_bytes", "bytes": 9}}},
		{"require_approval": {{"question": "Really?"}}, "oblige": {{"kind": "redact", "paths": ["/a"]}}},
	)
	answer.allow == true
	answer.rule == "platform.secret.granted"
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
		"rule": "platform.secret.tenant.closed",
	}
	every odd in ["no", 7, null, false, [], {}, {"code": 7}, {"controls": "x"}] {
		contributed({}, {"deny": {odd}}) == {
			"allow": false,
			"controls": ["NIST:AC-3"],
			"obligations": [],
			"reasons": [{"code": "denied_by_tenant", "message": "the tenant's policy refuses this"}],
			"rule": "platform.secret.tenant.denied_by_tenant",
		}
	}
}

test_nobody_learns_of_a_tenants_rules_without_a_grant if {
	answer := secret.decision with input as object.union(on("read"), {"action": "fly"})
		with data.agents as agents
		with data.limits as {}
		with data.platform.secret.tenants as {"deny": {{"code": "closed"}}, "oblige": {7}}
		with data.platform.secret.operator as {"require_approval": {7}}
	answer.allow == false
	answer.obligations == []
	not answer.rule == "platform.secret.tenant.closed"
}

test_allow_needs_a_grant if {
	secret.allow == false with input as asked("list", {"kind": "catalog"})
		with data.agents as {}
		with data.operators as operators
}

# Both an agent and an operator: what either may do is allowed, and once.
dual(value, denials) := answer if {
	answer := secret.decision with input as value
		with data.agents as agents
		with data.operators as {me: {"actions": {"operate": true}}}
		with data.limits as {}
		with data.platform.secret.operator.deny as denials
}

test_agent_who_is_an_operator if {
	granted_by(dual(on("read"), set()), "granted")
	granted_by(dual(in_scope("write", tenant_wide), set()), "operated")
	granted_by(dual(counted(601, 1), set()), "operated")
	granted_by(dual(counted(1, 3001), set()), "operated")
	granted_by(dual(asked("rotate", {"kind": "vault"}), set()), "operated")
	refused_by(dual(counted(601, 1), {7}), "agent_rate_exceeded")
	dual(on("read"), {7}).rule == "platform.secret.operator.denied_by_operator"
}

with_denial(value) := answer if {
	answer := secret.decision with input as value
		with data.agents as agents
		with data.operators as operators
		with data.services as services
		with data.limits as {}
		with data.platform.secret.operator.deny as {{"code": "closed"}}
}

test_operators_are_heard_after_identity_and_rate if {
	refused_by(with_denial(counted(601, 1)), "agent_rate_exceeded")
	refused_by(with_denial(counted(1, 3001)), "tenant_rate_exceeded")
	refused_by(with_denial(by_service(on("write"), gateway)), "not_delegated")
	refused_by(with_denial(by_service(by_operator(on("write")), gateway)), "not_delegated")
	stranger := object.union(on("read"), {"identity": {"spiffe_id": "spiffe://platform.local/x"}})
	refused_by(with_denial(stranger), "unknown_identity")
	every value in [
		on("read"),
		in_scope("write", tenant_wide),
		asked("rotate", {"kind": "vault"}),
		by_operator(on("read")),
		by_operator(on("rotate")),
	] {
		answer := with_denial(value)
		answer.rule == "platform.secret.operator.closed"
		[reason.code | some reason in answer.reasons] == ["closed"]
	}
}

test_one_reason_at_a_time if {
	nobody := "spiffe://platform.local/service/other"
	refused_by(decided_with(by_service(on("read"), nobody), {}), "not_delegated")
	refused_by(decided(by_service(counted(601, 1), nobody)), "not_delegated")
	refused_by(decided(counted(601, 3001)), "agent_rate_exceeded")
	refused_by(decided_with(in_scope("write", tenant_wide), with_secrets(false)), "action_not_granted")
	busy := object.union(in_scope("write", tenant_wide), {"counters": {"agent_minute": 1, "tenant_minute": 3001}})
	refused_by(decided(busy), "tenant_rate_exceeded")
	refused_by(decided_with(busy, with_secrets(false)), "tenant_rate_exceeded")
}

test_what_fits if {
	refused_by(decided(asked("read", {"kind": "vault"})), "action_not_granted")
	refused_by(decided(asked("read", {"kind": "vault", "key": "db"})), "action_not_granted")
	refused_by(decided(asked("list", {"kind": "catalog"})), "action_not_granted")
	refused_by(decided(asked("read", {"kind": "secret"})), "action_not_granted")
	refused_by(decided(by_operator(asked("read", {"kind": "vault"}))), "not_decided")
	refused_by(decided(by_operator(asked("rotate", {"kind": "secret", "key": "db"}))), "not_decided")
	refused_by(decided(asked("rotate", {"kind": "secret", "key": "db"})), "action_not_granted")
}

test_whose_scope if {
	wide := with_secrets({"tenant_write": 1, "role_write": 1})
	refused_by(decided_with(in_scope("write", tenant_wide), wide), "scope_not_granted")
	refused_by(decided_with(in_scope("write", "spiffe://platform.local/agent/acme/bot/x"), wide), "scope_not_granted")
	role := with_secrets({"role_write": true})
	granted_by(decided_with(in_scope("write", "spiffe://platform.local/agent/acme/bot/x"), role), "granted")
	refused_by(decided_with(in_scope("write", "spiffe://platform.local/agent/acme/bots/x"), role), "scope_not_granted")
	refused_by(decided_with(in_scope("write", "spiffe://platform.local/agent/other/bot/x"), role), "scope_not_granted")
	refused_by(decided_with(in_scope("write", "spiffe://other.local/agent/acme/bot/x"), role), "scope_not_granted")
	refused_by(
		decided_with(in_scope("write", "spiffe://platform.local/agent/*"), with_secrets({"tenant_write": true})),
		"scope_not_granted",
	)
}

test_what_is_stated_beside_the_id_does_not_count if {
	role := with_secrets({"tenant_write": true, "role_write": true})
	every scope in [agent_wide, tenant_wide, "spiffe://platform.local/agent/acme/bot/x"] {
		every part, value in {"trust_domain": "other.local", "tenant": "other", "agent": "other"} {
			stated := object.union(in_scope("write", scope), {"identity": {part: value}})
			granted_by(decided_with(stated, role), "granted")
		}
	}
	refused_by(
		decided_with(object.union(in_scope("write", "spiffe://platform.local/agent/other/*"), {"identity": {"tenant": "other"}}), role),
		"scope_not_granted",
	)
}

with_tenant(value, denials) := answer if {
	answer := secret.decision with input as value
		with data.agents as agents
		with data.operators as operators
		with data.services as services
		with data.limits as {}
		with data.platform.secret.operator.deny as denials
		with data.platform.secret.tenants as {"deny": {{"code": "closed"}}}
}

test_tenants_are_heard_only_where_something_is_granted if {
	with_tenant(on("read"), set()).rule == "platform.secret.tenant.closed"
	every value in [
		by_service(on("write"), gateway),
		counted(601, 1),
		counted(1, 3001),
		in_scope("write", tenant_wide),
		asked("rotate", {"kind": "vault"}),
		by_operator(asked("list", {"kind": "catalog"})),
		by_operator(on("rotate")),
	] {
		with_tenant(value, set()) == decided(value)
	}
	answer := with_tenant(on("read"), {{"code": "frozen"}})
	[reason.code | some reason in answer.reasons] == ["frozen"]
}

test_nothing_is_allowed_without_a_grant if {
	secret.allow == false with input as by_operator(asked("list", {"kind": "catalog"}))
		with data.agents as agents
		with data.operators as operators
}

test_no_entry_grants_an_agent_to_rotate if {
	rotates := with_secrets({"actions": {"rotate": true}})
	refused_by(decided_with(on("rotate"), rotates), "action_not_granted")
}
