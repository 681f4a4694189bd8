# METADATA
# title: A wall between two sides
# description: >-
#   Agents that work for one side of a matter exchange messages within their side only: not with the
#   other side, and not with agents of no side, through whom words would get around the wall.
# custom:
#   controls: ["NIST:AC-4", "NIST:AC-5"]
# schemas:
#   - input: schema.message
package platform.message.operator

# METADATA
# title: A message over the wall
# custom:
#   controls: ["NIST:AC-4", "NIST:AC-5"]
deny contains {
	"code": "behind_the_wall",
	"message": "agents of one side talk to agents of their side only",
	"controls": ["NIST:AC-4", "NIST:AC-5"],
} if {
	is_walled
	not same_side
}

# METADATA
# title: One of the two belongs to a side
# scope: document
is_walled if caller_side

is_walled if target_side

# METADATA
# title: Both belong to the same side
same_side if caller_side == target_side

# METADATA
# title: The caller's side
caller_side := data.tenants[input.identity.tenant].sides[input.identity.agent]

# METADATA
# title: The target's side
target_side := data.tenants[input.target.tenant].sides[input.target.agent]
