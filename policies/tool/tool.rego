# METADATA
# title: Tool calls
# description: >-
#   Decides whether an identity may see, search, register or call a tool. What is allowed is said by
#   the rules that allow, each complete in itself; the others only say why the rest is not. Every rule
#   looks grants up by key; none walks over all of them. The decision is the first rule that holds.
# schemas:
#   - input: schema.tool
package platform.tool

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
	"rule": "platform.tool.not_decided",
}

decision := granted if granted

else := approved if approved

else := tool_described if tool_described

else := catalog_read if catalog_read

else := catalog_write if catalog_write

else := unknown_agent if unknown_agent

else := agent_rate_exceeded if agent_rate_exceeded

else := tenant_rate_exceeded if tenant_rate_exceeded

else := catalog_not_granted if catalog_not_granted

else := service_not_granted if service_not_granted

else := tool_not_granted if tool_not_granted

else := action_not_granted if action_not_granted

else := denied_by_operator if denied_by_operator

else := approval_refused if approval_refused

else := approval_required if approval_required

# METADATA
# title: Call is granted
# description: The agent's grants cover the service, the action and the tool.
# custom:
#   controls: ["SOC2:CC6.1", "NIST:AC-3"]
granted := allowed(
	"granted",
	"the agent's grants cover this call",
	["SOC2:CC6.1", "NIST:AC-3"],
) if {
	callable
	not must_ask
	not person_refused
}

# METADATA
# title: A person said yes
# description: The call is granted, needs a person's approval and carries one that is in force.
# custom:
#   controls: ["EUAI:14", "NIST:AC-3"]
approved := allowed(
	"approved",
	"a person allowed this call",
	["EUAI:14", "NIST:AC-3"],
) if {
	callable
	must_ask
	approval_in_force
}

# METADATA
# title: Tool may be described
# description: An agent may read the description of every tool that its grants reach.
# custom:
#   controls: ["SOC2:CC6.1"]
tool_described := allowed(
	"tool_described",
	"the agent's grants reach this tool",
	["SOC2:CC6.1"],
) if {
	input.action == "get"
	input.resource.kind == "tool"
	tool_in_grant
	within_limits
}

# METADATA
# title: Catalog may be read
# description: Every registered agent may list and search the tools; calling one is another matter.
# custom:
#   controls: ["SOC2:CC6.1"]
catalog_read := allowed(
	"catalog_read",
	"a registered agent may read the catalog",
	["SOC2:CC6.1"],
) if {
	input.action in {"list", "search"}
	is_catalog
	agent
	within_limits
}

# METADATA
# title: Tools may be registered
# description: >-
#   By an operator who may operate, or by an agent that was granted `catalog:write` and may write to
#   the service that it registers tools of.
# custom:
#   controls: ["SOC2:CC8.1", "NIST:CM-3"]
catalog_write := allowed(
	"catalog_write",
	"this identity may register tools",
	["SOC2:CC8.1", "NIST:CM-3"],
) if {
	may_register
	within_limits
}

# METADATA
# title: Agent is not registered
# description: The identity has no entry in the data bundle, and is no operator registering tools.
# custom:
#   controls: ["SOC2:CC6.1", "NIST:AC-3"]
unknown_agent := denied(
	"unknown_agent",
	"no agent is registered under this identity",
	["SOC2:CC6.1", "NIST:AC-3"],
) if {
	not agent
	not operator_registers
}

# METADATA
# title: Agent calls too often
# description: >-
#   The agent's calls of this minute, this one included, exceed its limit. Without a count or
#   without a limit there is no call.
# custom:
#   controls: ["NIST:SC-5"]
agent_rate_exceeded := denied(
	"agent_rate_exceeded",
	"the agent has reached its limit of calls a minute",
	["NIST:SC-5"],
) if {
	not within_agent_rate
}

# METADATA
# title: Tenant calls too often
# description: The calls of all agents of the tenant in this minute exceed the tenant's limit.
# custom:
#   controls: ["NIST:SC-5"]
tenant_rate_exceeded := denied(
	"tenant_rate_exceeded",
	"the tenant has reached its limit of calls a minute",
	["NIST:SC-5"],
) if {
	not within_tenant_rate
}

# METADATA
# title: Catalog is not granted
# description: The identity may not do this to the catalog.
# custom:
#   controls: ["SOC2:CC8.1", "NIST:CM-3"]
catalog_not_granted := denied(
	"catalog_not_granted",
	"this identity may not change the catalog of tools",
	["SOC2:CC8.1", "NIST:CM-3"],
) if {
	is_catalog
}

# METADATA
# title: Service is not granted
# description: The agent was given no resource of the tool's service.
# custom:
#   controls: ["SOC2:CC6.1", "NIST:AC-6"]
service_not_granted := denied(
	"service_not_granted",
	"the agent was not granted this tool's service",
	["SOC2:CC6.1", "NIST:AC-6"],
) if {
	not grant
}

# METADATA
# title: Tool is not granted
# description: The grant names its tools, and this one is not among them.
# custom:
#   controls: ["SOC2:CC6.1", "NIST:AC-6"]
tool_not_granted := denied(
	"tool_not_granted",
	"the agent's grant of this service does not include this tool",
	["SOC2:CC6.1", "NIST:AC-6"],
) if {
	not tool_in_grant
}

# METADATA
# title: Action is not granted
# description: The service is granted, but not for what this tool does (read or write).
# custom:
#   controls: ["SOC2:CC6.1", "NIST:AC-6"]
action_not_granted := denied(
	"action_not_granted",
	"the agent was granted this service, but not this action on it",
	["SOC2:CC6.1", "NIST:AC-6"],
) if {
	not action_in_grant
}

# METADATA
# title: Operator's policy refuses
# description: >-
#   The operator's package `platform.tool.operator` contributed to `deny`. Any contribution
#   refuses, whatever its shape; a well-formed one also gives code, message and controls.
# custom:
#   controls: ["NIST:AC-3"]
denied_by_operator := {
	"allow": false,
	"controls": operator_controls,
	"obligations": [],
	"reasons": operator_reasons,
	"rule": concat("", ["platform.tool.operator.", operator_reasons[0].code]),
} if {
	operator_denies
}

# METADATA
# title: A person said no
# description: The approval that came with the call is a refusal.
# custom:
#   controls: ["EUAI:14", "NIST:AC-3"]
approval_refused := denied(
	"approval_refused",
	"a person refused this call",
	["EUAI:14", "NIST:AC-3"],
) if {
	person_refused
}

# METADATA
# title: A person must be asked
# description: >-
#   The operator's package contributed to `require_approval`, and no approval in force came with
#   the call. The call is parked until a person answers.
# custom:
#   controls: ["EUAI:14", "NIST:AC-3"]
approval_required := {
	"allow": false,
	"controls": ["EUAI:14", "NIST:AC-3"],
	"obligations": operator_questions,
	"reasons": [{"code": "approval_required", "message": "a person must allow this call"}],
	"rule": "platform.tool.approval_required",
} if {
	is_call
	must_ask
}

agent := data.agents[input.identity.spiffe_id]

grant := agent.resources[input.resource.service]

# What every call needs, whether or not a person is asked besides.
callable if {
	is_call
	action_in_grant
	tool_in_grant
	within_limits
	not operator_denies
}

is_call if {
	input.action == "call"
	input.resource.kind == "tool"
}

is_catalog if input.resource.kind == "catalog"

within_limits if {
	within_agent_rate
	within_tenant_rate
}

# Rules of their own, because `not f(a)`, `not a <= b` and `not x[a]` are undefined, and not true,
# when `a` is missing; `not rule` is true.
within_agent_rate if input.counters.agent_minute <= data.limits.agent_minute

within_tenant_rate if input.counters.tenant_minute <= data.limits.tenant_minute

action_in_grant if grant.actions[input.resource.action]

tool_in_grant if {
	grant
	not grant.tools
	input.resource.name
}

tool_in_grant if grant.tools[input.resource.name]

may_register if operator_registers

may_register if {
	input.action == "register"
	is_catalog
	agent.resources.catalog.actions.write
	service_writable
}

# Without a service the question is whether the agent may register at all; with one, whether for it.
service_writable if not input.resource.service

service_writable if grant.actions.write

operator_registers if {
	input.action == "register"
	is_catalog
	data.operators[input.identity.spiffe_id].actions.operate
}

operator_denies if count(data.platform.tool.operator.deny) > 0

must_ask if count(data.platform.tool.operator.require_approval) > 0

person_refused if input.approval.verdict == "deny"

approval_in_force if {
	input.approval.verdict == "allow"
	input.context.time < input.approval.expires_at
}

# Sorted, because a set has no order that every evaluator shares.
operator_reasons := sort({reason |
	some contribution in data.platform.tool.operator.deny
	reason := {
		"code": text(contribution, "code", "denied_by_operator"),
		"message": text(contribution, "message", "the operator's policy refuses this call"),
	}
})

operator_controls := sort({"NIST:AC-3"} | {control |
	some contribution in data.platform.tool.operator.deny
	some control in controls_of(contribution)
	is_string(control)
})

operator_questions := sort({question |
	some contribution in data.platform.tool.operator.require_approval
	question := {
		"kind": "require_approval",
		"question": text(contribution, "question", "May the agent do this?"),
	}
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
	"rule": concat("", ["platform.tool.", code]),
}

allowed(code, message, controls) := {
	"allow": true,
	"controls": controls,
	"obligations": [],
	"reasons": [{"code": code, "message": message}],
	"rule": concat("", ["platform.tool.", code]),
}
