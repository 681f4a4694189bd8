# METADATA
# title: Browsing by an allow-list
# description: >-
#   Which pages an agent may open is said by the allow-list in data. This adds that forms are filled and
#   buttons pressed at the tenant's own hosts only; elsewhere the agent looks.
# custom:
#   controls: ["NIST:AC-4"]
# schemas:
#   - input: schema.browse
package platform.browse.operator

# METADATA
# title: Only looking at pages of others
# description: What is typed into somebody else's page has left; an action that nobody knows counts as one that types.
# custom:
#   controls: ["NIST:AC-4", "SOC2:CC6.7"]
deny contains {
	"code": "only_looking",
	"message": "at this host the agent may only look",
	"controls": ["NIST:AC-4", "SOC2:CC6.7"],
} if {
	not own_host
	some action in input.actions
	not action in {"extract_text", "screenshot", "scroll", "wait"}
}

# METADATA
# title: The host is the tenant's own
own_host if data.tenants[data.agents[input.identity.spiffe_id].tenant].own_hosts[input.resource.host] == true
