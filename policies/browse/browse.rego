# METADATA
# title: Browsing
# description: >-
#   Decides whether an agent may open a URL in the browser, and what it may do on the page. The URL comes
#   taken apart by a parser of the WHATWG URL Standard, and what such a parser would still change is
#   refused. Hosts are looked up by name and by the domains above it. Asked for every URL that the
#   browser is sent to: the first, each redirect and each `navigate`.
# custom:
#   controls: ["SOC2:CC6.6", "NIST:SC-7"]
# schemas:
#   - input: schema.browse
package platform.browse

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
decision := answer.allowed("browse", grants, obligations) if {
	allow
} else := answer.refused("browse", reasons, set())

# METADATA
# title: Page is granted
# description: >-
#   A rule of a host covers scheme, port and path, and everything that is to be done there is granted.
# custom:
#   controls: ["SOC2:CC6.6", "NIST:SC-7", "NIST:AC-4"]
grants contains {
	"code": "granted",
	"message": "the agent's list of hosts covers this page",
	"controls": ["SOC2:CC6.6", "NIST:SC-7", "NIST:AC-4"],
} if {
	is_browse
	grant
	sound
	some rule in usable_rules
	permits(rule)
	actions_granted
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
# title: Browser is not granted
# description: >-
#   The agent's entry says nothing of browsing.
# custom:
#   controls: ["SOC2:CC6.1", "NIST:AC-6"]
reasons contains {
	"code": "browser_not_granted",
	"message": "the agent was not granted the browser",
	"controls": ["SOC2:CC6.1", "NIST:AC-6"],
} if {
	agent
	not grant
}

# METADATA
# title: Credentials in a URL are refused
# description: >-
#   A request that does not say that there are none is taken for one with some.
# custom:
#   controls: ["NIST:IA-5", "NIST:SI-10"]
reasons contains {
	"code": "userinfo_refused",
	"message": "a URL may not hold a user name or a password",
	"controls": ["NIST:IA-5", "NIST:SI-10"],
} if {
	grant
	not without_userinfo
}

# METADATA
# title: Host is not canonical
# description: >-
#   Upper case, a trailing dot, an empty label, characters that a host cannot have after parsing, or more labels than are looked up.
# custom:
#   controls: ["NIST:SI-10"]
reasons contains {
	"code": "host_not_canonical",
	"message": "the host is not in its canonical form",
	"controls": ["NIST:SI-10"],
} if {
	grant
	not host_canonical
}

# METADATA
# title: Path is not canonical
# description: >-
#   A dot segment or an empty one, an encoded character that needs no encoding or that separates, or more segments than are looked up: what the policy compares would not be what the server sees.
# custom:
#   controls: ["NIST:SI-10"]
reasons contains {
	"code": "path_not_canonical",
	"message": "the path is not in its canonical form",
	"controls": ["NIST:SI-10"],
} if {
	grant
	not path_canonical
}

# METADATA
# title: A rule refuses
# description: >-
#   A rule of the host, or of a domain above it, refuses the host or the path. It wins over all that allow.
# custom:
#   controls: ["NIST:SC-7", "NIST:AC-4"]
reasons contains {
	"code": "url_denied",
	"message": "a rule refuses this page",
	"controls": ["NIST:SC-7", "NIST:AC-4"],
} if {
	sound
	denied
}

# METADATA
# title: Address or internal name is not granted
# description: >-
#   An IP address, a name without a dot, or one that only a local network knows, is granted by exactly this name and never by a domain above it.
# custom:
#   controls: ["NIST:SC-7", "NIST:AC-6"]
reasons contains {
	"code": "internal_not_granted",
	"message": "the agent was not granted this address or internal name",
	"controls": ["NIST:SC-7", "NIST:AC-6"],
} if {
	sound
	not denied
	is_internal
	count(exact_rules) == 0
}

# METADATA
# title: Host is not granted
# description: >-
#   No rule is for the host or for a domain above it.
# custom:
#   controls: ["SOC2:CC6.6", "NIST:SC-7", "NIST:AC-6"]
reasons contains {
	"code": "host_not_granted",
	"message": "the agent was not granted this host",
	"controls": ["SOC2:CC6.6", "NIST:SC-7", "NIST:AC-6"],
} if {
	sound
	not denied
	not is_internal
	count(usable_rules) == 0
}

# METADATA
# title: Page is not granted
# description: >-
#   The rules of the host cover another scheme, port or path.
# custom:
#   controls: ["SOC2:CC6.6", "NIST:SC-7", "NIST:AC-6"]
reasons contains {
	"code": "url_not_granted",
	"message": "the agent was granted this host, but not this page of it",
	"controls": ["SOC2:CC6.6", "NIST:SC-7", "NIST:AC-6"],
} if {
	sound
	not denied
	count(usable_rules) > 0
	not permitted
}

# METADATA
# title: Action is not granted
# description: >-
#   Every type of action is granted by its name.
# custom:
#   controls: ["SOC2:CC6.1", "NIST:AC-6"]
reasons contains {
	"code": "action_not_granted",
	"message": "the agent was not granted one of the actions",
	"controls": ["SOC2:CC6.1", "NIST:AC-6"],
} if {
	grant
	not actions_granted
}

# METADATA
# title: Agent opens too many pages
# description: >-
#   The pages exceed `limits.browse_agent_minute` (60 where it is not set). Without a count there is none.
# custom:
#   controls: ["NIST:SC-5"]
reasons contains {
	"code": "agent_rate_exceeded",
	"message": "the agent has reached its limit of pages a minute",
	"controls": ["NIST:SC-5"],
} if {
	grant
	not within_agent_rate
}

# METADATA
# title: Tenant opens too many pages
# description: >-
#   The pages of all agents of the tenant exceed `limits.browse_tenant_minute` (300 where it is not set).
# custom:
#   controls: ["NIST:SC-5"]
reasons contains {
	"code": "tenant_rate_exceeded",
	"message": "the tenant has reached its limit of pages a minute",
	"controls": ["NIST:SC-5"],
} if {
	grant
	not within_tenant_rate
}

# METADATA
# title: Operator's policy refuses
# description: >-
#   The operator's package `platform.browse.operator` contributed to `deny`. Any contribution refuses,
#   whatever its shape.
# custom:
#   controls: ["NIST:AC-3"]
reasons contains reason if {
	some element in data.platform.browse.operator.deny
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
	some element in data.platform.browse.tenants.deny
	some _ in grants
	some reason in answer.contributed("tenant", {element})
}

# METADATA
# title: What operators and tenants demand of what is granted
# scope: document
# custom:
#   controls: ["NIST:AC-3"]
obligations contains obligation if {
	some element in data.platform.browse.operator.require_approval
	some _ in grants
	some obligation in answer.demanded({element}, set())
}

obligations contains obligation if {
	some obligation in data.platform.browse.operator.oblige
	some _ in grants
}

obligations contains obligation if {
	some element in data.platform.browse.tenants.require_approval
	some _ in grants
	some obligation in answer.demanded({element}, set())
}

obligations contains obligation if {
	some obligation in data.platform.browse.tenants.oblige
	some _ in grants
}
