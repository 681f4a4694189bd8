# METADATA
# title: Spending of each tenant
# description: >-
#   A tenant has a budget for each service that costs money, in a month. Its agents spend it together; close
#   to the end a person is asked, and beyond it nothing is bought.
# custom:
#   controls: ["NIST:SC-6"]
# schemas:
#   - input: schema.tool
package platform.tool.operator

# METADATA
# title: The tenant's budget for the service
# description: >-
#   Whoever asks must keep it, and the decision itself refuses what goes beyond it. A budget that is
#   written wrongly refuses every call of the service.
# custom:
#   controls: ["NIST:SC-6"]
oblige contains {
	"kind": "budget",
	"currency": object.get(budget, "currency", null),
	"limit": object.get(budget, "limit", null),
	"per": "tenant",
} if {
	is_object(budget)
}

# METADATA
# title: Close to the end a person is asked
# description: Above four fifths of the budget, this call included; or where nothing was counted.
# custom:
#   controls: ["EUAI:14", "NIST:SC-6"]
require_approval contains {"question": "The budget for this service is nearly spent. Buy it?"} if {
	is_object(budget)
	not plenty_left
}

# METADATA
# title: The budget that the operator gave the agent's tenant for the service
budget := data.tenants[data.agents[input.identity.spiffe_id].tenant].budgets[input.resource.service] if {
	input.action == "call"
}

# METADATA
# title: At most four fifths are spent
plenty_left if input.counters.spend.tenant * 5 <= budget.limit * 4
