package platform.tool.operator_test

import data.platform.tool.operator

bot := "spiffe://platform.local/agent/acme/oncall/main"

agents := {bot: {"tenant": "acme"}, "spiffe://platform.local/agent/acme/other/main": {"tenant": "acme"}}

incident := {"ticket": "INC-4711", "until": "2026-11-21T18:00:00.000Z", "agents": {bot: true}}

tools := {"db_restore": {"protected": true}, "db_status": {"protected": false}}

at(time) := {
	"action": "call",
	"identity": {"spiffe_id": bot},
	"resource": {"kind": "tool", "name": "db_restore"},
	"context": {"time": time},
}

now := at("2026-11-21T17:59:59.999Z")

denied(request, current) if {
	count(operator.deny) > 0 with input as request
		with data.agents as agents
		with data.tools as tools
		with data.tenants as {"acme": {"incident": current}}
}

asked(request, current) := questions if {
	questions := operator.require_approval with input as request
		with data.agents as agents
		with data.tools as tools
		with data.tenants as {"acme": {"incident": current}}
}

test_open_is_asked_with_its_ticket if {
	not denied(now, incident)
	asked(now, incident) == {{"question": "Break-glass under INC-4711: may the agent do this?"}}
}

test_over_is_over if {
	denied(at("2026-11-21T18:00:00.000Z"), incident)
	asked(at("2026-11-21T18:00:00.000Z"), incident) == set()
}

test_for_named_agents_only if {
	other := {"identity": {"spiffe_id": "spiffe://platform.local/agent/acme/other/main"}}
	denied(object.union(now, other), incident)
	denied(now, object.union(incident, {"agents": {bot: false}}))
}

test_no_ticket_no_end_no_incident_opens_nothing if {
	denied(now, object.union(incident, {"ticket": "none"}))
	denied(now, object.remove(incident, {"ticket"}))
	denied(now, object.remove(incident, {"until"}))
	denied(now, {})
}

test_other_tools_and_actions_are_left_alone if {
	every change in [{"action": "get"}, {"resource": {"name": "db_status"}}, {"resource": {"name": "wiki_read"}}] {
		not denied(object.union(now, change), {})
		asked(object.union(now, change), incident) == set()
	}
}

test_what_is_said if {
	operator.deny == {{
		"code": "glass_is_whole",
		"message": "this tool is opened for named agents in an incident only",
		"controls": ["NIST:AC-6", "SOC2:CC7.4"],
	}} with input as now with data.tools as tools
}
