package platform.message_test

import data.platform.message

bot := "spiffe://platform.local/agent/acme/bot/main"

peer := "spiffe://platform.local/agent/acme/peer/worker"

foreign := "spiffe://platform.local/agent/other/desk/main"

# The same tenant's name in another trust domain, which is another tenant.
abroad := "spiffe://other.local/agent/acme/peer/worker"

parts(id) := {
	"spiffe_id": id,
	"trust_domain": segments[2],
	"tenant": segments[4],
	"agent": segments[5],
	"role": segments[6],
} if {
	segments := split(id, "/")
}

message_of(action, caller, target) := {
	"action": action,
	"identity": parts(caller),
	"target": object.remove(parts(target), ["trust_domain"]),
	"counters": {"agent_minute": 1, "tenant_minute": 1},
	"context": {"time": "2026-01-01T00:00:00.000Z", "request_id": "r1"},
}

sent := message_of("send", bot, peer)

decided(value, agents, scopes) := answer if {
	answer := message.decision with input as value
		with data.agents as agents
		with data.scopes as scopes
		with data.limits as {}
	grants := message.grants with input as value
		with data.agents as agents
		with data.scopes as scopes
		with data.limits as {}
	sound(answer, grants)
}

# Where a request is refused for the want of something, nothing granted it either.
sound(answer, _) if answer.allow == true

sound(_, grants) if count(grants) == 0

sound(answer, _) if answer.reasons[0].code in {"separated", "agent_rate_exceeded", "tenant_rate_exceeded"}

# Two agents of which the first may say `rule` of sending and the second of receiving.
pair(caller, target, sends, receives) := {
	caller: {"peers": {"send": sends}},
	target: {"peers": {"receive": receives}},
}

both(rule) := pair(bot, peer, {peer: rule}, {bot: rule})

granted(answer) if {
	answer == {
		"allow": true,
		"controls": ["NIST:AC-4", "SOC2:CC6.1"],
		"obligations": [],
		"reasons": [{"code": "granted", "message": "the caller may send to the target, and the target takes it"}],
		"rule": "platform.message.granted",
	}
}

across(answer) if {
	answer == {
		"allow": true,
		"controls": ["NIST:AC-4", "NIST:CA-3", "SOC2:CC6.1"],
		"obligations": [],
		"reasons": [{"code": "granted_across_tenants", "message": "both sides name each other"}],
		"rule": "platform.message.granted_across_tenants",
	}
}

refused(answer, code, message, controls) if {
	answer == {
		"allow": false,
		"controls": controls,
		"obligations": [],
		"reasons": [{"code": code, "message": message}],
		"rule": concat(".", ["platform.message", code]),
	}
}

malformed(answer) if {
	refused(answer, "identity_malformed", "this is not the identity of an agent", ["NIST:IA-3"])
}

no_caller(answer) if {
	refused(
		answer, "unknown_agent", "no agent is registered under this identity",
		["NIST:AC-3", "SOC2:CC6.1"],
	)
}

no_target(answer) if {
	refused(
		answer, "unknown_target", "no agent is registered under the identity of the target",
		["NIST:AC-3", "SOC2:CC6.1"],
	)
}

separated(answer) if {
	refused(
		answer, "separated", "these agents must not talk to each other",
		["NIST:AC-4", "NIST:AC-5"],
	)
}

no_send(answer) if {
	refused(
		answer, "send_not_granted", "the caller was not granted to send to this agent",
		["NIST:AC-4", "NIST:AC-6", "SOC2:CC6.1"],
	)
}

no_receive(answer) if {
	refused(
		answer, "receive_not_granted", "the target does not receive this from the caller",
		["NIST:AC-4", "NIST:AC-6", "SOC2:CC6.1"],
	)
}

test_both_sides_agree if {
	every action in ["send", "receive"] {
		granted(decided(message_of(action, bot, peer), both(true), {}))
		no_receive(decided(message_of(action, bot, peer), pair(bot, peer, {peer: true}, {}), {}))
		no_send(decided(message_of(action, bot, peer), pair(bot, peer, {}, {bot: true}), {}))
		no_send(decided(message_of(action, bot, peer), pair(bot, peer, {}, {}), {}))
		no_send(decided(message_of(action, peer, bot), both(true), {}))
	}
	no_send(decided(sent, {bot: {}, peer: {}}, {}))
	no_send(decided(sent, {bot: {"peers": {"receive": {peer: true}}}, peer: {"peers": {"send": {bot: true}}}}, {}))
}

test_other_actions if {
	every action in ["Send", "list", "", null] {
		answer := decided(object.union(sent, {"action": action}), both(true), {})
		refused(answer, "not_decided", "no rule allows this", ["NIST:AC-3"])
	}
}

test_unknown if {
	no_caller(decided(sent, {peer: {"peers": {"receive": {bot: true}}}}, {}))
	no_target(decided(sent, {bot: {"peers": {"send": {peer: true}}}}, {}))
	no_caller(decided(sent, {}, {}))
	no_data := message.decision with input as sent
	no_caller(no_data)
}

test_malformed if {
	every id in [
		"spiffe://platform.local/agent/acme/bot/*",
		"spiffe://platform.local/service/acme/bot/main",
		"spiffe://platform.local/agent/acme/../main",
	] {
		as_caller := object.union(sent, {"identity": parts(id)})
		malformed(decided(as_caller, {id: {"peers": {"send": {peer: true}}}, peer: {"peers": {"receive": {id: true}}}}, {}))
		as_target := object.union(sent, {"target": object.remove(parts(id), ["trust_domain"])})
		malformed(decided(as_target, {bot: {"peers": {"send": {id: true}}}, id: {"peers": {"receive": {bot: true}}}}, {}))
	}
	malformed(decided({}, both(true), {}))
	malformed(decided(object.remove(sent, ["identity"]), both(true), {}))
	malformed(decided(object.remove(sent, ["target"]), both(true), {}))
}

test_parts_that_are_not_those_of_the_id if {
	every member in ["trust_domain", "tenant", "agent", "role"] {
		malformed(decided(object.union(sent, {"identity": {member: "x"}}), both(true), {}))
	}
	every member in ["tenant", "agent", "role"] {
		malformed(decided(object.union(sent, {"target": {member: "x"}}), both(true), {}))
	}
}

scopes_of_bot := [
	"spiffe://platform.local/*",
	"spiffe://platform.local/agent/*",
	"spiffe://platform.local/agent/acme/*",
	"spiffe://platform.local/agent/acme/bot/*",
	bot,
]

scopes_of_peer := [
	"spiffe://platform.local/*",
	"spiffe://platform.local/agent/*",
	"spiffe://platform.local/agent/acme/*",
	"spiffe://platform.local/agent/acme/peer/*",
	peer,
]

test_peers_named_by_scope if {
	every scope in scopes_of_peer {
		granted(decided(sent, pair(bot, peer, {scope: true}, {bot: true}), {}))
	}
	every scope in scopes_of_bot {
		granted(decided(sent, pair(bot, peer, {peer: true}, {scope: true}), {}))
	}
	every scope in [
		"spiffe://platform.local/agent/acme/pee/*",
		"spiffe://platform.local/agent/acme/peer*",
		"spiffe://platform.local/agent/acme/peer",
		"spiffe://platform.local/agent/acme/peers/*",
		"spiffe://platform.local/agent/acm/*",
		"spiffe://platform.localhost/*",
		"*",
	] {
		no_send(decided(sent, pair(bot, peer, {scope: true}, {bot: true}), {}))
		granted(decided(sent, {bot: {"peers": {"send": {peer: true}, "never": {scope: true}}}, peer: {"peers": {"receive": {bot: true}}}}, {}))
	}
}

test_sides_that_are_in_scopes if {
	every scope in scopes_of_bot {
		granted(decided(sent, pair(bot, peer, {}, {bot: true}), {scope: {"peers": {"send": {peer: true}}}}))
	}
	every scope in scopes_of_peer {
		granted(decided(sent, pair(bot, peer, {peer: true}, {}), {scope: {"peers": {"receive": {bot: true}}}}))
	}
	no_send(decided(sent, pair(bot, peer, {}, {bot: true}), {"spiffe://platform.local/agent/acme/bo/*": {"peers": {"send": {peer: true}}}}))
	open := {"spiffe://platform.local/agent/acme/*": {"peers": {
		"send": {"spiffe://platform.local/agent/acme/*": true},
		"receive": {"spiffe://platform.local/agent/acme/*": true},
	}}}
	granted(decided(sent, {bot: {}, peer: {}}, open))
}

test_separation_wins if {
	every action in ["send", "receive"] {
		value := message_of(action, bot, peer)
		every scope in scopes_of_peer {
			separated(decided(value, object.union(both(true), {bot: {"peers": {"never": {scope: true}}}}), {}))
			separated(decided(value, object.union(both(true), {bot: {"peers": {"never": {scope: null}}}}), {}))
			separated(decided(value, both(true), {scope: {"peers": {"never": {bot: true}}}}))
		}
		every scope in scopes_of_bot {
			separated(decided(value, object.union(both(true), {peer: {"peers": {"never": {scope: true}}}}), {}))
			separated(decided(value, both(true), {scope: {"peers": {"never": {peer: true}}}}))
		}
	}
}

test_separation_of_nobody if {
	granted(decided(sent, object.union(both(true), {bot: {"peers": {"never": {peer: false}}}}), {}))
	granted(decided(sent, object.union(both(true), {peer: {"peers": {"never": {bot: false}}}}), {}))
	granted(decided(sent, object.union(both(true), {bot: {"peers": {"never": {}}}}), {}))
	granted(decided(sent, object.union(both(true), {bot: {"peers": {"never": {foreign: true}}}}), {}))
}

test_separation_that_cannot_be_read if {
	every never in [true, null, peer, [peer]] {
		separated(decided(sent, object.union(both(true), {bot: {"peers": {"never": never}}}), {}))
		separated(decided(sent, object.union(both(true), {peer: {"peers": {"never": never}}}), {}))
		separated(decided(sent, both(true), {"spiffe://platform.local/*": {"peers": {"never": never}}}))
	}
}

test_separation_is_said_before_what_is_not_granted if {
	separated(decided(sent, {bot: {"peers": {"never": {peer: true}}}, peer: {}}, {}))
	separated(decided(sent, {bot: {"peers": {"send": {peer: true}, "never": {peer: true}}}, peer: {}}, {}))
}

test_a_rule_that_refuses if {
	open := {"spiffe://platform.local/agent/acme/*": {"peers": {
		"send": {"spiffe://platform.local/agent/acme/*": true},
		"receive": {"spiffe://platform.local/agent/acme/*": true},
	}}}
	every rule in [false, null, 0, "true", [], {}, {"skills": true}, {"skill": {"x": true}}] {
		separated(decided(sent, pair(bot, peer, {peer: rule}, {}), open))
		separated(decided(sent, pair(bot, peer, {}, {bot: rule}), open))
	}
}

asking(skill) := object.union(sent, {"skill": skill})

test_skills if {
	only := {"skills": {"sum": true, "pay": false}}
	granted(decided(asking("sum"), both(only), {}))
	granted(decided(asking("sum"), both(true), {}))
	no_send(decided(asking("draw"), both(only), {}))
	no_receive(decided(asking("draw"), pair(bot, peer, {peer: true}, {bot: only}), {}))
	no_send(decided(sent, both(only), {}))
	separated(decided(asking("pay"), both(only), {}))
	separated(decided(asking("pay"), pair(bot, peer, {peer: true, "spiffe://platform.local/*": only}, {bot: true}), {}))
	granted(decided(asking("sum"), pair(bot, peer, {peer: true, "spiffe://platform.local/*": only}, {bot: true}), {}))
}

between(caller, target) := message_of("send", caller, target)

named(caller, target) := pair(caller, target, {target: true}, {caller: true})

test_across_tenants_both_name_each_other if {
	every other in [foreign, abroad] {
		across(decided(between(bot, other), named(bot, other), {}))
		across(decided(between(other, bot), named(other, bot), {}))
		across(decided(message_of("receive", other, bot), named(other, bot), {}))
		no_receive(decided(between(bot, other), pair(bot, other, {other: true}, {}), {}))
		no_send(decided(between(bot, other), pair(bot, other, {}, {bot: true}), {}))
	}
}

test_no_scope_grants_across_tenants if {
	every scope in ["spiffe://platform.local/*", "spiffe://platform.local/agent/*", "spiffe://platform.local/agent/other/*", "spiffe://platform.local/agent/other/desk/*"] {
		no_send(decided(between(bot, foreign), pair(bot, foreign, {scope: true}, {bot: true}), {}))
	}
	every scope in array.slice(scopes_of_bot, 0, 4) {
		no_receive(decided(between(bot, foreign), pair(bot, foreign, {foreign: true}, {scope: true}), {}))
	}
	everywhere := {"spiffe://platform.local/*": {"peers": {
		"send": {"spiffe://platform.local/*": true, bot: true, foreign: true},
		"receive": {"spiffe://platform.local/*": true, bot: true, foreign: true},
	}}}
	no_send(decided(between(bot, foreign), {bot: {}, foreign: {}}, everywhere))
	no_receive(decided(between(bot, foreign), pair(bot, foreign, {foreign: true}, {}), everywhere))
	exact := {
		bot: {"peers": {"send": {foreign: true}}},
		foreign: {"peers": {"receive": {bot: true}}},
	}
	no_send(decided(between(bot, foreign), {bot: {}, foreign: {}}, exact))
}

test_across_tenants_by_skill if {
	only := {"skills": {"sum": true}}
	value := object.union(between(bot, foreign), {"skill": "sum"})
	across(decided(value, pair(bot, foreign, {foreign: only}, {bot: only}), {}))
	no_send(decided(between(bot, foreign), pair(bot, foreign, {foreign: only}, {bot: true}), {}))
	no_receive(decided(between(bot, foreign), pair(bot, foreign, {foreign: true}, {bot: only}), {}))
}

test_separated_across_tenants if {
	agreed := named(bot, foreign)
	separated(decided(between(bot, foreign), object.union(agreed, {bot: {"peers": {"never": {"spiffe://platform.local/agent/other/*": true}}}}), {}))
	separated(decided(between(bot, foreign), agreed, {"spiffe://platform.local/agent/acme/*": {"peers": {"never": {foreign: true}}}}))
	separated(decided(between(bot, foreign), agreed, {"spiffe://platform.local/agent/*": {"peers": {"receive": {bot: false}}}}))
}

counted(agent, tenant) := object.union(sent, {"counters": {"agent_minute": agent, "tenant_minute": tenant}})

agent_rate(answer) if {
	refused(
		answer, "agent_rate_exceeded", "the agent has reached its limit of messages a minute",
		["NIST:SC-5"],
	)
}

tenant_rate(answer) if {
	refused(
		answer, "tenant_rate_exceeded", "the tenant has reached its limit of messages a minute",
		["NIST:SC-5"],
	)
}

limited(value, limits) := answer if {
	answer := message.decision with input as value
		with data.agents as both(true)
		with data.limits as limits
}

test_limits if {
	granted(limited(counted(120, 600), {}))
	agent_rate(limited(counted(121, 600), {}))
	tenant_rate(limited(counted(120, 601), {}))
	limits := {"message_agent_minute": 2, "message_tenant_minute": 3}
	granted(limited(counted(2, 3), limits))
	agent_rate(limited(counted(3, 3), limits))
	tenant_rate(limited(counted(2, 4), limits))
	granted(limited(counted(200, 3), {"message_agent_minute": 200, "message_tenant_minute": 3}))
}

test_limits_and_counts_that_cannot_be_read if {
	every value in [null, "1", false, {}] {
		agent_rate(limited(counted(value, 1), {}))
		tenant_rate(limited(counted(1, value), {}))
		agent_rate(limited(sent, {"message_agent_minute": value}))
		tenant_rate(limited(sent, {"message_tenant_minute": value}))
	}
	agent_rate(limited(object.union(object.remove(sent, ["counters"]), {"counters": {"tenant_minute": 1}}), {}))
	tenant_rate(limited(object.union(object.remove(sent, ["counters"]), {"counters": {"agent_minute": 1}}), {}))
	both_rates := limited(object.remove(sent, ["counters"]), {})
	both_rates.rule == "platform.message.agent_rate_exceeded"
	count(both_rates.reasons) == 2
}

test_rates_of_strangers_are_not_told if {
	no_caller(decided(object.remove(sent, ["counters"]), {}, {}))
	malformed(decided(object.remove(sent, ["counters", "target"]), both(true), {}))
}

test_operator_and_tenants_refuse if {
	by_operator := message.decision with input as sent
		with data.agents as both(true)
		with data.platform.message.operator.deny as {{"code": "frozen", "message": "m", "controls": ["SOC2:CC7.2"]}}
	by_operator == {
		"allow": false,
		"controls": ["NIST:AC-3", "SOC2:CC7.2"],
		"obligations": [],
		"reasons": [{"code": "frozen", "message": "m"}],
		"rule": "platform.message.operator.frozen",
	}
	by_tenant := message.decision with input as sent
		with data.agents as both(true)
		with data.platform.message.tenants.deny as {false}
	by_tenant == {
		"allow": false,
		"controls": ["NIST:AC-3"],
		"obligations": [],
		"reasons": [{"code": "denied_by_tenant", "message": "the tenant's policy refuses this"}],
		"rule": "platform.message.tenant.denied_by_tenant",
	}
}

test_contributions_say_nothing_of_what_is_not_granted if {
	answer := message.decision with input as between(peer, bot)
		with data.agents as both(true)
		with data.platform.message.operator.deny as {{"code": "frozen"}}
		with data.platform.message.tenants.deny as {{"code": "frozen"}}
		with data.platform.message.operator.oblige as {{"kind": "max_bytes", "bytes": 1}}
	no_send(answer)
}

test_operator_and_tenants_demand if {
	limit := {"kind": "rate", "limit": 1, "window_seconds": 60, "per": "agent"}
	asks := {"kind": "require_approval", "question": "q"}
	operators := message.decision with input as sent
		with data.agents as both(true)
		with data.platform.message.operator.oblige as {limit}
		with data.platform.message.operator.require_approval as {{"question": "q"}}
	operators.allow == true
	operators.obligations == [limit, asks]
	tenants := message.decision with input as sent
		with data.agents as both(true)
		with data.platform.message.tenants.oblige as {limit}
		with data.platform.message.tenants.require_approval as {{"question": "q"}}
	tenants.allow == true
	tenants.obligations == [limit, asks]
	all_demanded := message.obligations with input as between(peer, bot)
		with data.agents as both(true)
		with data.platform.message.operator.oblige as {limit}
		with data.platform.message.tenants.oblige as {limit}
	all_demanded == set()
}

# What refuses is enough to refuse, and so is the want of a grant.
test_nothing_is_allowed_without_a_grant if {
	message.allow == false with input as {}
	without_reasons := message.allow with input as between(peer, bot)
		with data.agents as both(true)
		with data.platform.message.reasons as set()
	without_reasons == false
}
