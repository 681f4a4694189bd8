package platform.answer_test

import data.platform.answer

granted := {"code": "granted", "message": "m1", "controls": ["B", "A"]}

also := {"code": "also", "message": "m2", "controls": ["C", "A"]}

by_tenant := {"by": "tenant", "code": "closed", "message": "m3", "controls": ["D"]}

test_allowed_by_one_grant if {
	answer.allowed("tool", {granted}, {{"kind": "b"}, {"kind": "a"}}) == {
		"allow": true,
		"controls": ["A", "B"],
		"obligations": [{"kind": "a"}, {"kind": "b"}],
		"reasons": [{"code": "granted", "message": "m1"}],
		"rule": "platform.tool.granted",
	}
}

test_allowed_by_more_than_one_grant if {
	answer.allowed("tool", {granted, also}, {{"kind": "b"}, {"kind": "a"}}) == {
		"allow": true,
		"controls": ["A", "B", "C"],
		"obligations": [{"kind": "a"}, {"kind": "b"}],
		"reasons": [{"code": "also", "message": "m2"}, {"code": "granted", "message": "m1"}],
		"rule": "platform.tool.also",
	}
}

test_refused if {
	answer.refused("tool", {granted, by_tenant}, {{"kind": "b"}, {"kind": "a"}}) == {
		"allow": false,
		"controls": ["A", "B", "D"],
		"obligations": [{"kind": "a"}, {"kind": "b"}],
		"reasons": [{"code": "closed", "message": "m3"}, {"code": "granted", "message": "m1"}],
		"rule": "platform.tool.granted",
	}
	answer.refused("tool", {by_tenant}, set()).rule == "platform.tool.tenant.closed"
}

test_refused_without_a_reason if {
	answer.refused("tool", set(), {{"kind": "b"}}) == {
		"allow": false,
		"controls": ["NIST:AC-3"],
		"obligations": [],
		"reasons": [{"code": "not_decided", "message": "no rule allows this"}],
		"rule": "platform.tool.not_decided",
	}
}
