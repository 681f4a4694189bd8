package platform.answer

# METADATA
# title: Well-formed obligation
# description: >-
#   One of the limits that a grant, an operator or a tenant may set, with every member it needs and no
#   other. The same forms as in `runtime/decide/obligations.ts`.
# scope: document
well_formed(obligation) if {
	obligation.kind == "max_bytes"
	object.keys(obligation) == {"kind", "bytes"}
	whole(obligation.bytes)
}

well_formed(obligation) if {
	obligation.kind == "redact"
	object.keys(obligation) == {"kind", "paths"}
	is_array(obligation.paths)
	count(obligation.paths) > 0
	every path in obligation.paths {
		pointer(path)
	}
}

well_formed(obligation) if {
	obligation.kind == "rate"
	object.keys(obligation) == {"kind", "limit", "per", "window_seconds"}
	whole(obligation.limit)
	obligation.per in {"agent", "tenant"}
	windows[obligation.window_seconds]
}

well_formed(obligation) if {
	obligation.kind == "budget"
	object.keys(obligation) == {"currency", "kind", "limit", "per"}
	count(obligation.currency) == 3
	trim(obligation.currency, "ABCDEFGHIJKLMNOPQRSTUVWXYZ") == ""
	whole(obligation.limit)
	obligation.per in {"agent", "tenant"}
}

# METADATA
# title: Calls within a rate
# description: >-
#   True when `counters.calls`, this call included, does not exceed the limit. A count that is missing
#   or no number exceeds every limit.
within_rate(rate, counters) if {
	calls := counters.calls[rate.per][windows[rate.window_seconds]]
	is_number(calls)
	calls <= rate.limit
}

# METADATA
# title: Spending within a budget
# description: >-
#   True when `counters.spend`, the cost of this call included, does not exceed the limit. The cost is
#   known and in the budget's currency, or the budget is exceeded.
within_budget(budget, counters, cost) if {
	cost.currency == budget.currency
	spend := counters.spend[budget.per]
	is_number(spend)
	spend <= budget.limit
}

# METADATA
# title: Windows that calls are counted in
windows := {60: "minute", 3600: "hour", 86400: "day"}

# METADATA
# title: Whole number
# description: Not negative, and exact in every host.
whole(number) if {
	is_number(number)
	number >= 0
	number <= 9007199254740991
	number % 1 == 0
}

# METADATA
# title: JSON Pointer
# description: RFC 6901; the empty one is the whole value.
# scope: document
pointer("")

pointer(path) if startswith(path, "/")
