# Refunds of the order desk: what its operator wants on top of the agents' grants. A package may have
# one METADATA block among all of its files, so that operators' files leave it out.
package platform.tool.operator # lint: ignore metadata because another file of the package may have its METADATA

# METADATA
# title: Large refunds need a person
# description: >-
#   A refund over 100 waits until somebody allows it. The question holds nothing of the arguments, which
#   the person sees beside it: a decision's output is kept in evidence in clear.
# custom:
#   controls: ["SOC2:CC6.1", "EUAI:14"]
require_approval contains {"question": "Refund more than 100?"} if {
	input.action == "call"
	input.resource.name == "orders_refund_order"
	input.arguments.amount > 100
}
