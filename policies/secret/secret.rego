# METADATA
# title: Secrets
# description: >-
#   Decides who may read, write, list, delete and restore secrets of the vault and who may rotate its
#   master key. Whether a scope covers an identity is the `scope` module's decision, not this one's:
#   here stands what an identity may do at all, and how wide a scope it may write. Every rule looks up
#   by key. The decision is the first rule that holds.
# schemas:
#   - input: schema.secret
package platform.secret

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
	"rule": "platform.secret.not_decided",
}

decision := granted if granted

else := operated if operated

else := not_delegated if not_delegated

else := unknown_identity if unknown_identity

else := agent_rate_exceeded if agent_rate_exceeded

else := tenant_rate_exceeded if tenant_rate_exceeded

else := denied_by_operator if denied_by_operator

else := action_not_granted if action_not_granted

else := scope_not_granted if scope_not_granted

# METADATA
# title: Agent may use its secrets
# description: >-
#   The agent is registered, its entry leaves it this action, and a scope that it writes is its own or
#   granted.
# custom:
#   controls: ["SOC2:CC6.1", "NIST:AC-3", "NIST:SC-12"]
granted := allowed(
	"granted",
	"a registered agent may do this with secrets in its scopes",
	["SOC2:CC6.1", "NIST:AC-3", "NIST:SC-12"],
) if {
	agent_acts
	within_scope
	within_agent_rate
	within_tenant_rate
	delegation_in_order
	not operator_denies
}

# METADATA
# title: Operator may keep secrets
# description: The operator who may operate reads, writes and rotates everything, and leaves evidence.
# custom:
#   controls: ["SOC2:CC6.3", "NIST:AC-3", "NIST:SC-12"]
operated := allowed(
	"operated",
	"an operator may do this",
	["SOC2:CC6.3", "NIST:AC-3", "NIST:SC-12"],
) if {
	operator_acts
	not input.actor
	not operator_denies
}

# METADATA
# title: Service may not act for agents
# description: >-
#   A service asks on behalf of an agent, and is no delegate of the vault or wants more than to read.
# custom:
#   controls: ["SOC2:CC6.3", "NIST:AC-6"]
not_delegated := denied(
	"not_delegated",
	"this service may not do this on behalf of agents",
	["SOC2:CC6.3", "NIST:AC-6"],
) if {
	not delegation_in_order
}

# METADATA
# title: Identity is not registered
# description: The identity is neither a registered agent nor an operator who may operate.
# custom:
#   controls: ["SOC2:CC6.1", "NIST:AC-3"]
unknown_identity := denied(
	"unknown_identity",
	"neither an agent nor an operator is registered under this identity",
	["SOC2:CC6.1", "NIST:AC-3"],
) if {
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
agent_rate_exceeded := denied(
	"agent_rate_exceeded",
	"the agent has reached its limit of operations on secrets a minute",
	["NIST:SC-5"],
) if {
	agent
	not within_agent_rate
}

# METADATA
# title: Tenant asks too often
# description: >-
#   The operations on secrets of all agents of the tenant in this minute exceed
#   `limits.secret_tenant_minute` (3000 where it is not set).
# custom:
#   controls: ["NIST:SC-5"]
tenant_rate_exceeded := denied(
	"tenant_rate_exceeded",
	"the tenant has reached its limit of operations on secrets a minute",
	["NIST:SC-5"],
) if {
	agent
	not within_tenant_rate
}

# METADATA
# title: Operator's policy refuses
# description: >-
#   The operator's package `platform.secret.operator` contributed to `deny`. Any contribution refuses,
#   whatever its shape; a well-formed one also gives code, message and controls.
# custom:
#   controls: ["NIST:AC-3"]
denied_by_operator := {
	"allow": false,
	"controls": operator_controls,
	"obligations": [],
	"reasons": operator_reasons,
	"rule": concat("", ["platform.secret.operator.", operator_reasons[0].code]),
} if {
	operator_denies
}

# METADATA
# title: Action is not granted
# description: The agent's entry does not leave it this action, or it is one for operators only.
# custom:
#   controls: ["SOC2:CC6.1", "NIST:AC-6"]
action_not_granted := denied(
	"action_not_granted",
	"the agent was not granted this action on secrets",
	["SOC2:CC6.1", "NIST:AC-6"],
) if {
	agent
	not agent_acts
}

# METADATA
# title: Scope is not granted
# description: >-
#   The scope is wider than the agent, or that of another role of it, and the agent's entry holds
#   neither `secrets.tenant_write` nor `secrets.role_write`.
# custom:
#   controls: ["SOC2:CC6.1", "NIST:AC-6"]
scope_not_granted := denied(
	"scope_not_granted",
	"the agent was not granted to write secrets of this scope",
	["SOC2:CC6.1", "NIST:AC-6"],
) if {
	agent
	not within_scope
}

agent := data.agents[input.identity.spiffe_id]

within_agent_rate if {
	input.counters.agent_minute <= object.get(data.limits, "secret_agent_minute", 600)
}

within_tenant_rate if {
	input.counters.tenant_minute <= object.get(data.limits, "secret_tenant_minute", 3000)
}

known_operator if data.operators[input.identity.spiffe_id].actions.operate

# What an agent may do where its entry does not say: everything but rotate.
every_action := {"read": true, "write": true, "list": true, "delete": true, "restore": true}

# An entry with `secrets.actions` narrows them; one whose `secrets` is no object leaves none.
agent_acts if {
	every_action[input.action]
	grant := object.get(agent, "secrets", {})
	object.get(grant, "actions", every_action)[input.action] == true
	fits
}

operator_acts if {
	known_operator
	every_action[input.action]
	fits
}

operator_acts if {
	known_operator
	input.action == "rotate"
	input.resource.kind == "vault"
}

# A secret has a key, the listing of all has none.
fits if {
	input.resource.kind == "secret"
	input.resource.key
}

fits if {
	input.resource.kind == "vault"
	input.action == "list"
}

changes := {"write": true, "delete": true, "restore": true}

# Reading is bounded by the scope module alone; what changes something names the scope it changes.
within_scope if not changes[input.action]

within_scope if input.resource.scope == input.identity.spiffe_id

within_scope if input.resource.scope == agent_scope

within_scope if {
	input.resource.scope == tenant_scope
	agent.secrets.tenant_write == true
}

within_scope if {
	startswith(input.resource.scope, agent_path)
	agent.secrets.role_write == true
}

tenant_path := concat("", [
	"spiffe://",
	input.identity.trust_domain,
	"/agent/",
	input.identity.tenant,
	"/",
])

tenant_scope := concat("", [tenant_path, "*"])

agent_path := concat("", [tenant_path, input.identity.agent, "/"])

agent_scope := concat("", [agent_path, "*"])

# Without an actor the identity asks itself.
delegation_in_order if not input.actor

delegation_in_order if {
	input.action == "read"
	data.services.vault.delegates[input.actor] == true
}

operator_denies if count(data.platform.secret.operator.deny) > 0

# Sorted, because a set has no order that every evaluator shares.
operator_reasons := sort({reason |
	some contribution in data.platform.secret.operator.deny
	reason := {
		"code": text(contribution, "code", "denied_by_operator"),
		"message": text(contribution, "message", "the operator's policy refuses this"),
	}
})

operator_controls := sort({"NIST:AC-3"} | {control |
	some contribution in data.platform.secret.operator.deny
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
	"rule": concat("", ["platform.secret.", code]),
}

allowed(code, message, controls) := {
	"allow": true,
	"controls": controls,
	"obligations": [],
	"reasons": [{"code": code, "message": message}],
	"rule": concat("", ["platform.secret.", code]),
}
