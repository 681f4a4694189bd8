package platform.answer_test

import data.platform.answer

test_contribution_of_good_form if {
	answer.contributed("tenant", {{"code": "c", "message": "m", "controls": ["B", "A", 7]}}) == {{
		"by": "tenant",
		"code": "c",
		"message": "m",
		"controls": ["A", "B", "NIST:AC-3"],
	}}
}

test_contribution_of_any_other_form if {
	every odd in ["no", 7, null, false, [], {}, {"code": 7, "message": [], "controls": "x"}] {
		answer.contributed("operator", {odd}) == {{
			"by": "operator",
			"code": "denied_by_operator",
			"message": "the operator's policy refuses this",
			"controls": ["NIST:AC-3"],
		}}
	}
}

# A list has members that a key reaches, but is no object.
test_contribution_that_is_a_list_of_objects if {
	answer.contributed("operator", {[{"controls": ["A"]}]}) == answer.contributed("operator", {7})
	answer.given_controls([{"controls": ["A"]}]) == set()
	answer.text(["a"], 0, "fallback") == "fallback"
}

test_contributions_stay_apart if {
	count(answer.contributed("tenant", {{"code": "a"}, {"code": "b"}})) == 2
	answer.contributed("tenant", set()) == set()
}

test_demands if {
	answer.demanded({{"question": "Sure?"}, 7}, {{"kind": "rate"}, 9}) == {
		{"kind": "require_approval", "question": "Sure?"},
		{"kind": "require_approval", "question": "May this be done?"},
		{"kind": "rate"},
		9,
	}
	answer.demanded(set(), set()) == set()
}

test_refused_by_nobody_demands_nothing if {
	answer.refused("tool", set(), {{"kind": "rate"}}) == {
		"allow": false,
		"controls": ["NIST:AC-3"],
		"obligations": [],
		"reasons": [{"code": "not_decided", "message": "no rule allows this"}],
		"rule": "platform.tool.not_decided",
	}
}

test_by_false_is_nobody if {
	answer.path_of({"by": false, "code": "c"}) == ["c"]
	answer.path_of({"by": "tenant", "code": "c"}) == ["tenant", "c"]
}

test_whole_numbers if {
	answer.whole(0)
	answer.whole(9007199254740991)
	every odd in [-1, 0.5, 9007199254740992, "1", null, true, [], {}] {
		not answer.whole(odd)
	}
}
