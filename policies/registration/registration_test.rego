package platform.registration_test

import data.platform.registration

bot := "spiffe://platform.local/agent/acme/bot/main"

viewer := "spiffe://platform.local/operator/viewer"

person := "spiffe://platform.local/operator/local"

resources := {
	"catalog": {"actions": {"write": true}, "services": {"notes": true, "mail": true, "bank": true}},
	"notes": {"actions": {"read": true, "write": true}},
	"files": {"actions": {"read": true, "write": true}},
	"mail": {"actions": {"read": true}},
}

agents := {bot: {"tenant": "acme", "agent": "bot", "role": "main", "resources": resources}}

operators := {person: {"actions": {"operate": true}}, viewer: {"actions": {"view": true}}}

limits := {"agent_minute": 120, "tenant_minute": 600}

request(id) := {
	"action": "register",
	"identity": {
		"spiffe_id": id,
		"trust_domain": "platform.local",
		"tenant": "acme",
		"agent": "bot",
		"role": "main",
	},
	"resource": {"kind": "catalog"},
	"counters": {"agent_minute": 1, "tenant_minute": 1},
	"context": {"time": "2026-01-01T00:00:00.000Z", "request_id": "r1"},
}

with_member(value, key, member) := object.union(object.remove(value, {key}), {key: member})

of_service(id, service) := with_member(
	request(id), "resource",
	{"kind": "catalog", "service": service, "source": "schema", "origin": "https://a.example", "tools": 1},
)

counted(id, agent_minute, tenant_minute) := with_member(
	request(id), "counters",
	{"agent_minute": agent_minute, "tenant_minute": tenant_minute},
)

decided(value) := answer if {
	answer := registration.decision with input as value
		with data.agents as agents
		with data.operators as operators
		with data.limits as limits
}

decided_of(value, granted) := answer if {
	answer := registration.decision with input as value
		with data.agents as {bot: {"resources": granted}}
		with data.limits as limits
}

contributed(value, operator, tenant) := answer if {
	answer := registration.decision with input as value
		with data.agents as agents
		with data.operators as operators
		with data.limits as limits
		with data.platform.registration.operator as operator
		with data.platform.registration.tenants as tenant
}

refusal(code, message, controls) := {
	"allow": false,
	"controls": controls,
	"obligations": [],
	"reasons": [{"code": code, "message": message}],
	"rule": concat(".", ["platform.registration", code]),
}

catalog_write := {
	"allow": true,
	"controls": ["NIST:CM-3", "SOC2:CC8.1"],
	"obligations": [],
	"reasons": [{"code": "catalog_write", "message": "this identity may register tools"}],
	"rule": "platform.registration.catalog_write",
}

unknown_agent := refusal(
	"unknown_agent",
	"no agent is registered under this identity",
	["NIST:AC-3", "SOC2:CC6.1"],
)

catalog_not_granted := refusal(
	"catalog_not_granted",
	"this identity may not change the catalog of tools",
	["NIST:CM-3", "SOC2:CC8.1"],
)

service_not_listed := refusal(
	"service_not_listed",
	"this identity may register tools, but not of this service",
	["NIST:CM-3", "SOC2:CC8.1"],
)

not_decided := refusal("not_decided", "no rule allows this", ["NIST:AC-3"])

agent_rate_exceeded := refusal(
	"agent_rate_exceeded",
	"the agent has reached its limit of calls a minute",
	["NIST:SC-5"],
)

tenant_rate_exceeded := refusal(
	"tenant_rate_exceeded",
	"the tenant has reached its limit of calls a minute",
	["NIST:SC-5"],
)

test_catalog_write_of_an_agent if {
	decided(request(bot)) == catalog_write
	decided(of_service(bot, "notes")) == catalog_write
}

test_catalog_write_of_an_operator if {
	decided(request(person)) == catalog_write
	decided(of_service(person, "anything")) == catalog_write
	registration.allow with input as request(person)
		with data.operators as operators
		with data.limits as limits
}

test_default_is_false if {
	registration.allow == false with input as {}
	registration.decision == unknown_agent with input as {}
}

test_unknown_agent if {
	every id in [viewer, concat("", [bot, "x"]), concat("", [bot, "/x"]), ""] {
		decided(request(id)) == unknown_agent
	}
	decided(object.remove(request(bot), {"identity"})) == unknown_agent
	decided(with_member(request(person), "action", "list")) == unknown_agent
	decided(with_member(request(person), "resource", {"kind": "tool"})) == unknown_agent
}

test_unknown_before_the_rates if {
	decided(counted(viewer, 999, 999)) == unknown_agent
	decided(counted(viewer, 1, 999)) == unknown_agent
}

test_agent_rate if {
	every id in [bot, person] {
		decided(counted(id, 120, 600)) == catalog_write
		decided(counted(id, 121, 600)) == agent_rate_exceeded
		decided(counted(id, 121, 601)) == agent_rate_exceeded
		decided(object.remove(request(id), {"counters"})) == agent_rate_exceeded
	}
}

test_tenant_rate if {
	every id in [bot, person] {
		decided(counted(id, 120, 601)) == tenant_rate_exceeded
		decided(with_member(request(id), "counters", {"agent_minute": 1})) == tenant_rate_exceeded
	}
}

test_without_limits_nothing if {
	registration.decision == agent_rate_exceeded with input as request(bot) with data.agents as agents
}

test_rates_before_the_grants if {
	value := with_member(counted(bot, 121, 1), "resource", {"kind": "catalog", "service": "none"})
	decided(value) == agent_rate_exceeded
	listed := with_member(counted(bot, 121, 1), "resource", {"kind": "catalog", "service": "files"})
	decided(listed) == agent_rate_exceeded
}

test_catalog_not_granted if {
	decided_of(request(bot), object.remove(resources, {"catalog"})) == catalog_not_granted
	read_only := {"actions": {"read": true}, "services": {"notes": true}}
	decided_of(request(bot), with_member(resources, "catalog", read_only)) == catalog_not_granted
	decided_of(of_service(bot, "notes"), with_member(resources, "catalog", read_only)) == catalog_not_granted
}

test_services_only_that_the_agent_may_write_to if {
	every service in ["mail", "bank", "", "note", "notesx"] {
		decided(of_service(bot, service)) == catalog_not_granted
	}
}

test_services_only_that_the_grant_lists if {
	decided(of_service(bot, "files")) == service_not_listed
	every odd in [false, null, 7, "yes", {}] {
		of_catalog := {"actions": {"write": true}, "services": {"notes": odd}}
		decided_of(of_service(bot, "notes"), with_member(resources, "catalog", of_catalog)) == service_not_listed
	}
	nothing := {"actions": {"write": true}}
	decided_of(of_service(bot, "notes"), with_member(resources, "catalog", nothing)) == service_not_listed
}

test_not_decided if {
	decided(with_member(request(bot), "action", "list")) == not_decided
	decided(object.remove(of_service(bot, "notes"), {"action"})) == not_decided
	decided(with_member(request(bot), "resource", {"kind": "tool"})) == not_decided
	decided(object.remove(request(bot), {"resource"})) == not_decided
}

test_nothing_granted_is_nothing_allowed if {
	registration.allow == false with input as with_member(request(bot), "action", "list")
		with data.agents as agents
		with data.limits as limits
	of_tool := with_member(request(bot), "resource", {"kind": "tool"})
	decided_of(of_tool, object.remove(resources, {"catalog"})) == not_decided
	decided_of(with_member(of_tool, "resource", {"kind": "tool", "service": "files"}), resources) == not_decided
}

test_an_operator_who_is_an_agent_too_needs_no_list if {
	registration.decision == catalog_write with input as of_service(person, "files")
		with data.agents as {person: {"resources": resources}}
		with data.operators as operators
		with data.limits as limits
}

test_denied_by_operator_and_tenant if {
	answer := contributed(
		of_service(bot, "notes"),
		{"deny": {{"code": "closed", "message": "closed", "controls": ["SOC2:CC7.2"]}}},
		{"deny": {7}},
	)
	answer == {
		"allow": false,
		"controls": ["NIST:AC-3", "SOC2:CC7.2"],
		"obligations": [],
		"reasons": [
			{"code": "closed", "message": "closed"},
			{"code": "denied_by_tenant", "message": "the tenant's policy refuses this"},
		],
		"rule": "platform.registration.operator.closed",
	}
	contributed(request(person), {}, {"deny": {7}}).rule == "platform.registration.tenant.denied_by_tenant"
	contributed(request(person), {"deny": {7}}, {}).rule == "platform.registration.operator.denied_by_operator"
}

test_others_refuse_only_what_is_granted if {
	every value in [
		of_service(bot, "files"),
		of_service(bot, "mail"),
		counted(bot, 121, 1),
		counted(bot, 1, 601),
		counted(person, 121, 1),
		counted(person, 1, 601),
	] {
		contributed(value, {"deny": {7}}, {"deny": {7}}) == decided(value)
	}
	contributed(with_member(request(bot), "action", "list"), {"deny": {7}}, {"deny": {7}}) == not_decided
}

test_obligations_of_operator_and_tenant if {
	answer := contributed(
		of_service(bot, "notes"),
		{"require_approval": {{"question": "Sure?"}}, "oblige": {{"kind": "max_bytes", "bytes": 9}}},
		{"require_approval": {7}, "oblige": {{"kind": "redact", "paths": ["/a"]}}},
	)
	answer.allow
	answer.obligations == [
		{"bytes": 9, "kind": "max_bytes"},
		{"kind": "redact", "paths": ["/a"]},
		{"kind": "require_approval", "question": "May this be done?"},
		{"kind": "require_approval", "question": "Sure?"},
	]
}

test_each_demand_alone if {
	contributed(request(bot), {"oblige": {7}}, {}).obligations == [7]
	contributed(request(bot), {}, {"oblige": {7}}).obligations == [7]
	question := [{"kind": "require_approval", "question": "May this be done?"}]
	contributed(request(bot), {"require_approval": {7}}, {}).obligations == question
	contributed(request(bot), {}, {"require_approval": {7}}).obligations == question
}
