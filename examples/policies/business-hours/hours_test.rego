package platform.tool.operator_test

import data.platform.tool.operator

bot := "spiffe://platform.local/agent/acme/bot/main"

agents := {bot: {"tenant": "acme"}, "spiffe://platform.local/agent/umbrella/bot/main": {"tenant": "umbrella"}}

tenants := {"acme": {"hours": {
	"from": "08:00",
	"to": "18:00",
	"days": {"mon": true, "tue": true, "wed": true, "thu": true, "fri": true, "sat": false},
}}}

at(time) := {
	"action": "call",
	"identity": {"spiffe_id": bot},
	"resource": {"kind": "tool", "name": "crm_update", "action": "write"},
	"context": {"time": time},
}

asked(request) if {
	count(operator.require_approval) > 0 with input as request with data.agents as agents with data.tenants as tenants
}

# 2026-11-20 is a Friday.
test_in_office_nobody_is_asked if {
	not asked(at("2026-11-20T08:00:00.000Z"))
	not asked(at("2026-11-20T17:59:59.999Z"))
}

test_before_and_after_a_person_is_asked if {
	asked(at("2026-11-20T07:59:59.999Z"))
	asked(at("2026-11-20T18:00:00.000Z"))
}

test_the_weekend_is_asked if {
	asked(at("2026-11-21T12:00:00.000Z"))
	asked(at("2026-11-22T12:00:00.000Z"))
}

test_reading_is_never_asked if {
	not asked(object.union(at("2026-11-21T12:00:00.000Z"), {"resource": {"action": "read"}}))
}

test_only_calls_are_asked if not asked(object.union(at("2026-11-21T12:00:00.000Z"), {"action": "list"}))

test_a_tool_of_unknown_effect_is_asked if {
	asked(object.remove(at("2026-11-21T12:00:00.000Z"), {"resource"}))
}

test_who_has_no_hours_is_asked if {
	umbrella := {"identity": {"spiffe_id": "spiffe://platform.local/agent/umbrella/bot/main"}}
	asked(object.union(at("2026-11-20T12:00:00.000Z"), umbrella))
	asked(object.union(at("2026-11-20T12:00:00.000Z"), {"identity": {"spiffe_id": "spiffe://elsewhere/x"}}))
}

test_a_time_that_is_none_is_asked if {
	asked(at("noon"))
	asked(object.remove(at(""), {"context"}))
}

test_the_question_is_what_a_person_reads if {
	operator.require_approval == {{"question": "It is outside office hours. May the agent do this now?"}} with input as at("")
}

test_weekdays if {
	known := {
		"1970-01-01": "thu", "1999-12-31": "fri", "2000-01-01": "sat", "2000-02-29": "tue",
		"2000-03-01": "wed", "2024-02-29": "thu", "2026-04-15": "wed", "2026-05-31": "sun",
		"2026-06-30": "tue", "2026-07-04": "sat", "2026-08-08": "sat", "2026-09-09": "wed",
		"2026-10-10": "sat", "2026-11-23": "mon", "2100-02-28": "sun", "2100-03-01": "mon",
	}
	every date, day in known {
		operator.weekday(date) == day
	}
}
