# METADATA
# title: Use of credentials
# description: >-
#   Decides whether the credential injector may use a stored credential on behalf of an identity.
#   The agent never sees the credential.
# custom:
#   controls: ["SOC2:CC6.1", "NIST:AC-3"]
# schemas:
#   - input: schema.credential
package platform.credential

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
decision := answer.allowed("credential", grants, obligations) if {
	allow
} else := answer.refused("credential", reasons, set())

# METADATA
# title: Credential is granted
# description: The agent was granted the service, and the credential that an operator bound to it.
# custom:
#   controls: ["SOC2:CC6.1", "NIST:IA-5"]
grants contains {
	"code": "granted",
	"message": "the agent was granted this credential",
	"controls": ["SOC2:CC6.1", "NIST:IA-5"],
} if {
	is_use
	service_granted
	credential_granted
	credential_bound
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
# title: Service is not granted
# description: A credential is of no use to an agent that was given no resource of its service.
# custom:
#   controls: ["SOC2:CC6.1", "NIST:AC-6"]
reasons contains {
	"code": "service_not_granted",
	"message": "the agent was not granted this credential's service",
	"controls": ["SOC2:CC6.1", "NIST:AC-6"],
} if {
	agent
	not service_granted
}

# METADATA
# title: Credential is not granted
# description: The agent may use the service, but not with this credential of the operator's.
# custom:
#   controls: ["SOC2:CC6.1", "NIST:IA-5"]
reasons contains {
	"code": "credential_not_granted",
	"message": "the agent was not granted this credential",
	"controls": ["SOC2:CC6.1", "NIST:IA-5"],
} if {
	service_granted
	not credential_granted
}

# METADATA
# title: Credential is not bound
# description: >-
#   The tool was registered by no operator. Whoever names the credential, its service and the origin
#   that gets it decides where it goes, so only an operator may.
# custom:
#   controls: ["SOC2:CC6.1", "NIST:IA-5"]
reasons contains {
	"code": "credential_not_bound",
	"message": "no operator bound this credential to its service and origin",
	"controls": ["SOC2:CC6.1", "NIST:IA-5"],
} if {
	service_granted
	credential_granted
	not credential_bound
}

# METADATA
# title: Operator's policy refuses
# description: >-
#   The operator's package `platform.credential.operator` contributed to `deny`. Any contribution
#   refuses, whatever its shape.
# custom:
#   controls: ["NIST:AC-3"]
reasons contains reason if {
	some element in data.platform.credential.operator.deny
	some _ in grants
	some reason in answer.contributed("operator", {element})
}

# METADATA
# title: Tenant's policy refuses
# description: >-
#   The package of the caller's own tenant contributed to `deny`. Any contribution
#   refuses, whatever its shape.
# custom:
#   controls: ["NIST:AC-3"]
reasons contains reason if {
	some element in data.platform.credential.tenants.deny
	some _ in grants
	some reason in answer.contributed("tenant", {element})
}

# METADATA
# title: What operators and tenants demand
# scope: document
# description: Of what is allowed; a refusal demands nothing.
# custom:
#   controls: ["NIST:AC-3"]
obligations contains obligation if {
	some element in data.platform.credential.operator.require_approval
	some obligation in answer.demanded({element}, set())
}

obligations contains obligation if some obligation in data.platform.credential.operator.oblige

obligations contains obligation if {
	some element in data.platform.credential.tenants.require_approval
	some obligation in answer.demanded({element}, set())
}

obligations contains obligation if some obligation in data.platform.credential.tenants.oblige

# METADATA
# title: A credential is to be used
is_use if {
	input.action == "use"
	input.resource.kind == "credential"
}

# METADATA
# title: Entry of the calling agent
agent := data.agents[input.identity.spiffe_id]

# METADATA
# title: The agent has a resource of the service
# description: A rule of its own, because `not x[a]` is undefined, and not true, when `a` is missing.
service_granted if agent.resources[input.resource.service]

# METADATA
# title: The agent may use the credential
# description: "`true` grants whatever the operator bound to the service, an object only the names it holds."
# scope: document
credential_granted if agent.credentials[input.resource.service] == true

credential_granted if agent.credentials[input.resource.service][input.resource.name] == true

# METADATA
# title: An operator bound the credential
credential_bound if data.operators[input.resource.registered_by].actions.operate
