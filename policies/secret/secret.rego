# METADATA
# title: Secrets
# description: >-
#   Decides who may read, write, list, delete and restore secrets of the vault and who may rotate its
#   master key. Whether a scope covers an identity is the `scope` module's decision, not this one's:
#   here stands what an identity may do at all, and how wide a scope it may write. Every rule looks up
#   by key. Reasons come in stages: a later one is looked at when those before it do not hold.
# custom:
#   controls: ["NIST:AC-3"]
# schemas:
#   - input: schema.secret
package platform.secret

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
decision := answer.allowed("secret", grants, obligations) if {
	allow
} else := answer.refused("secret", reasons, set())

# METADATA
# title: Agent may use its secrets
# description: >-
#   The agent is registered, its entry leaves it this action, and a scope that it writes is its own or
#   granted.
# custom:
#   controls: ["SOC2:CC6.1", "NIST:AC-3", "NIST:SC-12"]
grants contains {
	"code": "granted",
	"message": "a registered agent may do this with secrets in its scopes",
	"controls": ["SOC2:CC6.1", "NIST:AC-3", "NIST:SC-12"],
} if {
	agent_permitted
}

# METADATA
# title: Operator may keep secrets
# description: The operator who may operate reads, writes and rotates everything, and leaves evidence.
# custom:
#   controls: ["SOC2:CC6.3", "NIST:AC-3", "NIST:SC-12"]
grants contains {
	"code": "operated",
	"message": "an operator may do this",
	"controls": ["SOC2:CC6.3", "NIST:AC-3", "NIST:SC-12"],
} if {
	operator_permitted
	not agent_permitted
}

# METADATA
# title: Service may not act for agents
# description: >-
#   A service asks on behalf of an agent, and is no delegate of the vault or wants more than to read.
# custom:
#   controls: ["SOC2:CC6.3", "NIST:AC-6"]
reasons contains {
	"code": "not_delegated",
	"message": "this service may not do this on behalf of agents",
	"controls": ["SOC2:CC6.3", "NIST:AC-6"],
} if {
	not delegation_in_order
}

# METADATA
# title: Identity is not registered
# description: The identity is neither a registered agent nor an operator who may operate.
# custom:
#   controls: ["SOC2:CC6.1", "NIST:AC-3"]
reasons contains {
	"code": "unknown_identity",
	"message": "neither an agent nor an operator is registered under this identity",
	"controls": ["SOC2:CC6.1", "NIST:AC-3"],
} if {
	delegation_in_order
	not agent
	not known_operator
}

# METADATA
# title: Agent asks too often
# description: >-
#   The agent's operations on secrets of this minute, this one included, exceed
#   `limits.secret_agent_minute` (600 where it is not set). Without a count or without limits there is none.
# custom:
#   controls: ["NIST:SC-5"]
reasons contains {
	"code": "agent_rate_exceeded",
	"message": "the agent has reached its limit of operations on secrets a minute",
	"controls": ["NIST:SC-5"],
} if {
	agent_asks
	not within_agent_rate
}

# METADATA
# title: Tenant asks too often
# description: >-
#   The operations on secrets of all agents of the tenant in this minute exceed
#   `limits.secret_tenant_minute` (3000 where it is not set).
# custom:
#   controls: ["NIST:SC-5"]
reasons contains {
	"code": "tenant_rate_exceeded",
	"message": "the tenant has reached its limit of operations on secrets a minute",
	"controls": ["NIST:SC-5"],
} if {
	agent_asks
	within_agent_rate
	not within_tenant_rate
}

# METADATA
# title: Operator's policy refuses
# description: >-
#   The operator's package `platform.secret.operator` contributed to `deny`. Any contribution
#   refuses, whatever its shape.
# custom:
#   controls: ["NIST:AC-3"]
reasons contains reason if {
	some element in data.platform.secret.operator.deny
	is_heard
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
	some element in data.platform.secret.tenants.deny
	some _ in grants
	some reason in answer.contributed("tenant", {element})
}

# METADATA
# title: Action is not granted
# description: The agent's entry does not leave it this action, or it is one for operators only.
# custom:
#   controls: ["SOC2:CC6.1", "NIST:AC-6"]
reasons contains {
	"code": "action_not_granted",
	"message": "the agent was not granted this action on secrets",
	"controls": ["SOC2:CC6.1", "NIST:AC-6"],
} if {
	agent_is_heard
	not operator_denies
	not agent_acts
}

# METADATA
# title: Scope is not granted
# description: >-
#   The scope is wider than the agent, or that of another role of it, and the agent's entry holds
#   neither `secrets.tenant_write` nor `secrets.role_write`.
# custom:
#   controls: ["SOC2:CC6.1", "NIST:AC-6"]
reasons contains {
	"code": "scope_not_granted",
	"message": "the agent was not granted to write secrets of this scope",
	"controls": ["SOC2:CC6.1", "NIST:AC-6"],
} if {
	agent_is_heard
	not operator_denies
	agent_acts
	not within_scope
}

# METADATA
# title: What operators and tenants demand
# scope: document
# description: Of what is allowed; a refusal demands nothing.
# custom:
#   controls: ["NIST:AC-3"]
obligations contains obligation if {
	some element in data.platform.secret.operator.require_approval
	some obligation in answer.demanded({element}, set())
}

obligations contains obligation if some obligation in data.platform.secret.operator.oblige

obligations contains obligation if {
	some element in data.platform.secret.tenants.require_approval
	some obligation in answer.demanded({element}, set())
}

obligations contains obligation if some obligation in data.platform.secret.tenants.oblige
