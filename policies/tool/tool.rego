# METADATA
# title: Tool calls
# description: >-
#   Decides whether an identity may see, search or call a tool. Every rule looks grants up by key; none
#   walks over all of them. Usually one reason holds, the most useful one: each begins where the one
#   before it ends.
# custom:
#   controls: ["SOC2:CC6.1", "NIST:AC-3"]
# schemas:
#   - input: schema.tool
package platform.tool

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
decision := answer.allowed("tool", grants, obligations) if {
	allow
} else := answer.refused("tool", reasons, questions)

# METADATA
# title: Call is granted
# description: The agent's grants cover the service, the action and the tool.
# custom:
#   controls: ["SOC2:CC6.1", "NIST:AC-3"]
grants contains {
	"code": "granted",
	"message": "the agent's grants cover this call",
	"controls": ["SOC2:CC6.1", "NIST:AC-3"],
} if {
	is_call
	effect_granted
	not must_ask
}

# METADATA
# title: A person said yes
# description: The call is granted, needs a person's approval and carries one that is in force.
# custom:
#   controls: ["EUAI:14", "NIST:AC-3"]
grants contains {
	"code": "approved",
	"message": "a person allowed this call",
	"controls": ["EUAI:14", "NIST:AC-3"],
} if {
	approval_in_force
	is_call
	effect_granted
	must_ask
}

# METADATA
# title: Tool may be described
# description: An agent may read the description of every tool that its grants reach.
# custom:
#   controls: ["SOC2:CC6.1"]
grants contains {
	"code": "tool_described",
	"message": "the agent's grants reach this tool",
	"controls": ["SOC2:CC6.1"],
} if {
	input.action == "get"
	input.resource.kind == "tool"
	tool_in_grant
}

# METADATA
# title: Catalog may be read
# description: Every registered agent may list and search the tools; calling one is another matter.
# custom:
#   controls: ["SOC2:CC6.1"]
grants contains {
	"code": "catalog_read",
	"message": "a registered agent may read the catalog",
	"controls": ["SOC2:CC6.1"],
} if {
	input.resource.kind == "catalog"
	is_reading
}

# METADATA
# title: Agent is not registered
# description: The identity has no entry in the data bundle.
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
# title: Agent calls too often
# description: >-
#   The agent's calls of this minute, this one included, exceed its limit. Without a count or
#   without a limit there is no call.
# custom:
#   controls: ["NIST:SC-5"]
reasons contains {
	"code": "agent_rate_exceeded",
	"message": "the agent has reached its limit of calls a minute",
	"controls": ["NIST:SC-5"],
} if {
	not within_agent_rate
	agent
}

# METADATA
# title: Tenant calls too often
# description: The calls of all agents of the tenant in this minute exceed the tenant's limit.
# custom:
#   controls: ["NIST:SC-5"]
reasons contains {
	"code": "tenant_rate_exceeded",
	"message": "the tenant has reached its limit of calls a minute",
	"controls": ["NIST:SC-5"],
} if {
	not within_tenant_rate
	within_agent_rate
	agent
}

# METADATA
# title: Catalog is not granted
# description: The agent may read the catalog and do nothing else to it.
# custom:
#   controls: ["SOC2:CC8.1", "NIST:CM-3"]
reasons contains {
	"code": "catalog_not_granted",
	"message": "this identity may not change the catalog of tools",
	"controls": ["SOC2:CC8.1", "NIST:CM-3"],
} if {
	input.resource.kind == "catalog"
	not is_reading
	admitted
}

# METADATA
# title: Service is not granted
# description: The agent was given no resource of the tool's service.
# custom:
#   controls: ["SOC2:CC6.1", "NIST:AC-6"]
reasons contains {
	"code": "service_not_granted",
	"message": "the agent was not granted this tool's service",
	"controls": ["SOC2:CC6.1", "NIST:AC-6"],
} if {
	not grant
	not is_catalog
	admitted
}

# METADATA
# title: Tool is not granted
# description: The grant names its tools, and this one is not among them.
# custom:
#   controls: ["SOC2:CC6.1", "NIST:AC-6"]
reasons contains {
	"code": "tool_not_granted",
	"message": "the agent's grant of this service does not include this tool",
	"controls": ["SOC2:CC6.1", "NIST:AC-6"],
} if {
	not tool_in_grant
	grant
	not is_catalog
	admitted
}

# METADATA
# title: Action is not granted
# description: The service is granted, but not for what this tool does (read or write).
# custom:
#   controls: ["SOC2:CC6.1", "NIST:AC-6"]
reasons contains {
	"code": "action_not_granted",
	"message": "the agent was granted this service, but not this action on it",
	"controls": ["SOC2:CC6.1", "NIST:AC-6"],
} if {
	not action_in_grant
	tool_in_grant
	not harmless
	admitted
}

# METADATA
# title: Operator's policy refuses
# description: >-
#   The operator's package `platform.tool.operator` contributed to `deny`. Any contribution refuses,
#   whatever its shape.
# custom:
#   controls: ["NIST:AC-3"]
reasons contains reason if {
	some reason in answer.contributed("operator", data.platform.tool.operator.deny)
	effect_granted
}

# METADATA
# title: Tenant's policy refuses
# description: The package of the caller's own tenant contributed to `deny`.
# custom:
#   controls: ["NIST:AC-3"]
reasons contains reason if {
	some reason in answer.contributed("tenant", data.platform.tool.tenants.deny)
	effect_granted
}

# METADATA
# title: A person said no
# description: The approval that came with the call is a refusal.
# custom:
#   controls: ["EUAI:14", "NIST:AC-3"]
reasons contains {
	"code": "approval_refused",
	"message": "a person refused this call",
	"controls": ["EUAI:14", "NIST:AC-3"],
} if {
	input.approval.verdict == "deny"
	effect_granted
	not denied_by_others
}

# METADATA
# title: A person must be asked
# description: >-
#   The operator's or the tenant's package contributed to `require_approval`, and no approval in force
#   came with the call. The call is parked until a person answers.
# custom:
#   controls: ["EUAI:14", "NIST:AC-3"]
reasons contains {
	"code": "approval_required",
	"message": "a person must allow this call",
	"controls": ["EUAI:14", "NIST:AC-3"],
} if {
	must_park
}

# METADATA
# title: Questions to the person
# description: Only with the reason that parks the call, or it would be parked without any use.
questions contains {
	"kind": "require_approval",
	"question": answer.text(element, "question", "May the agent do this?"),
} if {
	must_park
	some element in asked
}

# METADATA
# title: Entry of the calling agent
agent := data.agents[input.identity.spiffe_id]

# METADATA
# title: What the agent was granted of the tool's service
grant := agent.resources[input.resource.service]

# METADATA
# title: The agent is known and calls no more often than it may
admitted if {
	agent
	within_agent_rate
	within_tenant_rate
}

# METADATA
# title: The grants cover what the tool does
effect_granted if {
	action_in_grant
	tool_in_grant
	admitted
	not harmless
}

# METADATA
# title: A tool is to be called
is_call if {
	input.action == "call"
	input.resource.kind == "tool"
}

# METADATA
# title: Nothing is to be done with a tool
# description: It is to be described, or the question is about the catalog as a whole.
# scope: document
harmless if {
	input.action == "get"
	input.resource.kind == "tool"
}

harmless if is_catalog

# METADATA
# title: The question is about the catalog as a whole
is_catalog if input.resource.kind == "catalog"

# METADATA
# title: The catalog is to be read
is_reading if input.action in {"list", "search"}

# METADATA
# title: The agent's calls are within its limit
# description: >-
#   A rule of its own, because `not f(a)`, `not a <= b` and `not x[a]` are undefined, and not true,
#   when `a` is missing; `not rule` is true.
within_agent_rate if bounds.within(input.counters.agent_minute, data.limits.agent_minute)

# METADATA
# title: The tenant's calls are within its limit
within_tenant_rate if bounds.within(input.counters.tenant_minute, data.limits.tenant_minute)

# METADATA
# title: The grant covers the action
action_in_grant if grant.actions[input.resource.action] == true

# METADATA
# title: The grant covers the tool
# description: A grant that names no tools covers every tool of its service.
# scope: document
tool_in_grant if {
	is_object(grant)
	not names_tools
	input.resource.name
}

tool_in_grant if grant.tools[input.resource.name] == true

# METADATA
# title: The grant names its tools
# description: Whatever stands there; what is no object of tools names none of them.
names_tools if "tools" in object.keys(grant)

# METADATA
# title: Somebody wants a person to be asked
# scope: document
must_ask if some _ in data.platform.tool.operator.require_approval

must_ask if some _ in data.platform.tool.tenants.require_approval

# METADATA
# title: What the person is to be asked
# scope: document
asked contains element if some element in data.platform.tool.operator.require_approval

asked contains element if some element in data.platform.tool.tenants.require_approval

# METADATA
# title: The call waits for a person
must_park if {
	must_ask
	is_call
	effect_granted
	not approval_in_force
	not person_refused
	not denied_by_others
	not over_limits
}

# METADATA
# title: The operator's or the tenant's package refuses
# scope: document
denied_by_others if some _ in data.platform.tool.operator.deny

denied_by_others if some _ in data.platform.tool.tenants.deny

# METADATA
# title: The approval is a refusal
person_refused if input.approval.verdict == "deny"

# METADATA
# title: The approval is a yes that has not expired
# description: Times compare as text; one that does not begin with a digit, or is no text, is no time.
approval_in_force if {
	input.approval.verdict == "allow"
	is_string(input.context.time)
	input.context.time < input.approval.expires_at
	input.approval.expires_at < ":"
}
