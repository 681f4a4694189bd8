package platform.answer_test

import data.platform.answer

max_bytes := {"kind": "max_bytes", "bytes": 9}

redact := {"kind": "redact", "paths": ["/a", "", "/*/b~1c"]}

rate := {"kind": "rate", "limit": 5, "window_seconds": 60, "per": "agent"}

budget := {"kind": "budget", "currency": "EUR", "limit": 100, "per": "tenant"}

counters := {
	"calls": {
		"agent": {"minute": 5, "hour": 50, "day": 500},
		"tenant": {"minute": 6, "hour": 60, "day": 600},
	},
	"spend": {"agent": 90, "tenant": 100},
}

cost := {"currency": "EUR", "minor": 10}

test_well_formed if {
	answer.well_formed({"kind": "redact", "paths": ["/a"]})
	every obligation in [max_bytes, redact, rate, budget] {
		answer.well_formed(obligation)
	}
	every window in [60, 3600, 86400] {
		answer.well_formed(object.union(rate, {"window_seconds": window, "per": "tenant"}))
	}
	answer.well_formed(object.union(max_bytes, {"bytes": 0}))
	answer.well_formed(object.union(max_bytes, {"bytes": 9007199254740991}))
	answer.well_formed(object.union(budget, {"per": "agent"}))
}

test_every_member_is_needed_and_no_other if {
	every obligation in [max_bytes, redact, rate, budget] {
		every member, _ in obligation {
			not answer.well_formed(object.remove(obligation, {member}))
		}
		not answer.well_formed(object.union(obligation, {"more": 1}))
	}
}

test_odd_values_are_malformed if {
	every obligation in [max_bytes, redact, rate, budget] {
		every member, _ in obligation {
			every odd in [null, true, false, "9", "", -1, 1.5, 9007199254740992, [], {}, [7], ["a"]] {
				not answer.well_formed(object.union(object.remove(obligation, {member}), {member: odd}))
			}
		}
	}
}

test_not_an_obligation if {
	every odd in [null, true, 7, "rate", [], {}, {"kind": "require_approval"}, {"kind": "max_byte", "bytes": 9}] {
		not answer.well_formed(odd)
	}
}

test_odd_paths if {
	every paths in [[], ["a"], ["/a", "b"], "/a", {"/a"}, [["/a"]], [null]] {
		not answer.well_formed({"kind": "redact", "paths": paths})
	}
}

test_odd_currencies if {
	every currency in ["eur", "EURO", "EU", "E1R", "1EU", "EUR\n", "EU\n", " EU", ""] {
		not answer.well_formed(object.union(budget, {"currency": currency}))
	}
}

test_odd_windows if {
	every window in [0, 1, 59, 61, 3601, 86401, "60"] {
		not answer.well_formed(object.union(rate, {"window_seconds": window}))
	}
}

of_rate(per, window, limit) := object.union(rate, {"per": per, "window_seconds": window, "limit": limit})

test_within_rate if {
	every of in [["agent", 60, 5], ["agent", 3600, 50], ["agent", 86400, 500], ["tenant", 60, 6], ["tenant", 3600, 60], ["tenant", 86400, 600]] {
		answer.within_rate(of_rate(of[0], of[1], of[2]), counters)
		not answer.within_rate(of_rate(of[0], of[1], of[2] - 1), counters)
	}
}

test_a_count_that_is_no_number_exceeds if {
	every odd in [null, true, false] {
		not answer.within_rate(rate, {"calls": {"agent": {"minute": odd}}})
		not answer.within_budget(budget, {"spend": {"tenant": odd}}, cost)
	}
	not answer.within_rate(rate, {})
	not answer.within_budget(budget, {}, cost)
}

test_within_budget if {
	answer.within_budget(budget, counters, cost)
	not answer.within_budget(object.union(budget, {"limit": 99}), counters, cost)
	answer.within_budget(object.union(budget, {"limit": 90, "per": "agent"}), counters, cost)
	not answer.within_budget(object.union(budget, {"limit": 89, "per": "agent"}), counters, cost)
	not answer.within_budget(budget, counters, {"currency": "USD", "minor": 0})
	not answer.within_budget(budget, counters, {})
}
