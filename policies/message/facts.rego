# What the rules of message.rego look up of both sides, and what they agreed to.
package platform.message

import data.platform.bounds
import data.platform.spiffe

# METADATA
# title: Parts of the caller
caller_parts := spiffe.agent_of(input.identity.spiffe_id)

# METADATA
# title: Parts of the target
target_parts := spiffe.agent_of(input.target.spiffe_id)

# METADATA
# title: Both SPIFFE IDs are those of agents, as the input takes them apart
identities_sound if {
	caller_parts == object.remove(input.identity, ["spiffe_id"])
	object.remove(target_parts, ["trust_domain"]) == object.remove(input.target, ["spiffe_id"])
}

# METADATA
# title: Entry of the caller
caller := data.agents[input.identity.spiffe_id]

# METADATA
# title: Entry of the target
target := data.agents[input.target.spiffe_id]

# METADATA
# title: A message between registered agents
known if {
	input.action in {"send", "receive"}
	identities_sound
	caller
	target
}

# METADATA
# title: Both sides are of one tenant
# description: >-
#   A tenant of the same name in another trust domain is another tenant.
same_tenant if {
	known
	caller_parts.trust_domain == target_parts.trust_domain
	caller_parts.tenant == target_parts.tenant
}

# METADATA
# title: The sides are of two tenants
other_tenant if {
	known
	not same_tenant
}

# METADATA
# title: Scopes that cover the caller
caller_scopes := spiffe.scopes_of(caller_parts)

# METADATA
# title: Scopes that cover the target
target_scopes := spiffe.scopes_of(target_parts)

# METADATA
# title: What the caller and its scopes say of its peers
# description: Lists here and below, which nobody sees, because sets of what is found would have to compare it.
caller_peers := array.concat(
	[peers | peers := caller.peers],
	[peers | some scope in caller_scopes; peers := data.scopes[scope].peers],
)

# METADATA
# title: What the target and its scopes say of its peers
target_peers := array.concat(
	[peers | peers := target.peers],
	[peers | some scope in target_scopes; peers := data.scopes[scope].peers],
)

# METADATA
# title: What is said of sending to the target
sending := [rule |
	some peers in caller_peers
	send := peers.send
	some scope in target_scopes
	rule := send[scope]
]

# METADATA
# title: What is said of receiving from the caller
receiving := [rule |
	some peers in target_peers
	receive := peers.receive
	some scope in caller_scopes
	rule := receive[scope]
]

# METADATA
# title: The caller may send
caller_sends if {
	some rule in sending
	permits(rule)
}

# METADATA
# title: The target may receive
target_receives if {
	some rule in receiving
	permits(rule)
}

# METADATA
# title: The caller's own entry names the target
caller_names_target if permits(caller.peers.send[input.target.spiffe_id])

# METADATA
# title: The target's own entry names the caller
target_names_caller if permits(target.peers.receive[input.identity.spiffe_id])

# METADATA
# title: Sending is granted, as far as the caller is concerned
# scope: document
sending_granted if {
	same_tenant
	caller_sends
}

sending_granted if {
	other_tenant
	caller_names_target
}

# METADATA
# title: Receiving is granted, as far as the target is concerned
# scope: document
receiving_granted if {
	same_tenant
	target_receives
}

receiving_granted if {
	other_tenant
	target_names_caller
}

# METADATA
# title: One side never talks to the other
# description: >-
#   A `never` that cannot be read separates from everybody.
# scope: document
separated if {
	some peers in caller_peers
	never := peers.never
	some scope in target_scopes
	never[scope] != false
}

separated if {
	some peers in target_peers
	never := peers.never
	some scope in caller_scopes
	never[scope] != false
}

separated if {
	some peers in array.concat(caller_peers, target_peers)
	not is_object(object.get(peers, "never", {}))
}

separated if {
	some rule in array.concat(sending, receiving)
	refuses(rule)
}

# METADATA
# title: A rule that permits
# description: >-
#   `true` is for every message, `{"skills": {"summarize": true}}` for those that ask for a skill that it names.
# scope: document
permits(rule) if rule == true

permits(rule) if rule.skills[input.skill] == true

# METADATA
# title: A rule that refuses
# description: >-
#   `false`, and whatever else has not the form of a rule, refuses.
# scope: document
refuses(rule) if not has_form(rule)

refuses(rule) if rule.skills[input.skill] != true

# METADATA
# title: The two forms of a rule
# scope: document
has_form(rule) if rule == true

has_form(rule) if is_object(rule.skills)

# METADATA
# title: Messages are within the agent's limit
within_agent_rate if bounds.within(input.counters.agent_minute, agent_limit)

# METADATA
# title: Messages are within the tenant's limit
within_tenant_rate if bounds.within(input.counters.tenant_minute, tenant_limit)

# METADATA
# title: Messages a minute of one agent
# scope: document
default agent_limit := 120

agent_limit := data.limits.message_agent_minute

# METADATA
# title: Messages a minute of one tenant
# scope: document
default tenant_limit := 600

tenant_limit := data.limits.message_tenant_minute
