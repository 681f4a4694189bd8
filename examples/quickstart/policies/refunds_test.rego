package platform.tool.operator_test

import data.platform.tool.operator

refund(amount) := {
	"action": "call",
	"resource": {"kind": "tool", "name": "orders_refund_order"},
	"arguments": {"id": "1001", "amount": amount},
}

test_small_refunds_ask_nobody if {
	count(operator.require_approval) == 0 with input as refund(100)
}

test_the_question_says_nothing_of_the_arguments if {
	operator.require_approval == {{"question": "Refund more than 100?"}} with input as refund(4599)
}
