package platform.tool

import data.platform.answer

# METADATA
# title: Limits are malformed
# description: A limit that cannot be read binds nobody, so it refuses instead.
# custom:
#   controls: ["NIST:AC-3"]
reasons contains {
	"code": "limits_invalid",
	"message": "a limit that applies to this call is malformed",
	"controls": ["NIST:AC-3"],
} if {
	limits_malformed
}

# METADATA
# title: Rate is exceeded
# description: >-
#   The calls of the tool's service in the current window, this one included, exceed a limit of the
#   grant, of the operator or of the tenant.
# custom:
#   controls: ["NIST:SC-5"]
reasons contains {
	"code": "rate_exceeded",
	"message": "the limit of calls of this service is reached",
	"controls": ["NIST:SC-5"],
} if {
	rate_exceeded
}

# METADATA
# title: Budget is exceeded
# description: >-
#   What was spent on the tool's service in the current month, this call included, exceeds a budget of
#   the grant, of the operator or of the tenant; or nobody said what a call of the tool costs.
# custom:
#   controls: ["NIST:SC-6"]
reasons contains {
	"code": "budget_exceeded",
	"message": "the budget for this service is spent, or the cost of this call is not known",
	"controls": ["NIST:SC-6"],
} if {
	budget_exceeded
}

# METADATA
# title: What the caller must do for a call to be allowed
# description: The limits of the grant, and what the operator and the tenant oblige to.
# scope: document
obligations contains obligation if {
	some kind, value in grant.limits
	effect_called
	obligation := obligation_of(kind, value)
}

# Undefined, as it should be, where there are no limits at all.
obligations contains {"kind": "limits"} if {
	not is_object(grant.limits)
	effect_called
}

obligations contains obligation if {
	some obligation in data.platform.tool.operator.oblige
	effect_called
}

obligations contains obligation if {
	some obligation in data.platform.tool.tenants.oblige
	effect_called
}

# METADATA
# title: Obligation of one limit of a grant
# description: A limit of an unknown kind or of another form gives an obligation that is malformed.
obligation_of(kind, value) := {"kind": "max_bytes", "bytes": value} if {
	kind == "max_bytes"
} else := {"kind": "redact", "paths": value} if {
	kind == "redact"
} else := object.union({"per": "agent"}, object.union(value, {"kind": kind})) if {
	is_object(value)
} else := {"kind": kind}

# METADATA
# title: A limit cannot be read
limits_malformed if {
	some obligation in obligations
	not answer.well_formed(obligation)
}

# METADATA
# title: A rate is exceeded
rate_exceeded if {
	some obligation in obligations
	obligation.kind == "rate"
	not within_rate(obligation)
}

# METADATA
# title: A budget is exceeded
budget_exceeded if {
	some obligation in obligations
	obligation.kind == "budget"
	not within_budget(obligation)
}

# METADATA
# title: Calls are within a rate
# description: A function of this package, because `not f(a)` is undefined when the input lacks `a`.
within_rate(rate) if answer.within_rate(rate, input.counters)

# METADATA
# title: Spending is within a budget
within_budget(budget) if answer.within_budget(budget, input.counters, input.resource.cost)

# METADATA
# title: A call that the grants cover
effect_called if {
	is_call
	effect_granted
}

# METADATA
# title: A limit refuses the call
# scope: document
over_limits if limits_malformed

over_limits if rate_exceeded

over_limits if budget_exceeded
