# What the rules of browse.rego look up: the rules of a host, and what they permit.
package platform.browse

import data.platform.bounds

# METADATA
# title: A page is to be opened
is_browse if {
	input.action == "browse"
	input.resource.kind == "url"
}

# METADATA
# title: Entry of the calling agent
agent := data.agents[input.identity.spiffe_id]

# METADATA
# title: What the agent's entry grants
grant := agent.browse if is_object(agent.browse)

# METADATA
# title: The URL is what it seems
sound if {
	grant
	without_userinfo
	host_canonical
	path_canonical
}

# METADATA
# title: The URL holds no credentials
without_userinfo if input.resource.userinfo == false

# METADATA
# title: Rules of exactly this host
exact_rules contains grant.hosts[input.resource.host]

# METADATA
# title: Rules of the domains above the host
# description: >-
#   Looked up by key, `*.example.com` for `a.b.example.com`: no look-alike such as `evilexample.com` has
#   that key. A domain has two labels at least, so that nobody grants `*.com`.
domain_rules contains rule if {
	some index in domain_starts
	rule := grant.hosts[concat(".", array.concat(["*"], array.slice(labels, index, count(labels))))]
}

# METADATA
# title: Where the domains above the host begin
domain_starts contains index if {
	host_canonical
	some index, _ in labels
	index > 0
	index < count(labels) - 1
}

# METADATA
# title: Rules that may permit this host
# scope: document
usable_rules contains rule if some rule in exact_rules

usable_rules contains rule if {
	not is_internal
	some rule in domain_rules
}

# METADATA
# title: A rule permits the page
permitted if {
	some rule in usable_rules
	permits(rule)
}

# METADATA
# title: A rule refuses the page
denied if {
	some rule in (exact_rules | domain_rules)
	refuses(rule)
}

# METADATA
# title: A rule that permits
permits(rule) if {
	has_form(rule)
	scheme_permitted(rule)
	port_permitted(rule)
	path_permitted(rule)
}

# METADATA
# title: A rule that refuses
# description: >-
#   `false` refuses the host, `{"paths": {"/admin": false}}` what is below. Whatever has another form refuses too.
# scope: document
refuses(rule) if not has_form(rule)

refuses(rule) if {
	paths := rule.paths
	some prefix in path_prefixes
	paths[prefix] != true
}

# METADATA
# title: The two forms of a rule
# description: >-
#   `true`, or an object that limits `schemes`, `ports` and `paths`; another member would be a limit that
#   does not bind.
# scope: document
has_form(rule) if rule == true

has_form(rule) if {
	is_object(rule)
	count(object.keys(rule) - {"schemes", "ports", "paths"}) == 0
}

# METADATA
# title: A rule sets no limit of this name
# scope: document
unlimited(rule, _) if rule == true

unlimited(rule, name) if not name in object.keys(rule)

# METADATA
# title: A rule permits the scheme
# description: >-
#   Without a limit, `https` alone.
# scope: document
scheme_permitted(rule) if {
	unlimited(rule, "schemes")
	input.resource.scheme == "https"
}

scheme_permitted(rule) if rule.schemes[input.resource.scheme] == true

# METADATA
# title: A rule permits the port
# description: >-
#   Without a limit, the scheme's own.
# scope: document
port_permitted(rule) if {
	unlimited(rule, "ports")
	input.resource.port == default_ports[input.resource.scheme]
}

port_permitted(rule) if rule.ports[$"{input.resource.port}"] == true

# METADATA
# title: Ports of the schemes
default_ports := {"http": 80, "https": 443}

# METADATA
# title: A rule permits the path
# scope: document
path_permitted(rule) if unlimited(rule, "paths")

path_permitted(rule) if {
	some prefix in path_prefixes
	rule.paths[prefix] == true
}

# METADATA
# title: Every action is granted
actions_granted if {
	is_array(input.actions)
	every type in input.actions {
		grant.actions[type] == true
	}
}

# METADATA
# title: Pages are within the agent's limit
within_agent_rate if bounds.within(input.counters.agent_minute, agent_limit)

# METADATA
# title: Pages are within the tenant's limit
within_tenant_rate if bounds.within(input.counters.tenant_minute, tenant_limit)

# METADATA
# title: Pages a minute of one agent
# scope: document
default agent_limit := 60

agent_limit := data.limits.browse_agent_minute

# METADATA
# title: Pages a minute of one tenant
# scope: document
default tenant_limit := 300

tenant_limit := data.limits.browse_tenant_minute
