# METADATA
# title: Registration of tools
# description: >-
#   Decides whether an identity may register tools: at all, while the request names no service, and
#   then for the service that they belong to.
# custom:
#   controls: ["SOC2:CC8.1", "NIST:CM-3"]
# schemas:
#   - input: schema.registration
package platform.registration

import data.platform.answer
import data.platform.bounds

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
decision := answer.allowed("registration", grants, obligations) if {
	allow
} else := answer.refused("registration", reasons, set())

# METADATA
# title: Tools may be registered
# description: >-
#   By an operator who may operate, or by an agent that was granted `catalog:write`, that may write to
#   the service and that the catalog's grant lists the service for.
# custom:
#   controls: ["SOC2:CC8.1", "NIST:CM-3"]
grants contains {
	"code": "catalog_write",
	"message": "this identity may register tools",
	"controls": ["SOC2:CC8.1", "NIST:CM-3"],
} if {
	permitted
}

# METADATA
# title: Agent is not registered
# description: The identity has no entry in the data bundle, and is no operator registering tools.
# custom:
#   controls: ["SOC2:CC6.1", "NIST:AC-3"]
reasons contains {
	"code": "unknown_agent",
	"message": "no agent is registered under this identity",
	"controls": ["SOC2:CC6.1", "NIST:AC-3"],
} if {
	not known
}

# METADATA
# title: Caller asks too often
# description: >-
#   The caller's requests of this minute, this one included, exceed its limit. Without a count or
#   without a limit there is no registration.
# custom:
#   controls: ["NIST:SC-5"]
reasons contains {
	"code": "agent_rate_exceeded",
	"message": "the agent has reached its limit of calls a minute",
	"controls": ["NIST:SC-5"],
} if {
	known
	not within_agent_rate
}

# METADATA
# title: Tenant asks too often
# description: The requests of all agents of the tenant in this minute exceed the tenant's limit.
# custom:
#   controls: ["NIST:SC-5"]
reasons contains {
	"code": "tenant_rate_exceeded",
	"message": "the tenant has reached its limit of calls a minute",
	"controls": ["NIST:SC-5"],
} if {
	known
	within_agent_rate
	not within_tenant_rate
}

# METADATA
# title: Catalog is not granted
# description: The identity may not register tools, or not of a service that it may not write to.
# custom:
#   controls: ["SOC2:CC8.1", "NIST:CM-3"]
reasons contains {
	"code": "catalog_not_granted",
	"message": "this identity may not change the catalog of tools",
	"controls": ["SOC2:CC8.1", "NIST:CM-3"],
} if {
	is_catalog
	admitted
	not operator_registers
	not catalog_writable
}

# METADATA
# title: Service is not listed
# description: The agent may register tools, but the catalog's grant does not list this service.
# custom:
#   controls: ["SOC2:CC8.1", "NIST:CM-3"]
reasons contains {
	"code": "service_not_listed",
	"message": "this identity may register tools, but not of this service",
	"controls": ["SOC2:CC8.1", "NIST:CM-3"],
} if {
	is_catalog
	admitted
	not operator_registers
	catalog_writable
	not service_listed
}

# METADATA
# title: Operator's policy refuses
# description: >-
#   The operator's package `platform.registration.operator` contributed to `deny`. Any contribution
#   refuses, whatever its shape.
# custom:
#   controls: ["NIST:AC-3"]
reasons contains reason if {
	some reason in answer.contributed("operator", data.platform.registration.operator.deny)
	permitted
}

# METADATA
# title: Tenant's policy refuses
# description: The package of the caller's own tenant contributed to `deny`.
# custom:
#   controls: ["NIST:AC-3"]
reasons contains reason if {
	some reason in answer.contributed("tenant", data.platform.registration.tenants.deny)
	permitted
}

# METADATA
# title: What operators and tenants demand of what is granted
# description: Nobody waits for a person here, so a question refuses the registration.
# scope: document
obligations contains obligation if {
	some obligation in answer.demanded(
		{element | some element in data.platform.registration.operator.require_approval},
		{element | some element in data.platform.registration.operator.oblige},
	)
}

obligations contains obligation if {
	some obligation in answer.demanded(
		{element | some element in data.platform.registration.tenants.require_approval},
		{element | some element in data.platform.registration.tenants.oblige},
	)
}

# METADATA
# title: Registration that nothing of the platform's stands against
# scope: document
permitted if {
	operator_registers
	admitted
}

permitted if {
	is_registration
	catalog_writable
	service_listed
	admitted
}

# METADATA
# title: Tools are to be registered
is_registration if {
	is_catalog
	input.action == "register"
}

# METADATA
# title: The question is about the catalog
is_catalog if input.resource.kind == "catalog"

# METADATA
# title: An operator registers tools
operator_registers if {
	is_registration
	data.operators[input.identity.spiffe_id].actions.operate
}

# METADATA
# title: Entry of the calling agent
agent := data.agents[input.identity.spiffe_id]

# METADATA
# title: The caller is known
# scope: document
known if agent

known if operator_registers

# METADATA
# title: The caller is known and asks no more often than it may
admitted if {
	known
	within_agent_rate
	within_tenant_rate
}

# METADATA
# title: The caller's requests are within its limit
# description: Rules of their own, because `not a <= b` is undefined, and not true, when `a` is missing.
within_agent_rate if bounds.within(input.counters.agent_minute, data.limits.agent_minute)

# METADATA
# title: The tenant's requests are within its limit
within_tenant_rate if bounds.within(input.counters.tenant_minute, data.limits.tenant_minute)

# METADATA
# title: The agent may register tools of a service that it may write to
catalog_writable if {
	agent.resources.catalog.actions.write
	service_writable
}

# METADATA
# title: The agent may write to the service
# description: >-
#   Without a service the question is whether the agent may register at all; with one, whether for it.
# scope: document
service_writable if not input.resource.service

service_writable if agent.resources[input.resource.service].actions.write

# METADATA
# title: The grant of the catalog lists the service
# scope: document
service_listed if not input.resource.service

service_listed if agent.resources.catalog.services[input.resource.service] == true
