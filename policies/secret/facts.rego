# What the rules of secret.rego ask of an identity, its entry and its counters.
package platform.secret

import data.platform.bounds

# METADATA
# title: Entry of the calling agent
agent := data.agents[input.identity.spiffe_id]

# METADATA
# title: An operator who may operate
known_operator if data.operators[input.identity.spiffe_id].actions.operate

# METADATA
# title: The agent may do this
agent_permitted if {
	agent_acts
	within_scope
	within_agent_rate
	within_tenant_rate
	delegation_in_order
	not operator_denies
}

# METADATA
# title: The operator may do this, asking itself
operator_permitted if {
	operator_acts
	not input.actor
	not operator_denies
}

# METADATA
# title: An agent asks, and may ask
agent_asks if {
	agent
	delegation_in_order
	not operator_permitted
}

# METADATA
# title: An agent asks, and not too often
agent_is_heard if {
	agent_asks
	within_agent_rate
	within_tenant_rate
}

# METADATA
# title: The operator's policy is looked at
# scope: document
is_heard if agent_is_heard

is_heard if {
	delegation_in_order
	known_operator
	not agent
}

# METADATA
# title: The operator's policy refuses
operator_denies if count(data.platform.secret.operator.deny) > 0

# METADATA
# title: The agent is within its rate
# description: A rule of its own, because `not a <= b` is undefined, and not true, when `a` is missing.
within_agent_rate if {
	bounds.within(input.counters.agent_minute, object.get(data.limits, "secret_agent_minute", 600))
}

# METADATA
# title: The tenant is within its rate
within_tenant_rate if {
	bounds.within(input.counters.tenant_minute, object.get(data.limits, "secret_tenant_minute", 3000))
}

# METADATA
# title: What an agent may do where its entry does not say
# description: Everything but rotate.
every_action := {"read": true, "write": true, "list": true, "delete": true, "restore": true}

# METADATA
# title: The agent's entry leaves it the action
# description: An entry with `secrets.actions` narrows them; one whose `secrets` is no object leaves none.
agent_acts if {
	every_action[input.action]
	grant := object.get(agent, "secrets", {})
	object.get(grant, "actions", every_action)[input.action] == true
	fits
}

# METADATA
# title: The operator may do the action
# scope: document
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

# METADATA
# title: The action fits the resource
# description: A secret has a key, the listing of all has none.
# scope: document
fits if {
	input.resource.kind == "secret"
	input.resource.key
}

fits if {
	input.resource.kind == "vault"
	input.action == "list"
}

# METADATA
# title: Actions that change something
changes := {"write": true, "delete": true, "restore": true}

# METADATA
# title: The agent may write to the scope
# description: >-
#   Reading is bounded by the scope module alone; what changes something names the scope it changes.
# scope: document
within_scope if not changes[input.action] # lint: ignore not-missing because without an action nothing is granted

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

# METADATA
# title: Scope of the tenant
# description: Made from the SPIFFE ID that the entry is found by, so that nothing stated beside it counts.
tenant_scope := concat("/", array.concat(array.slice(id_parts, 0, 5), ["*"]))

# METADATA
# title: Path of the agent's roles
agent_path := concat("/", array.concat(array.slice(id_parts, 0, 6), [""]))

# METADATA
# title: Scope of the agent
agent_scope := concat("", [agent_path, "*"])

# METADATA
# title: Parts of the SPIFFE ID of an agent
# description: "`spiffe:`, nothing, trust domain, `agent`, tenant, agent and role."
id_parts := split(input.identity.spiffe_id, "/")

# METADATA
# title: Nobody acts for the agent, or who may
# description: Without an actor the identity asks itself.
# scope: document
delegation_in_order if not input.actor

delegation_in_order if {
	input.action == "read"
	data.services.vault.delegates[input.actor] == true
}
