# METADATA
# title: The form of every decision
# description: >-
#   What each boundary's `decision` is made of. A boundary says in `grants` what permits the request and
#   in `reasons` what refuses it; each element has a code, a message and the ids of controls. One
#   reason refuses, whatever is granted, and without a grant nothing is allowed.
# custom:
#   controls: ["NIST:AC-3"]
package platform.answer

# METADATA
# title: Allowed
# description: The decision of a request that is granted and that nothing refuses.
allowed(boundary, grants, obligations) := {
	"allow": true,
	"controls": sort(grant.controls),
	"obligations": sort(obligations),
	"reasons": [{"code": grant.code, "message": grant.message}],
	"rule": concat(".", ["platform", boundary, grant.code]),
} if {
	# Nearly always: half as long as the general form, which gives the same.
	count(grants) == 1
	some grant in grants
} else := {
	"allow": true,
	"controls": controls_of(grants),
	"obligations": sort(obligations),
	"reasons": shown(grants),
	"rule": rule_of(boundary, grants),
}

# METADATA
# title: Refused
# description: The decision of every other request; it says so when no rule speaks of it at all.
refused(boundary, reasons, obligations) := {
	"allow": false,
	"controls": controls_of(reasons),
	"obligations": sort(obligations),
	"reasons": shown(reasons),
	"rule": rule_of(boundary, reasons),
} if {
	count(reasons) > 0
} else := {
	"allow": false,
	"controls": ["NIST:AC-3"],
	"obligations": [],
	"reasons": [{"code": "not_decided", "message": "no rule allows this"}],
	"rule": concat(".", ["platform", boundary, "not_decided"]),
}

# METADATA
# title: Reasons that others contribute
# description: >-
#   Turns the `deny` of an operator's or a tenant's package into reasons. Any element refuses, whatever
#   its shape; a well-formed one also gives code, message and controls.
contributed(by, elements) := {reason |
	some element in elements
	reason := {
		"by": by,
		"code": text(element, "code", $"denied_by_{by}"),
		"controls": sort({"NIST:AC-3"} | given_controls(element)),
		"message": text(element, "message", $"the {by}'s policy refuses this"),
	}
}

# METADATA
# title: Obligations that others contribute
# description: >-
#   Turns `require_approval` and `oblige` of an operator's or a tenant's package into obligations. One
#   that is malformed is kept as it is: whoever asked cannot honour it, and so refuses.
demanded(questions, obligations) := obligations | {question |
	some element in questions
	question := {
		"kind": "require_approval",
		"question": text(element, "question", "May this be done?"),
	}
}

# METADATA
# title: Controls of reasons
controls_of(reasons) := sort({control | some reason in reasons; some control in reason.controls})

# METADATA
# title: What is shown of reasons
# description: Sorted, because a set has no order that every evaluator shares.
shown(reasons) := sort({{"code": reason.code, "message": reason.message} | some reason in reasons})

# METADATA
# title: The rule that decided
# description: The first of the reasons by code; a contributed one names who contributed it.
rule_of(boundary, reasons) := sort({concat(".", array.concat(["platform", boundary], path_of(reason))) |
	some reason in reasons
})[0]

# METADATA
# title: Path of a reason below its boundary
path_of(reason) := [reason.by, reason.code] if reason.by

else := [reason.code]

# METADATA
# title: Controls of a contribution
# description: A function, because the compiler would refuse a file whose contributions name no controls.
given_controls(element) := {control |
	is_object(element)
	some control in element.controls
	is_string(control)
}

# METADATA
# title: Member as text
# description: The fallback when the contribution is no object or the member is no text.
text(element, member, fallback) := element[member] if {
	is_object(element)
	is_string(element[member])
} else := fallback
