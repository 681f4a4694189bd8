# METADATA
# title: Operator's console
# description: >-
#   Decides what an operator may see and do through the local page and the command line: view the
#   state, answer approvals, operate the platform.
# custom:
#   controls: ["SOC2:CC6.3", "NIST:AC-3"]
# schemas:
#   - input: schema.console
package platform.console

import data.platform.answer

# METADATA
# title: Default deny
default allow := false

# METADATA
# title: Granted, and nothing refuses
allow if {
	some _ in grants
	count(reasons) == 0
}

# METADATA
# title: Decision
decision := answer.allowed("console", grants, obligations) if {
	allow
} else := answer.refused("console", reasons, set())

# METADATA
# title: Action is granted
# description: The operator's entry grants the action.
# custom:
#   controls: ["SOC2:CC6.3", "NIST:AC-3"]
grants contains {
	"code": "granted",
	"message": "the operator was granted this action",
	"controls": ["SOC2:CC6.3", "NIST:AC-3"],
} if {
	input.resource.kind == "console"
	action_granted
}

# METADATA
# title: Operator is not registered
# description: The identity has no entry under `operators` in the data bundle.
# custom:
#   controls: ["SOC2:CC6.1", "NIST:AC-3"]
reasons contains {
	"code": "unknown_operator",
	"message": "no operator is registered under this identity",
	"controls": ["SOC2:CC6.1", "NIST:AC-3"],
} if {
	not person
}

# METADATA
# title: Action is not granted
# description: The operator may not do this; `view`, `approve` and `operate` are granted one by one.
# custom:
#   controls: ["SOC2:CC6.3", "NIST:AC-5"]
reasons contains {
	"code": "action_not_granted",
	"message": "this operator was not granted this action",
	"controls": ["SOC2:CC6.3", "NIST:AC-5"],
} if {
	person
	not action_granted
}

# METADATA
# title: Operator's policy refuses
# description: >-
#   The operator's package `platform.console.operator` contributed to `deny`. Any contribution
#   refuses, whatever its shape.
# custom:
#   controls: ["NIST:AC-3"]
reasons contains reason if {
	some reason in answer.contributed("operator", data.platform.console.operator.deny)
	action_granted
}

# METADATA
# title: Tenant's policy refuses
# description: >-
#   A tenant's package contributed to `deny`. Operators have no tenant, so this is for platforms whose
#   operators do.
# custom:
#   controls: ["NIST:AC-3"]
reasons contains reason if {
	some reason in answer.contributed("tenant", data.platform.console.tenants.deny)
	action_granted
}

# METADATA
# title: What operators and tenants demand of what is granted
# description: Nobody waits for a person here, so a question refuses the action.
# scope: document
obligations contains obligation if {
	some obligation in answer.demanded(
		{element | some element in data.platform.console.operator.require_approval},
		{element | some element in data.platform.console.operator.oblige},
	)
}

obligations contains obligation if {
	some obligation in answer.demanded(
		{element | some element in data.platform.console.tenants.require_approval},
		{element | some element in data.platform.console.tenants.oblige},
	)
}

# METADATA
# title: Entry of the operator
person := data.operators[input.identity.spiffe_id]

# METADATA
# title: The operator's entry grants the action
# description: A rule of its own, because `not x[a]` is undefined, and not true, when `a` is missing.
action_granted if person.actions[input.action]
