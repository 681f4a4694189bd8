# METADATA
# title: Secrets for one process role
# description: >-
#   A key that the tenant reserved for one role is read by processes of that role and by nobody else, even
#   where it was stored under a wider scope by mistake. No agent may change it.
# custom:
#   controls: ["NIST:IA-5"]
# schemas:
#   - input: schema.secret
package platform.secret.operator

# METADATA
# title: The key belongs to another role
# custom:
#   controls: ["NIST:AC-6", "NIST:IA-5"]
deny contains {
	"code": "secret_of_another_role",
	"message": "this key is reserved for another role",
	"controls": ["NIST:AC-6", "NIST:IA-5"],
} if {
	reserved
	not of_this_role
}

# METADATA
# title: Only an operator changes a reserved key
# description: Whoever could write it could make the role sign with a key of theirs.
# custom:
#   controls: ["NIST:SC-12"]
deny contains {
	"code": "secret_reserved",
	"message": "only an operator may change this key",
	"controls": ["NIST:SC-12"],
} if {
	reserved
	not is_read
}

# METADATA
# title: The entry of the asking agent
agent := data.agents[input.identity.spiffe_id]

# METADATA
# title: The roles that the key is reserved for
reserved := data.tenants[agent.tenant].reserved_secrets[input.resource.key]

# METADATA
# title: The asking process has such a role
of_this_role if reserved[agent.role] == true

# METADATA
# title: The key is only read
is_read if input.action == "read"
