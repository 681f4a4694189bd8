package platform.tool.operator_test

import data.platform.tool.operator

refund(amount) := {
	"action": "call",
	"resource": {"kind": "tool", "name": "orders_refund_order"},
	"arguments": {"id": 1001, "amount": amount},
}

test_small_refunds_are_free if {
	operator.deny == set() with input as refund(50)
	operator.require_approval == set() with input as refund(50)
}

test_larger_ones_are_asked if {
	operator.deny == set() with input as refund(200)
	operator.require_approval == {{"question": "Refund more than 50?"}} with input as refund(51)
}

test_large_ones_are_refused if {
	operator.deny == {{
		"code": "refund_too_large",
		"message": "agents refund at most 200",
		"controls": ["NIST:AC-3", "SOC2:CC6.1"],
	}} with input as refund(201)
}

test_what_is_no_number_is_refused if {
	every amount in ["20", null, []] {
		count(operator.deny) == 1 with input as refund(amount)
	}
	count(operator.deny) == 1 with input as object.remove(refund(20), {"arguments"})
}

test_other_tools_and_actions_are_left_alone if {
	every change in [{"resource": {"name": "orders_get_order"}}, {"action": "get"}] {
		operator.deny == set() with input as object.union(refund(900), change)
		operator.require_approval == set() with input as object.union(refund(900), change)
	}
}
