package platform.exchange_test

import data.platform.exchange

me := "spiffe://platform.local/agent/acme/bot/main"

# A registered agent that declared `files` for everything, `queue` for reading, `table` for writing.
entry := {
	"resources": {
		"files": {"actions": {"read": true, "write": true}},
		"queue": {"actions": {"read": true}},
		"table": {"actions": {"write": true}},
		"ghost": {"actions": {"read": false, "write": "yes"}},
		"bare": true,
	},
	"exchange": {"files": true, "bank": true},
}

agents := {me: entry}

asked(service) := {
	"spiffe_id": me,
	"service": service,
	"tenant": "acme",
	"context": {"time": "2026-01-01T00:00:00.000Z", "request_id": "r1"},
}

to(action, service) := object.union(asked(service), {"action": action})

by(spiffe_id) := object.union(asked("files"), {"spiffe_id": spiffe_id})

decided(value, entries, scopes) := answer if {
	answer := exchange.decision with input as value
		with data.agents as entries
		with data.scopes as scopes
	grants := exchange.grants with input as value
		with data.agents as entries
		with data.scopes as scopes
	sound(answer, grants)
}

# Where a request is refused for the want of something, nothing granted it either.
sound(answer, _) if answer.allow == true

sound(_, grants) if count(grants) == 0

sound(answer, _) if answer.reasons[0].code in {"exchange_denied"}

# The decision where the rule under the exact SPIFFE ID is this one for each service.
with_rule(value, rule) := decided(
	value, {me: object.union(
		object.remove(entry, ["exchange"]),
		{"exchange": {"files": rule, "queue": rule, "table": rule, "ghost": rule, "bare": rule}},
	)},
	{},
)

# The decision where only scopes hold rules.
with_scopes(value, scopes) := decided(value, {me: object.remove(entry, ["exchange"])}, scopes)

granted(answer, code, message) if {
	answer == {
		"allow": true,
		"controls": ["NIST:AC-3", "NIST:IA-5", "SOC2:CC6.1"],
		"obligations": [],
		"reasons": [{"code": code, "message": message}],
		"rule": concat(".", ["platform.exchange", code]),
	}
}

exactly(answer) if granted(answer, "granted", "a rule of this identity allows the exchange")

by_scope(answer) if {
	granted(answer, "granted_by_scope", "a rule of a scope that covers this identity allows the exchange")
}

refused(answer, code, message, controls) if {
	answer == {
		"allow": false,
		"controls": controls,
		"obligations": [],
		"reasons": [{"code": code, "message": message}],
		"rule": concat(".", ["platform.exchange", code]),
	}
}

unknown(answer) if {
	refused(
		answer, "unknown_agent", "no agent is registered under this identity",
		["NIST:AC-3", "SOC2:CC6.1"],
	)
}

malformed(answer) if {
	refused(answer, "identity_malformed", "this identity is not that of an agent", ["NIST:IA-3"])
}

mismatch(answer) if {
	refused(
		answer, "tenant_mismatch", "the tenant is not that of the identity",
		["NIST:AC-4", "NIST:IA-3"],
	)
}

no_service(answer) if {
	refused(
		answer, "service_not_granted", "the agent was not granted this service",
		["NIST:AC-6", "SOC2:CC6.1"],
	)
}

no_action(answer) if {
	refused(
		answer, "action_not_granted", "the agent was granted this service, but not for this",
		["NIST:AC-6", "SOC2:CC6.1"],
	)
}

no_rule(answer) if {
	refused(
		answer, "exchange_not_granted", "no rule allows this exchange",
		["NIST:AC-6", "SOC2:CC6.1"],
	)
}

denied(answer) if {
	refused(
		answer, "exchange_denied", "a rule refuses this exchange",
		["NIST:AC-3", "SOC2:CC6.1"],
	)
}

test_granted if {
	exactly(decided(asked("files"), agents, {}))
	exactly(decided(to("read", "files"), agents, {}))
	exactly(decided(to("write", "files"), agents, {}))
	exactly(decided(to(null, "files"), agents, {}))
}

test_only_the_named_action if {
	exactly(with_rule(to("write", "files"), {"actions": {"write": true}}))
	no_rule(with_rule(to("read", "files"), {"actions": {"write": true}}))
	exactly(with_rule(to("read", "files"), {"actions": {"read": true}}))
	no_rule(with_rule(to("write", "files"), {"actions": {"read": true}}))
}

test_without_an_action_only_a_rule_for_everything if {
	no_rule(with_rule(asked("files"), {"actions": {"read": true, "write": true}}))
	no_rule(with_rule(asked("files"), {"actions": {}}))
	no_rule(with_rule(to(null, "files"), {"actions": {"read": true, "write": true}}))
}

test_within_the_resources if {
	exactly(with_rule(to("read", "queue"), true))
	no_action(with_rule(to("write", "queue"), true))
	no_action(with_rule(asked("queue"), true))
	exactly(with_rule(to("write", "table"), true))
	no_action(with_rule(to("read", "table"), true))
	no_action(with_rule(asked("table"), true))
	no_action(with_rule(to("read", "ghost"), true))
	no_action(with_rule(to("write", "ghost"), true))
	no_action(with_rule(asked("ghost"), true))
	no_service(with_rule(asked("bare"), true))
	no_service(decided(asked("bank"), agents, {}))
	no_service(decided(to("read", "bank"), agents, {}))
	no_service(decided(asked("mail"), agents, {}))
	no_service(with_scopes(asked("bank"), {"spiffe://platform.local/*": {"exchange": {"bank": true}}}))
	no_service(decided(asked(7), agents, {}))
}

test_odd_actions if {
	every action in ["", "READ", "delete", "*", 7, true, [], {}] {
		no_action(decided(to(action, "files"), agents, {}))
	}
}

test_unknown_agent if {
	unknown(decided(asked("files"), {}, {"spiffe://platform.local/*": {"exchange": {"files": true}}}))
	every id in [
		"spiffe://platform.local/agent/acme/bot/main/",
		"spiffe://platform.local/agent/acme/botnet/main",
		"spiffe://platform.local/agent/acme/bot",
		"spiffe://platform.local/agent/acme/bot/Main",
		"", null, 7, {},
	] {
		unknown(decided(by(id), agents, {}))
	}
	unknown(decided(object.remove(asked("files"), ["spiffe_id"]), agents, {}))
}

test_malformed_though_registered if {
	every id in [
		"spiffe://platform.local/agent/acme/bot/*",
		"spiffe://platform.local/agent/acme/bot",
		"spiffe://platform.local/agent/acme/../main",
		"spiffe://platform.local/service/acme/bot/main",
	] {
		malformed(decided(by(id), {id: entry}, {}))
	}
}

test_tenant if {
	every tenant in ["other", "Acme", "", null, 7] {
		mismatch(decided(object.union(asked("files"), {"tenant": tenant}), agents, {}))
	}
	mismatch(decided(object.remove(asked("files"), ["tenant"]), agents, {}))
	elsewhere := "spiffe://platform.local/agent/other/bot/main"
	mismatch(decided(by(elsewhere), {elsewhere: entry}, {}))
}

covering := [
	"spiffe://platform.local/*",
	"spiffe://platform.local/agent/*",
	"spiffe://platform.local/agent/acme/*",
	"spiffe://platform.local/agent/acme/bot/*",
	"spiffe://platform.local/agent/acme/bot/main",
]

look_alikes := [
	"spiffe://platform.local/agent/acme/bo*",
	"spiffe://platform.local/agent/acme/bot*",
	"spiffe://platform.local/agent/acme/bot/ma*",
	"spiffe://platform.local/agent/acme/bot/main/*",
	"spiffe://platform.local/agent/acme/bot/",
	"spiffe://platform.local/agent/acme/bot",
	"spiffe://platform.local/agent/acme",
	"spiffe://platform.local/agent/acme/botnet/*",
	"spiffe://platform.local/agent/acm/*",
	"spiffe://platform.local/agent/other/*",
	"spiffe://platform.local/agent/*/bot/*",
	"spiffe://platform.localhost/*",
	"spiffe://other.local/*",
	"spiffe://*",
	"*",
	"/*",
	"",
]

test_granted_by_scope if {
	every scope in covering {
		by_scope(with_scopes(asked("files"), {scope: {"exchange": {"files": true}}}))
		by_scope(with_scopes(to("read", "queue"), {scope: {"exchange": {"queue": {"actions": {"read": true}}}}}))
		no_rule(with_scopes(asked("files"), {scope: {"exchange": {"queue": true}}}))
		no_rule(with_scopes(asked("files"), {scope: {"exchange": true}}))
	}
	every scope in look_alikes {
		no_rule(with_scopes(asked("files"), {scope: {"exchange": {"files": true}}}))
	}
}

test_an_exact_rule_is_named_before_a_scope if {
	exactly(decided(asked("files"), agents, {"spiffe://platform.local/*": {"exchange": {"files": true}}}))
}

test_exact_and_scope_add_up if {
	scopes := {"spiffe://platform.local/agent/*": {"exchange": {"files": {"actions": {"write": true}}}}}
	reads := {me: {
		"resources": entry.resources,
		"exchange": {"files": {"actions": {"read": true}}},
	}}
	exactly(decided(to("read", "files"), reads, scopes))
	by_scope(decided(to("write", "files"), reads, scopes))
	no_rule(decided(asked("files"), reads, scopes))
}

everything := {"exchange": {"files": true}}

test_a_rule_that_refuses_wins_wherever_it_stands if {
	every rule in [false, null, 0, "true", "deny", [], {}, {"actions": false}, {"actions": {"read": false}}] {
		denied(with_rule(to("read", "files"), rule))
		denied(with_rule(asked("files"), rule))
		every scope in covering {
			denied(decided(to("read", "files"), agents, {scope: {"exchange": {"files": rule}}}))
			denied(decided(asked("files"), agents, {scope: {"exchange": {"files": rule}}}))
		}
		every scope in look_alikes {
			exactly(decided(to("read", "files"), agents, {scope: {"exchange": {"files": rule}}}))
		}
		allowed := {me: {"resources": entry.resources, "exchange": {"files": rule}}}
		denied(decided(to("read", "files"), allowed, {"spiffe://platform.local/*": everything}))
		denied(decided(to("read", "files"), agents, {
			"spiffe://platform.local/*": everything,
			"spiffe://platform.local/agent/*": {"exchange": {"files": rule}},
		}))
	}
}

test_refusing_one_action_leaves_the_others if {
	scopes := {"spiffe://platform.local/agent/acme/*": {"exchange": {"files": {"actions": {"write": false, "read": true}}}}}
	exactly(decided(to("read", "files"), agents, scopes))
	denied(decided(to("write", "files"), agents, scopes))
	denied(decided(asked("files"), agents, scopes))
	by_scope(with_scopes(to("read", "files"), scopes))
	every value in [null, "yes", 1, {}] {
		odd := {"spiffe://platform.local/agent/acme/*": {"exchange": {"files": {"actions": {"write": value}}}}}
		denied(decided(to("write", "files"), agents, odd))
		denied(decided(asked("files"), agents, odd))
		exactly(decided(to("read", "files"), agents, odd))
	}
}

test_refusing_says_nothing_of_what_is_not_declared if {
	no_service(decided(asked("mail"), agents, {"spiffe://platform.local/*": {"exchange": {"mail": false}}}))
	no_action(decided(to("write", "queue"), agents, {"spiffe://platform.local/*": {"exchange": {"queue": false}}}))
	exactly(decided(asked("files"), agents, {"spiffe://platform.local/*": {"exchange": {"queue": false}}}))
}

test_missing_members_grant_nothing if {
	every member in ["spiffe_id", "service", "tenant"] {
		answer := decided(object.remove(asked("files"), [member]), agents, {})
		answer.allow == false
	}
	no_data := exchange.decision with input as asked("files")
	no_data.rule == "platform.exchange.unknown_agent"
	not exchange.allow with input as {} with data.agents as agents
}

test_operator_and_tenants_refuse if {
	by_operator := exchange.decision with input as asked("files")
		with data.agents as agents
		with data.platform.exchange.operator.deny as {{"code": "frozen", "message": "m", "controls": ["SOC2:CC7.2"]}}
	by_operator == {
		"allow": false,
		"controls": ["NIST:AC-3", "SOC2:CC7.2"],
		"obligations": [],
		"reasons": [{"code": "frozen", "message": "m"}],
		"rule": "platform.exchange.operator.frozen",
	}
	by_tenant := exchange.decision with input as asked("files")
		with data.agents as agents
		with data.platform.exchange.tenants.deny as {false}
	by_tenant == {
		"allow": false,
		"controls": ["NIST:AC-3"],
		"obligations": [],
		"reasons": [{"code": "denied_by_tenant", "message": "the tenant's policy refuses this"}],
		"rule": "platform.exchange.tenant.denied_by_tenant",
	}
}

test_contributions_say_nothing_of_what_is_not_granted if {
	answer := exchange.decision with input as asked("mail")
		with data.agents as agents
		with data.platform.exchange.operator.deny as {{"code": "frozen"}}
		with data.platform.exchange.tenants.deny as {{"code": "frozen"}}
		with data.platform.exchange.operator.oblige as {{"kind": "max_bytes", "bytes": 1}}
	no_service(answer)
}

test_operator_and_tenants_demand if {
	limit := {"kind": "rate", "limit": 1, "window_seconds": 60, "per": "agent"}
	asks := {"kind": "require_approval", "question": "q"}
	operators := exchange.decision with input as asked("files")
		with data.agents as agents
		with data.platform.exchange.operator.oblige as {limit}
		with data.platform.exchange.operator.require_approval as {{"question": "q"}}
	operators.allow == true
	operators.obligations == [limit, asks]
	tenants := exchange.decision with input as asked("files")
		with data.agents as agents
		with data.platform.exchange.tenants.oblige as {limit}
		with data.platform.exchange.tenants.require_approval as {{"question": "q"}}
	tenants.allow == true
	tenants.obligations == [limit, asks]
	all_demanded := exchange.obligations with input as asked("mail")
		with data.agents as agents
		with data.platform.exchange.operator.oblige as {limit}
		with data.platform.exchange.tenants.oblige as {limit}
	all_demanded == set()
}

# What refuses is enough to refuse, and so is the want of a grant.
test_nothing_is_allowed_without_a_grant if {
	exchange.allow == false with input as {}
	without_reasons := exchange.allow with input as asked("mail")
		with data.agents as agents
		with data.platform.exchange.reasons as set()
	without_reasons == false
}

granted_codes(value, entries, scopes) := {grant.code | some grant in found} if {
	found := exchange.grants with input as value
		with data.agents as entries
		with data.scopes as scopes
}

test_grants_are_within_the_resources_and_the_rules if {
	granted_codes(asked("files"), agents, {}) == {"granted"}
	granted_codes(asked("bank"), agents, {}) == set()
	granted_codes(to("read", "bank"), agents, {}) == set()
	no_own := {me: object.remove(entry, ["exchange"])}
	bank := {"spiffe://platform.local/*": {"exchange": {"bank": true, "files": {"actions": {"write": true}}}}}
	granted_codes(asked("bank"), no_own, bank) == set()
	granted_codes(to("read", "files"), no_own, bank) == set()
	granted_codes(to("write", "files"), no_own, bank) == {"granted_by_scope"}
	reads := {me: {"resources": entry.resources, "exchange": {"files": {"actions": {"read": true}}}}}
	granted_codes(to("write", "files"), reads, {}) == set()
}

elsewhere(value) := object.union(value, {"tenant": "other"})

test_one_reason_at_a_time if {
	refusing := {"spiffe://platform.local/*": {"exchange": {"files": false}}}
	every value in [asked("mail"), asked("files"), to("read", "files"), to("write", "queue")] {
		mismatch(decided(elsewhere(value), agents, {}))
		mismatch(decided(elsewhere(value), agents, refusing))
		unknown(decided(elsewhere(value), {}, refusing))
	}
}
