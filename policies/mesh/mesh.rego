# METADATA
# title: Connections between workloads
# description: >-
#   Decides which authenticated peer may reach which service of the platform. Agents reach the
#   services that are there for agents, other peers those that name them; every rule looks up by key.
#   What the peer may do there is another boundary's decision. The decision is the first rule that
#   holds.
# schemas:
#   - input: schema.mesh
package platform.mesh

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
	"rule": "platform.mesh.not_decided",
}

decision := agent_admitted if agent_admitted

else := caller_admitted if caller_admitted

else := unknown_service if unknown_service

else := denied_by_operator if denied_by_operator

else := service_not_granted if service_not_granted

else := unknown_caller if unknown_caller

# METADATA
# title: Agent is admitted
# description: >-
#   The service is there for agents, and the peer is a registered agent whose entry does not leave the
#   service out.
# custom:
#   controls: ["SOC2:CC6.1", "SOC2:CC6.6", "NIST:AC-3"]
agent_admitted := allowed(
	"agent_admitted",
	"this service is there for registered agents",
	["SOC2:CC6.1", "SOC2:CC6.6", "NIST:AC-3"],
) if {
	is_connect
	agent_reaches
	not operator_denies
}

# METADATA
# title: Caller is admitted
# description: The service names the peer among its callers.
# custom:
#   controls: ["SOC2:CC6.1", "SOC2:CC6.6", "NIST:AC-3"]
caller_admitted := allowed(
	"caller_admitted",
	"this service names the peer among its callers",
	["SOC2:CC6.1", "SOC2:CC6.6", "NIST:AC-3"],
) if {
	is_connect
	is_caller
	not operator_denies
}

# METADATA
# title: Service is not registered
# description: The service has no entry under `services` in the data bundle, so nobody may reach it.
# custom:
#   controls: ["SOC2:CC6.6", "NIST:AC-3"]
unknown_service := denied(
	"unknown_service",
	"no service is registered under this name",
	["SOC2:CC6.6", "NIST:AC-3"],
) if {
	not service
}

# METADATA
# title: Operator's policy refuses
# description: >-
#   The operator's package `platform.mesh.operator` contributed to `deny`. Any contribution refuses,
#   whatever its shape; a well-formed one also gives code, message and controls.
# custom:
#   controls: ["NIST:AC-3"]
denied_by_operator := {
	"allow": false,
	"controls": operator_controls,
	"obligations": [],
	"reasons": operator_reasons,
	"rule": concat("", ["platform.mesh.operator.", operator_reasons[0].code]),
} if {
	reaches
	operator_denies
}

# METADATA
# title: Service is not granted
# description: >-
#   The peer is a registered agent, but the service is not there for agents, or the agent's entry
#   names the services that it may reach and this one is not among them.
# custom:
#   controls: ["SOC2:CC6.1", "NIST:AC-6"]
service_not_granted := denied(
	"service_not_granted",
	"this agent may not reach this service",
	["SOC2:CC6.1", "NIST:AC-6"],
) if {
	agent
	not reaches
}

# METADATA
# title: Caller is not known
# description: The peer is neither a registered agent nor one of the service's callers.
# custom:
#   controls: ["SOC2:CC6.1", "NIST:AC-3"]
unknown_caller := denied(
	"unknown_caller",
	"this identity is neither a registered agent nor a caller of this service",
	["SOC2:CC6.1", "NIST:AC-3"],
) if {
	not reaches
}

service := data.services[input.resource.name]

agent := data.agents[input.identity.spiffe_id]

is_connect if {
	input.action == "connect"
	input.resource.kind == "service"
}

reaches if agent_reaches

reaches if is_caller

agent_reaches if {
	service.agents == true
	service_in_grant
}

# An entry without `services` leaves none out; one with any value there admits only what it names.
service_in_grant if {
	agent
	not is_narrowed
}

service_in_grant if agent.services[input.resource.name] == true

is_narrowed if "services" in object.keys(agent)

# Rules of their own, because `not x[a]` is undefined, and not true, when `a` is missing.
is_caller if service.callers[input.identity.spiffe_id] == true

operator_denies if count(data.platform.mesh.operator.deny) > 0

# Sorted, because a set has no order that every evaluator shares.
operator_reasons := sort({reason |
	some contribution in data.platform.mesh.operator.deny
	reason := {
		"code": text(contribution, "code", "denied_by_operator"),
		"message": text(contribution, "message", "the operator's policy refuses this connection"),
	}
})

operator_controls := sort({"NIST:AC-3"} | {control |
	some contribution in data.platform.mesh.operator.deny
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
	"rule": concat("", ["platform.mesh.", code]),
}

allowed(code, message, controls) := {
	"allow": true,
	"controls": controls,
	"obligations": [],
	"reasons": [{"code": code, "message": message}],
	"rule": concat("", ["platform.mesh.", code]),
}
