# What the rules of exchange.rego look up, and which rules allow and refuse.
package platform.exchange

import data.platform.spiffe

# METADATA
# title: Entry of the calling agent
agent := data.agents[input.spiffe_id]

# METADATA
# title: Parts of the identity
parts := spiffe.agent_of(input.spiffe_id)

# METADATA
# title: The tenant is the identity's own
tenant_is_own if input.tenant == parts.tenant

# METADATA
# title: The identity is that of a registered agent
registered if {
	agent
	tenant_is_own
}

# METADATA
# title: The agent declared resources of the service
service_declared if agent.resources[input.service].actions

# METADATA
# title: An action is asked about
# description: >-
#   Without one the question is about credentials that are good for every action.
has_action if input.action != null

# METADATA
# title: The resources that the agent declared cover the question
# scope: document
in_resources if {
	registered
	agent.resources[input.service].actions[input.action] == true
}

in_resources if {
	registered
	not has_action
	every action in ["read", "write"] {
		agent.resources[input.service].actions[action] == true
	}
}

# METADATA
# title: Rules under the SPIFFE ID
own_rules contains rule if rule := agent.exchange[input.service]

# METADATA
# title: Rules under scopes
# description: >-
#   Of the five scopes that cover the identity, looked up by key.
scope_rules contains rule if {
	some scope in spiffe.scopes_of(parts)
	rule := data.scopes[scope].exchange[input.service]
}

# METADATA
# title: A rule under the SPIFFE ID allows
granted_to_identity if {
	some rule in own_rules
	permits(rule)
}

# METADATA
# title: A rule under a scope allows
granted_to_scope if {
	some rule in scope_rules
	permits(rule)
}

# METADATA
# title: A rule refuses
denied if {
	some rule in (own_rules | scope_rules)
	refuses(rule)
}

# METADATA
# title: A rule that allows
# description: >-
#   `true` allows everything, `{"actions": {"read": true}}` only what it names.
# scope: document
permits(rule) if rule == true

permits(rule) if rule.actions[input.action] == true

# METADATA
# title: A rule that refuses
# description: >-
#   `false` refuses everything, `{"actions": {"write": false}}` only what it names, and with it the
#   question without an action. Whatever has another form, or is not `true`, refuses too.
# scope: document
refuses(rule) if not has_form(rule)

refuses(rule) if rule.actions[input.action] != true

refuses(rule) if {
	not has_action
	some allowed in rule.actions
	allowed != true
}

# METADATA
# title: The two forms of a rule
# scope: document
has_form(rule) if rule == true

has_form(rule) if is_object(rule.actions)
