# METADATA
# title: Break-glass
# description: >-
#   Protected tools are shut. In an incident an operator opens them in data.json for named agents, until
#   a time and under a ticket's number, and even then a person says yes to each call. The data bundle
#   with the ticket is kept with the evidence of every call that it opened.
# custom:
#   controls: ["NIST:AC-3"]
# schemas:
#   - input: schema.tool
package platform.tool.operator

# METADATA
# title: The glass is whole
# description: Without an open incident that names the agent nobody calls a protected tool.
# custom:
#   controls: ["NIST:AC-6", "SOC2:CC7.4"]
deny contains {
	"code": "glass_is_whole",
	"message": "this tool is opened for named agents in an incident only",
	"controls": ["NIST:AC-6", "SOC2:CC7.4"],
} if {
	is_protected_call
	not opened
}

# METADATA
# title: Each call behind the glass is asked
# custom:
#   controls: ["EUAI:14", "SOC2:CC7.4"]
require_approval contains {"question": $"Break-glass under {incident.ticket}: may the agent do this?"} if {
	is_protected_call
	opened
}

# METADATA
# title: A protected tool is called
is_protected_call if {
	input.action == "call"
	data.tools[input.resource.name].protected == true
}

# METADATA
# title: The tenant's incident
incident := data.tenants[data.agents[input.identity.spiffe_id].tenant].incident

# METADATA
# title: The incident is open for this agent
# description: An incident without a ticket or without an end opens nothing.
opened if {
	incident.agents[input.identity.spiffe_id] == true
	startswith(incident.ticket, "INC-")
	input.context.time < incident.until
}
