# METADATA
# title: Connections between workloads
# description: >-
#   Decides which authenticated peer may reach which service of the platform. Agents reach the
#   services that are there for agents, other peers those that name them; every rule looks up by key.
#   Where the service's entry has `body`, what the peer sends is read and decided on too (calls.rego);
#   otherwise what it may do there is another boundary's decision.
# custom:
#   controls: ["NIST:AC-3"]
# schemas:
#   - input: schema.mesh
package platform.mesh

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
decision := answer.allowed("mesh", grants, obligations) if {
	allow
} else := answer.refused("mesh", reasons, set())

# METADATA
# title: Agent is admitted
# description: >-
#   The service is there for agents, and the peer is a registered agent whose entry does not leave the
#   service out.
# custom:
#   controls: ["SOC2:CC6.1", "SOC2:CC6.6", "NIST:AC-3"]
grants contains {
	"code": "agent_admitted",
	"message": "this service is there for registered agents",
	"controls": ["SOC2:CC6.1", "SOC2:CC6.6", "NIST:AC-3"],
} if {
	is_connect
	agent_reaches
}

# METADATA
# title: Caller is admitted
# description: The service names the peer among its callers, and not agents at large.
# custom:
#   controls: ["SOC2:CC6.1", "SOC2:CC6.6", "NIST:AC-3"]
grants contains {
	"code": "caller_admitted",
	"message": "this service names the peer among its callers",
	"controls": ["SOC2:CC6.1", "SOC2:CC6.6", "NIST:AC-3"],
} if {
	is_connect
	is_caller
	not agent_reaches
}

# METADATA
# title: Message is admitted
# description: >-
#   The peer reaches the service, the service's entry lists the message, and a tool that it calls was
#   granted to the agent.
# custom:
#   controls: ["SOC2:CC6.1", "NIST:AC-3", "NIST:AC-6"]
grants contains {
	"code": "message_admitted",
	"message": "this service takes such messages, and the peer may send it",
	"controls": ["SOC2:CC6.1", "NIST:AC-3", "NIST:AC-6"],
} if {
	is_call
	reaches
	message_covered
}

# METADATA
# title: Service is not registered
# description: The service has no entry under `services` in the data bundle, so nobody may reach it.
# custom:
#   controls: ["SOC2:CC6.6", "NIST:AC-3"]
reasons contains {
	"code": "unknown_service",
	"message": "no service is registered under this name",
	"controls": ["SOC2:CC6.6", "NIST:AC-3"],
} if {
	not service
}

# METADATA
# title: Service is not granted
# description: >-
#   The peer is a registered agent, but the service is not there for agents, or the agent's entry
#   names the services that it may reach and this one is not among them.
# custom:
#   controls: ["SOC2:CC6.1", "NIST:AC-6"]
reasons contains {
	"code": "service_not_granted",
	"message": "this agent may not reach this service",
	"controls": ["SOC2:CC6.1", "NIST:AC-6"],
} if {
	service
	agent
	not reaches
}

# METADATA
# title: Caller is not known
# description: The peer is neither a registered agent nor one of the service's callers.
# custom:
#   controls: ["SOC2:CC6.1", "NIST:AC-3"]
reasons contains {
	"code": "unknown_caller",
	"message": "this identity is neither a registered agent nor a caller of this service",
	"controls": ["SOC2:CC6.1", "NIST:AC-3"],
} if {
	service
	not agent
	not reaches
}

# METADATA
# title: Operator's policy refuses
# description: >-
#   The operator's package `platform.mesh.operator` contributed to `deny`. Any contribution
#   refuses, whatever its shape.
# custom:
#   controls: ["NIST:AC-3"]
reasons contains reason if {
	some element in data.platform.mesh.operator.deny
	reaches
	some reason in answer.contributed("operator", {element})
}

# METADATA
# title: Tenant's policy refuses
# description: >-
#   The package of the caller's own tenant contributed to `deny`. Any contribution
#   refuses, whatever its shape.
# custom:
#   controls: ["NIST:AC-3"]
reasons contains reason if {
	some element in data.platform.mesh.tenants.deny
	some _ in grants
	some reason in answer.contributed("tenant", {element})
}

# METADATA
# title: What the service's entry, operators and tenants demand
# scope: document
# description: Of what is allowed; a refusal demands nothing.
# custom:
#   controls: ["NIST:AC-3"]
obligations contains obligation if some obligation in demanded_of_service

obligations contains obligation if {
	some element in data.platform.mesh.operator.require_approval
	some obligation in answer.demanded({element}, set())
}

obligations contains obligation if some obligation in data.platform.mesh.operator.oblige

obligations contains obligation if {
	some element in data.platform.mesh.tenants.require_approval
	some obligation in answer.demanded({element}, set())
}

obligations contains obligation if some obligation in data.platform.mesh.tenants.oblige

# METADATA
# title: Entry of the service
service := data.services[input.resource.name]

# METADATA
# title: Entry of the calling agent
agent := data.agents[input.identity.spiffe_id]

# METADATA
# title: A connection to a service
is_connect if {
	input.action == "connect"
	input.resource.kind == "service"
}

# METADATA
# title: The peer reaches the service
# scope: document
reaches if agent_reaches

reaches if is_caller

# METADATA
# title: The service is there for this agent
agent_reaches if {
	service.agents == true
	service_in_grant
}

# METADATA
# title: The agent's entry does not leave the service out
# description: An entry without `services` leaves none out; one with any value there admits only what it names.
# scope: document
service_in_grant if {
	agent
	not is_narrowed
}

service_in_grant if agent.services[input.resource.name] == true

# METADATA
# title: The agent's entry names services
is_narrowed if "services" in object.keys(agent)

# METADATA
# title: The service names the peer
# description: A rule of its own, because `not x[a]` is undefined, and not true, when `a` is missing.
is_caller if service.callers[input.identity.spiffe_id] == true
