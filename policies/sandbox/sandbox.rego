# METADATA
# title: Execution of code
# description: >-
#   Decides whether an agent may have code run in the sandbox: in which language, for how long, with how
#   much memory, with which packages and environment variables. Never with a network. The agent's entry
#   grants, and the platform's maxima bound what it can grant.
# custom:
#   controls: ["SOC2:CC6.1", "NIST:SC-39"]
# schemas:
#   - input: schema.sandbox
package platform.sandbox

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
decision := answer.allowed("sandbox", grants, obligations) if {
	allow
} else := answer.refused("sandbox", reasons, set())

# METADATA
# title: Execution is granted
# description: >-
#   Everything that was asked for is granted and within the bounds.
# custom:
#   controls: ["SOC2:CC6.1", "NIST:CM-7", "NIST:SC-39"]
grants contains {
	"code": "granted",
	"message": "the agent's grant covers this execution",
	"controls": ["SOC2:CC6.1", "NIST:CM-7", "NIST:SC-39"],
} if {
	is_exec
	grant
	language_granted
	time_within
	memory_within
	packages_granted
	env_vars_granted
	without_network
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
# title: Sandbox is not granted
# description: >-
#   The agent's entry says nothing of the sandbox.
# custom:
#   controls: ["SOC2:CC6.1", "NIST:AC-6"]
reasons contains {
	"code": "sandbox_not_granted",
	"message": "the agent was not granted the sandbox",
	"controls": ["SOC2:CC6.1", "NIST:AC-6"],
} if {
	agent
	not grant
}

# METADATA
# title: Language is not granted
# custom:
#   controls: ["NIST:CM-7"]
reasons contains {
	"code": "language_not_granted",
	"message": "the agent was not granted this language",
	"controls": ["NIST:CM-7"],
} if {
	grant
	not language_granted
}

# METADATA
# title: Network is refused
# description: >-
#   Nobody can grant a network; what needs one goes through the gateway. A request that does not say that it needs none is taken for one that does.
# custom:
#   controls: ["NIST:SC-7", "NIST:CM-7"]
reasons contains {
	"code": "network_refused",
	"message": "code in the sandbox has no network",
	"controls": ["NIST:SC-7", "NIST:CM-7"],
} if {
	grant
	not without_network
}

# METADATA
# title: Time is exceeded
# description: >-
#   The time asked for is not positive, or above the grant's or the platform's maximum.
# custom:
#   controls: ["NIST:SC-6"]
reasons contains {
	"code": "time_exceeded",
	"message": "the code may not run for this long",
	"controls": ["NIST:SC-6"],
} if {
	grant
	not time_within
}

# METADATA
# title: Memory is exceeded
# description: >-
#   The memory asked for is not positive, or above the grant's or the platform's maximum.
# custom:
#   controls: ["NIST:SC-6"]
reasons contains {
	"code": "memory_exceeded",
	"message": "the code may not have this much memory",
	"controls": ["NIST:SC-6"],
} if {
	grant
	not memory_within
}

# METADATA
# title: Package is not granted
# description: >-
#   Every package is granted by its name.
# custom:
#   controls: ["NIST:CM-7", "NIST:CM-11"]
reasons contains {
	"code": "package_not_granted",
	"message": "the agent was not granted one of the packages",
	"controls": ["NIST:CM-7", "NIST:CM-11"],
} if {
	grant
	not packages_granted
}

# METADATA
# title: Environment variable is not granted
# description: >-
#   Every variable is granted by its name. Some change what an interpreter loads.
# custom:
#   controls: ["NIST:CM-7"]
reasons contains {
	"code": "env_var_not_granted",
	"message": "the agent was not granted one of the environment variables",
	"controls": ["NIST:CM-7"],
} if {
	grant
	not env_vars_granted
}

# METADATA
# title: Agent runs code too often
# description: >-
#   The executions exceed `limits.sandbox_agent_minute` (60 where it is not set). Without a count there is
#   none.
# custom:
#   controls: ["NIST:SC-5"]
reasons contains {
	"code": "agent_rate_exceeded",
	"message": "the agent has reached its limit of executions a minute",
	"controls": ["NIST:SC-5"],
} if {
	grant
	not within_agent_rate
}

# METADATA
# title: Tenant runs code too often
# description: >-
#   The executions of all agents of the tenant exceed `limits.sandbox_tenant_minute` (300 where it is not
#   set).
# custom:
#   controls: ["NIST:SC-5"]
reasons contains {
	"code": "tenant_rate_exceeded",
	"message": "the tenant has reached its limit of executions a minute",
	"controls": ["NIST:SC-5"],
} if {
	grant
	not within_tenant_rate
}

# METADATA
# title: Operator's policy refuses
# description: >-
#   The operator's package `platform.sandbox.operator` contributed to `deny`. Any contribution refuses,
#   whatever its shape.
# custom:
#   controls: ["NIST:AC-3"]
reasons contains reason if {
	some element in data.platform.sandbox.operator.deny
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
	some element in data.platform.sandbox.tenants.deny
	some _ in grants
	some reason in answer.contributed("tenant", {element})
}

# METADATA
# title: Output is bounded
# description: >-
#   What is returned of the output is at most this long.
obligations contains {"kind": "max_bytes", "bytes": output_bytes} if {
	some _ in grants
}

# METADATA
# title: What operators and tenants demand of what is granted
# scope: document
# custom:
#   controls: ["NIST:AC-3"]
obligations contains obligation if {
	some element in data.platform.sandbox.operator.require_approval
	some _ in grants
	some obligation in answer.demanded({element}, set())
}

obligations contains obligation if {
	some obligation in data.platform.sandbox.operator.oblige
	some _ in grants
}

obligations contains obligation if {
	some element in data.platform.sandbox.tenants.require_approval
	some _ in grants
	some obligation in answer.demanded({element}, set())
}

obligations contains obligation if {
	some obligation in data.platform.sandbox.tenants.oblige
	some _ in grants
}
