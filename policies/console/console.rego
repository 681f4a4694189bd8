# METADATA
# title: Operator's console
# description: >-
#   Decides what an operator may see and do through the local page and the command line: view the
#   state, answer approvals, operate the platform. The decision is the first rule that holds.
# schemas:
#   - input: schema.console
package platform.console

# METADATA
# title: Nothing allows it
# description: No rule of this boundary speaks of this action on this kind of resource.
# custom:
#   controls: ["NIST:AC-3"]
default decision := {
	"allow": false,
	"controls": ["NIST:AC-3"],
	"obligations": [],
	"reasons": [{"code": "not_decided", "message": "no rule allows this"}],
	"rule": "platform.console.not_decided",
}

decision := unknown_operator if unknown_operator

else := action_not_granted if action_not_granted

else := denied_by_operator if denied_by_operator

else := granted

# METADATA
# title: Operator is not registered
# description: The identity has no entry under `operators` in the data bundle.
# custom:
#   controls: ["SOC2:CC6.1", "NIST:AC-3"]
unknown_operator := denied(
	"unknown_operator",
	"no operator is registered under this identity",
	["SOC2:CC6.1", "NIST:AC-3"],
) if {
	not person
}

# METADATA
# title: Action is not granted
# description: The operator may not do this; `view`, `approve` and `operate` are granted one by one.
# custom:
#   controls: ["SOC2:CC6.3", "NIST:AC-5"]
action_not_granted := denied(
	"action_not_granted",
	"this operator was not granted this action",
	["SOC2:CC6.3", "NIST:AC-5"],
) if {
	not action_granted
}

# METADATA
# title: Operator's policy refuses
# description: >-
#   The operator's package `platform.console.operator` contributed to `deny`. Any contribution
#   refuses, whatever its shape.
# custom:
#   controls: ["NIST:AC-3"]
denied_by_operator := {
	"allow": false,
	"controls": operator_controls,
	"obligations": [],
	"reasons": operator_reasons,
	"rule": concat("", ["platform.console.operator.", operator_reasons[0].code]),
} if {
	count(data.platform.console.operator.deny) > 0
}

# METADATA
# title: Action is granted
# description: The operator's entry grants the action.
# custom:
#   controls: ["SOC2:CC6.3", "NIST:AC-3"]
granted := {
	"allow": true,
	"controls": ["SOC2:CC6.3", "NIST:AC-3"],
	"obligations": [],
	"reasons": [{"code": "granted", "message": "the operator was granted this action"}],
	"rule": "platform.console.granted",
} if {
	input.resource.kind == "console"
}

person := data.operators[input.identity.spiffe_id]

# A rule of its own, because `not x[a]` is undefined, and not true, when `a` is missing.
action_granted if person.actions[input.action]

# Sorted, because a set has no order that every evaluator shares.
operator_reasons := sort({reason |
	some contribution in data.platform.console.operator.deny
	reason := {
		"code": text(contribution, "code", "denied_by_operator"),
		"message": text(contribution, "message", "the operator's policy refuses this"),
	}
})

operator_controls := sort({"NIST:AC-3"} | {control |
	some contribution in data.platform.console.operator.deny
	some control in controls_of(contribution)
	is_string(control)
})

# A function, because the compiler would refuse an operator's file whose contributions name no controls.
controls_of(contribution) := contribution.controls if is_object(contribution)

# The member as a string, or the fallback when the contribution is no object or lacks it.
text(contribution, member, fallback) := contribution[member] if {
	is_object(contribution)
	is_string(contribution[member])
} else := fallback

denied(code, message, controls) := {
	"allow": false,
	"controls": controls,
	"obligations": [],
	"reasons": [{"code": code, "message": message}],
	"rule": concat("", ["platform.console.", code]),
}
