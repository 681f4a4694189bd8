# METADATA
# title: Payments only to payees the user named
# description: >-
#   The payee of a payment must stand in what the user wrote. One that came out of an invoice, a mail or
#   any other result is refused, whatever that text says. Large payments are asked besides.
# custom:
#   controls: ["NIST:AC-4"]
# schemas:
#   - input: schema.tool
package platform.tool.operator

# METADATA
# title: The user did not name the payee
# description: "`data.tools` says which argument of which tool is the payee."
# custom:
#   controls: ["NIST:AC-4", "PCI:7.2"]
deny contains {
	"code": "payee_not_named",
	"message": "the user did not name this payee",
	"controls": ["NIST:AC-4", "PCI:7.2"],
} if {
	payment
	not payee_named
}

# METADATA
# title: The amount is not above zero
# description: A negative payment is a withdrawal, and an amount that is no number is anything.
# custom:
#   controls: ["NIST:SI-10"]
deny contains {
	"code": "amount_not_positive",
	"message": "the amount must be a number above zero",
	"controls": ["NIST:SI-10"],
} if {
	payment
	not positive
}

# METADATA
# title: Large payments need a person
# custom:
#   controls: ["EUAI:14", "NIST:AC-3"]
require_approval contains {"question": "May the agent make this large payment?"} if {
	payment
	not small
}

# METADATA
# title: What the operator said of the tool that is called, when it pays
payment := data.tools[input.resource.name].payment if input.action == "call"

# METADATA
# title: The payee stands in the prompt
# description: Whole, or inside a longer text; a part of a word is no name.
payee_named if {
	some source in input.provenance[payment.payee]
	source.source == "prompt"
	source.match in {"equal", "inside"}
}

# METADATA
# title: The amount is a number above zero
positive if {
	is_number(amount)
	amount > 0
}

# METADATA
# title: The amount needs nobody's approval
small if {
	is_number(amount)
	amount <= payment.ask_above
}

# METADATA
# title: The amount of the payment
amount := input.arguments[payment.amount]
