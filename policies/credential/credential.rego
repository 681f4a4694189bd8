# METADATA
# title: Use of credentials
# description: >-
#   Decides whether the credential injector may use a stored credential on behalf of an identity.
#   The agent never sees the credential. The decision is the first rule of the list that holds.
# schemas:
#   - input: schema.credential
package platform.credential

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
	"rule": "platform.credential.not_decided",
}

decision := unknown_agent if unknown_agent

else := service_not_granted if service_not_granted

else := credential_not_granted if credential_not_granted

else := credential_not_bound if credential_not_bound

else := denied_by_operator if denied_by_operator

else := granted

# METADATA
# title: Agent is not registered
# description: The identity has no entry in the data bundle.
# custom:
#   controls: ["SOC2:CC6.1", "NIST:AC-3"]
unknown_agent := denied(
	"unknown_agent",
	"no agent is registered under this identity",
	["SOC2:CC6.1", "NIST:AC-3"],
) if {
	not agent
}

# METADATA
# title: Service is not granted
# description: A credential is of no use to an agent that was given no resource of its service.
# custom:
#   controls: ["SOC2:CC6.1", "NIST:AC-6"]
service_not_granted := denied(
	"service_not_granted",
	"the agent was not granted this credential's service",
	["SOC2:CC6.1", "NIST:AC-6"],
) if {
	not service_granted
}

# METADATA
# title: Credential is not granted
# description: The agent may use the service, but not with this credential of the operator's.
# custom:
#   controls: ["SOC2:CC6.1", "NIST:IA-5"]
credential_not_granted := denied(
	"credential_not_granted",
	"the agent was not granted this credential",
	["SOC2:CC6.1", "NIST:IA-5"],
) if {
	not credential_granted
}

# METADATA
# title: Credential is not bound
# description: >-
#   The tool was registered by no operator. Whoever names the credential, its service and the origin
#   that gets it decides where it goes, so only an operator may.
# custom:
#   controls: ["SOC2:CC6.1", "NIST:IA-5"]
credential_not_bound := denied(
	"credential_not_bound",
	"no operator bound this credential to its service and origin",
	["SOC2:CC6.1", "NIST:IA-5"],
) if {
	not credential_bound
}

# METADATA
# title: Operator's policy refuses
# description: >-
#   The operator's package `platform.credential.operator` contributed to `deny`. Any contribution
#   refuses, whatever its shape.
# custom:
#   controls: ["NIST:AC-3"]
denied_by_operator := {
	"allow": false,
	"controls": operator_controls,
	"obligations": [],
	"reasons": operator_reasons,
	"rule": concat("", ["platform.credential.operator.", operator_reasons[0].code]),
} if {
	count(data.platform.credential.operator.deny) > 0
}

# METADATA
# title: Credential is granted
# description: The agent was granted the service and the credential for it.
# custom:
#   controls: ["SOC2:CC6.1", "NIST:IA-5"]
granted := {
	"allow": true,
	"controls": ["SOC2:CC6.1", "NIST:IA-5"],
	"obligations": [],
	"reasons": [{"code": "granted", "message": "the agent was granted this credential"}],
	"rule": "platform.credential.granted",
} if {
	input.action == "use"
	input.resource.kind == "credential"
}

agent := data.agents[input.identity.spiffe_id]

# Rules of their own, because `not x[a]` is undefined, and not true, when `a` is missing.
service_granted if agent.resources[input.resource.service]

# `true` grants whatever the operator bound to the service, an object only the names it holds.
credential_granted if agent.credentials[input.resource.service] == true

credential_granted if agent.credentials[input.resource.service][input.resource.name] == true

credential_bound if data.operators[input.resource.registered_by].actions.operate

# Sorted, because a set has no order that every evaluator shares.
operator_reasons := sort({reason |
	some contribution in data.platform.credential.operator.deny
	reason := {
		"code": text(contribution, "code", "denied_by_operator"),
		"message": text(contribution, "message", "the operator's policy refuses this credential"),
	}
})

operator_controls := sort({"NIST:AC-3"} | {control |
	some contribution in data.platform.credential.operator.deny
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
	"rule": concat("", ["platform.credential.", code]),
}
