# METADATA
# title: Exchange of identity for credentials
# description: >-
#   Decides whether an agent may exchange its identity for credentials of a cloud service. Allowed by a
#   rule under its exact SPIFFE ID or under a scope that covers it, within the resources that the agent
#   declared; a rule that refuses wins wherever it stands.
# custom:
#   controls: ["SOC2:CC6.1", "NIST:AC-3"]
# schemas:
#   - input: schema.exchange
package platform.exchange

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
decision := answer.allowed("exchange", grants, obligations) if {
	allow
} else := answer.refused("exchange", reasons, set())

# METADATA
# title: Exchange is granted
# description: >-
#   A rule under exactly this SPIFFE ID allows it.
# custom:
#   controls: ["SOC2:CC6.1", "NIST:AC-3", "NIST:IA-5"]
grants contains {
	"code": "granted",
	"message": "a rule of this identity allows the exchange",
	"controls": ["SOC2:CC6.1", "NIST:AC-3", "NIST:IA-5"],
} if {
	in_resources
	some rule in own_rules
	permits(rule)
}

# METADATA
# title: Exchange is granted by a scope
# description: >-
#   A rule under a scope allows it, and none under the SPIFFE ID itself does.
# custom:
#   controls: ["SOC2:CC6.1", "NIST:AC-3", "NIST:IA-5"]
grants contains {
	"code": "granted_by_scope",
	"message": "a rule of a scope that covers this identity allows the exchange",
	"controls": ["SOC2:CC6.1", "NIST:AC-3", "NIST:IA-5"],
} if {
	in_resources
	some rule in scope_rules
	permits(rule)
	not granted_to_identity
}

# METADATA
# title: Agent is not registered
# description: >-
#   The identity has no entry in the data bundle.
# custom:
#   controls: ["SOC2:CC6.1", "NIST:AC-3"]
reasons contains {
	"code": "unknown_agent",
	"message": "no agent is registered under this identity",
	"controls": ["SOC2:CC6.1", "NIST:AC-3"],
} if {
	not agent
}

# METADATA
# title: Identity is malformed
# description: >-
#   The SPIFFE ID is not that of an agent's process, although the data bundle holds it.
# custom:
#   controls: ["NIST:IA-3"]
reasons contains {
	"code": "identity_malformed",
	"message": "this identity is not that of an agent",
	"controls": ["NIST:IA-3"],
} if {
	agent
	not parts
}

# METADATA
# title: Tenant is another
# description: >-
#   The tenant that the service states is not the one that the SPIFFE ID states.
# custom:
#   controls: ["NIST:IA-3", "NIST:AC-4"]
reasons contains {
	"code": "tenant_mismatch",
	"message": "the tenant is not that of the identity",
	"controls": ["NIST:IA-3", "NIST:AC-4"],
} if {
	agent
	parts
	not tenant_is_own
}

# METADATA
# title: Service is not among the resources
# description: >-
#   The agent declared no resource of the service; no rule can make up for that.
# custom:
#   controls: ["SOC2:CC6.1", "NIST:AC-6"]
reasons contains {
	"code": "service_not_granted",
	"message": "the agent was not granted this service",
	"controls": ["SOC2:CC6.1", "NIST:AC-6"],
} if {
	registered
	not service_declared
}

# METADATA
# title: Action is not among the resources
# description: >-
#   The agent declared the service for other actions. Without an action the question is whether it may
#   do everything.
# custom:
#   controls: ["SOC2:CC6.1", "NIST:AC-6"]
reasons contains {
	"code": "action_not_granted",
	"message": "the agent was granted this service, but not for this",
	"controls": ["SOC2:CC6.1", "NIST:AC-6"],
} if {
	registered
	service_declared
	not in_resources
}

# METADATA
# title: A rule refuses
# description: >-
#   A rule under the SPIFFE ID or under any scope that covers it holds something else than `true` for the
#   service or the action. It wins over every rule that allows.
# custom:
#   controls: ["SOC2:CC6.1", "NIST:AC-3"]
reasons contains {
	"code": "exchange_denied",
	"message": "a rule refuses this exchange",
	"controls": ["SOC2:CC6.1", "NIST:AC-3"],
} if {
	in_resources
	denied
}

# METADATA
# title: No rule allows
# description: >-
#   The agent declared the service, but no rule allows the exchange.
# custom:
#   controls: ["SOC2:CC6.1", "NIST:AC-6"]
reasons contains {
	"code": "exchange_not_granted",
	"message": "no rule allows this exchange",
	"controls": ["SOC2:CC6.1", "NIST:AC-6"],
} if {
	in_resources
	not granted_to_identity
	not granted_to_scope
	not denied
}

# METADATA
# title: Operator's policy refuses
# description: >-
#   The operator's package `platform.exchange.operator` contributed to `deny`. Any contribution refuses,
#   whatever its shape.
# custom:
#   controls: ["NIST:AC-3"]
reasons contains reason if {
	some element in data.platform.exchange.operator.deny
	some _ in grants
	some reason in answer.contributed("operator", {element})
}

# METADATA
# title: Tenant's policy refuses
# description: >-
#   The package of the agent's own tenant contributed to `deny`. Any contribution refuses, whatever its
#   shape.
# custom:
#   controls: ["NIST:AC-3"]
reasons contains reason if {
	some element in data.platform.exchange.tenants.deny
	some _ in grants
	some reason in answer.contributed("tenant", {element})
}

# METADATA
# title: What operators and tenants demand of what is granted
# scope: document
# custom:
#   controls: ["NIST:AC-3"]
obligations contains obligation if {
	some element in data.platform.exchange.operator.require_approval
	some _ in grants
	some obligation in answer.demanded({element}, set())
}

obligations contains obligation if {
	some obligation in data.platform.exchange.operator.oblige
	some _ in grants
}

obligations contains obligation if {
	some element in data.platform.exchange.tenants.require_approval
	some _ in grants
	some obligation in answer.demanded({element}, set())
}

obligations contains obligation if {
	some obligation in data.platform.exchange.tenants.oblige
	some _ in grants
}
