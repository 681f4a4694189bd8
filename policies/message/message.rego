# METADATA
# title: Messages between agents
# description: >-
#   Decides whether one agent may talk to another: asked by the caller's A2A sidecar before it sends and
#   by the target's before it takes the message in, with the same answer. Both sides must agree, agents
#   that must never talk do not, and across tenants both must name each other.
# custom:
#   controls: ["SOC2:CC6.1", "NIST:AC-4"]
# schemas:
#   - input: schema.message
package platform.message

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
decision := answer.allowed("message", grants, obligations) if {
	allow
} else := answer.refused("message", reasons, set())

# METADATA
# title: Message is granted
# description: >-
#   Both are of one tenant; the caller may send to the target, and the target may receive from the
#   caller.
# custom:
#   controls: ["SOC2:CC6.1", "NIST:AC-4"]
grants contains {
	"code": "granted",
	"message": "the caller may send to the target, and the target takes it",
	"controls": ["SOC2:CC6.1", "NIST:AC-4"],
} if {
	same_tenant
	caller_sends
	target_receives
}

# METADATA
# title: Message across tenants is granted
# description: >-
#   The entry of each side names the other by its exact SPIFFE ID. No scope grants it, neither one that
#   the sides are in nor one that covers the other side.
# custom:
#   controls: ["SOC2:CC6.1", "NIST:AC-4", "NIST:CA-3"]
grants contains {
	"code": "granted_across_tenants",
	"message": "both sides name each other",
	"controls": ["SOC2:CC6.1", "NIST:AC-4", "NIST:CA-3"],
} if {
	other_tenant
	caller_names_target
	target_names_caller
}

# METADATA
# title: Identity is malformed
# description: >-
#   A SPIFFE ID is not that of an agent's process, or does not state what the input states beside it.
# custom:
#   controls: ["NIST:IA-3"]
reasons contains {
	"code": "identity_malformed",
	"message": "this is not the identity of an agent",
	"controls": ["NIST:IA-3"],
} if {
	not identities_sound
}

# METADATA
# title: Caller is not registered
# description: >-
#   The caller has no entry in the data bundle.
# custom:
#   controls: ["SOC2:CC6.1", "NIST:AC-3"]
reasons contains {
	"code": "unknown_agent",
	"message": "no agent is registered under this identity",
	"controls": ["SOC2:CC6.1", "NIST:AC-3"],
} if {
	identities_sound
	not caller
}

# METADATA
# title: Target is not registered
# description: >-
#   The target has no entry in the data bundle.
# custom:
#   controls: ["SOC2:CC6.1", "NIST:AC-3"]
reasons contains {
	"code": "unknown_target",
	"message": "no agent is registered under the identity of the target",
	"controls": ["SOC2:CC6.1", "NIST:AC-3"],
} if {
	identities_sound
	caller
	not target
}

# METADATA
# title: Agents are separated
# description: >-
#   One side, or a scope that covers it, says that it never talks to the other, or refuses it where others
#   may send or be received. It wins over everything that grants, in both directions.
# custom:
#   controls: ["NIST:AC-4", "NIST:AC-5"]
reasons contains {
	"code": "separated",
	"message": "these agents must not talk to each other",
	"controls": ["NIST:AC-4", "NIST:AC-5"],
} if {
	known
	separated
}

# METADATA
# title: Sending is not granted
# description: >-
#   Nothing that the caller was given lets it send this to the target.
# custom:
#   controls: ["SOC2:CC6.1", "NIST:AC-4", "NIST:AC-6"]
reasons contains {
	"code": "send_not_granted",
	"message": "the caller was not granted to send to this agent",
	"controls": ["SOC2:CC6.1", "NIST:AC-4", "NIST:AC-6"],
} if {
	known
	not separated
	not sending_granted
}

# METADATA
# title: Receiving is not granted
# description: >-
#   The caller may send, but nothing lets the target receive this from the caller.
# custom:
#   controls: ["SOC2:CC6.1", "NIST:AC-4", "NIST:AC-6"]
reasons contains {
	"code": "receive_not_granted",
	"message": "the target does not receive this from the caller",
	"controls": ["SOC2:CC6.1", "NIST:AC-4", "NIST:AC-6"],
} if {
	known
	not separated
	sending_granted
	not receiving_granted
}

# METADATA
# title: Agent has too many messages
# description: >-
#   The messages of the agent whose sidecar asks exceed `limits.message_agent_minute` (120 where it is not
#   set). Without a count there is no message.
# custom:
#   controls: ["NIST:SC-5"]
reasons contains {
	"code": "agent_rate_exceeded",
	"message": "the agent has reached its limit of messages a minute",
	"controls": ["NIST:SC-5"],
} if {
	known
	not within_agent_rate
}

# METADATA
# title: Tenant has too many messages
# description: >-
#   The messages of all agents of the tenant exceed `limits.message_tenant_minute` (600 where it is not
#   set).
# custom:
#   controls: ["NIST:SC-5"]
reasons contains {
	"code": "tenant_rate_exceeded",
	"message": "the tenant has reached its limit of messages a minute",
	"controls": ["NIST:SC-5"],
} if {
	known
	not within_tenant_rate
}

# METADATA
# title: Operator's policy refuses
# description: >-
#   The operator's package `platform.message.operator` contributed to `deny`. Any contribution refuses,
#   whatever its shape.
# custom:
#   controls: ["NIST:AC-3"]
reasons contains reason if {
	some element in data.platform.message.operator.deny
	some _ in grants
	some reason in answer.contributed("operator", {element})
}

# METADATA
# title: Tenant's policy refuses
# description: >-
#   The package of a tenant contributed to `deny`. Any contribution refuses, whatever its
#   shape.
# custom:
#   controls: ["NIST:AC-3"]
reasons contains reason if {
	some element in data.platform.message.tenants.deny
	some _ in grants
	some reason in answer.contributed("tenant", {element})
}

# METADATA
# title: What operators and tenants demand of what is granted
# scope: document
# custom:
#   controls: ["NIST:AC-3"]
obligations contains obligation if {
	some element in data.platform.message.operator.require_approval
	some _ in grants
	some obligation in answer.demanded({element}, set())
}

obligations contains obligation if {
	some obligation in data.platform.message.operator.oblige
	some _ in grants
}

obligations contains obligation if {
	some element in data.platform.message.tenants.require_approval
	some _ in grants
	some obligation in answer.demanded({element}, set())
}

obligations contains obligation if {
	some obligation in data.platform.message.tenants.oblige
	some _ in grants
}
