# METADATA
# title: Refunds
# description: What this operator wants on top of the agents' grants. It can only narrow them.
# custom:
#   controls: ["NIST:AC-3"]
# schemas:
#   - input: schema.tool
package platform.tool.operator

# METADATA
# title: Refunds above 200 are refused
# description: Whatever is granted; an amount that is no number is above anything.
# custom:
#   controls: ["NIST:AC-3", "SOC2:CC6.1"]
deny contains {
	"code": "refund_too_large",
	"message": "agents refund at most 200",
	"controls": ["NIST:AC-3", "SOC2:CC6.1"],
} if {
	is_refund
	not at_most(200)
}

# METADATA
# title: Refunds above 50 need a person
# custom:
#   controls: ["EUAI:14", "NIST:AC-3"]
require_approval contains {"question": "Refund more than 50?"} if {
	is_refund
	not at_most(50)
}

# METADATA
# title: The agent calls the tool that pays back
is_refund if {
	input.action == "call"
	input.resource.name == "orders_refund_order"
}

# METADATA
# title: The amount is a number up to this one
# description: A rule of its own, because `not a <= b` is undefined, and not true, when `a` is missing.
at_most(limit) if {
	is_number(input.arguments.amount)
	input.arguments.amount <= limit
}
