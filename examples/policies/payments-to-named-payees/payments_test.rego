package platform.tool.operator_test

import data.platform.tool.operator

tools := {"bank_pay": {"payment": {"payee": "/iban", "amount": "amount", "ask_above": 500}}}

pay(amount, sources) := {
	"action": "call",
	"resource": {"kind": "tool", "name": "bank_pay", "action": "write"},
	"arguments": {"iban": "DE02100500000054540402", "amount": amount},
	"provenance": {"/iban": sources},
}

prompt(match) := [{"source": "prompt", "match": match}]

codes(request) := {element.code | some element in operator.deny with input as request with data.tools as tools}

asked(request) if count(operator.require_approval) > 0 with input as request with data.tools as tools

test_a_named_payee_is_paid if {
	every match in ["equal", "inside"] {
		codes(pay(20, prompt(match))) == set()
		not asked(pay(20, prompt(match)))
	}
}

test_a_payee_of_which_only_a_part_was_named_is_refused if {
	codes(pay(20, prompt("part"))) == {"payee_not_named"}
	codes(pay(20, prompt("weak"))) == {"payee_not_named"}
}

test_a_payee_from_an_invoice_is_refused if {
	codes(pay(20, [{"source": "tool", "tool": "mail_read", "match": "equal"}])) == {"payee_not_named"}
}

test_a_payee_of_unknown_origin_is_refused if {
	codes(pay(20, [])) == {"payee_not_named"}
	codes(object.remove(pay(20, []), {"provenance"})) == {"payee_not_named"}
}

test_a_named_payee_that_a_mail_repeats_is_paid if {
	codes(pay(20, array.concat(prompt("equal"), [{"source": "tool", "match": "equal"}]))) == set()
}

test_amounts_are_above_zero if {
	codes(pay(0, prompt("equal"))) == {"amount_not_positive"}
	codes(pay(-1, prompt("equal"))) == {"amount_not_positive"}
	codes(pay("20", prompt("equal"))) == {"amount_not_positive"}
	codes(pay(0.01, prompt("equal"))) == set()
}

test_large_amounts_are_asked if {
	not asked(pay(500, prompt("equal")))
	asked(pay(500.01, prompt("equal")))
}

test_an_amount_that_is_no_number_is_asked if asked(pay("1", prompt("equal")))

test_other_tools_and_actions_are_left_alone if {
	codes(object.union(pay(-1, []), {"resource": {"name": "wiki_read"}})) == set()
	codes(object.union(pay(-1, []), {"action": "get"})) == set()
	not asked(object.union(pay(900, []), {"action": "get"}))
}

test_what_is_said if {
	operator.deny == {
		{
			"code": "payee_not_named",
			"message": "the user did not name this payee",
			"controls": ["NIST:AC-4", "PCI:7.2"],
		},
		{
			"code": "amount_not_positive",
			"message": "the amount must be a number above zero",
			"controls": ["NIST:SI-10"],
		},
	} with input as pay(0, []) with data.tools as tools
	operator.require_approval == {{"question": "May the agent make this large payment?"}} with data.tools as tools
		with input as pay(501, [])
}
