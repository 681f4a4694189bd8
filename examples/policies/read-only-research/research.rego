# METADATA
# title: Read-only research agent
# description: >-
#   A process of the role `research` may look at everything that its agent was granted and change
#   nothing, and what it read from a confidential tool never becomes an argument of an external one.
# custom:
#   controls: ["NIST:AC-6"]
# schemas:
#   - input: schema.tool
package platform.tool.operator

# METADATA
# title: Research changes nothing
# description: Whatever the grants say; a tool that is not known to only read counts as one that changes.
# custom:
#   controls: ["NIST:AC-6", "SOC2:CC6.3"]
deny contains {
	"code": "research_is_read_only",
	"message": "a research process may only read",
	"controls": ["NIST:AC-6", "SOC2:CC6.3"],
} if {
	is_research_call
	not only_reads
}

# METADATA
# title: Confidential results stay inside
# description: A search query is a way out as good as any, so its words must not come from a confidential tool.
# custom:
#   controls: ["NIST:AC-4", "SOC2:CC6.7"]
deny contains {
	"code": "confidential_leaves",
	"message": "an argument of an external tool comes from a confidential one",
	"controls": ["NIST:AC-4", "SOC2:CC6.7"],
} if {
	is_research_call
	data.tools[input.resource.name].external
	some sources in input.provenance
	some source in sources
	is_confidential(source)
}

# METADATA
# title: A process of the role research calls a tool
is_research_call if {
	input.action == "call"
	data.agents[input.identity.spiffe_id].role == "research"
}

# METADATA
# title: The tool only reads
only_reads if input.resource.action == "read"

# METADATA
# title: Where a value came from is confidential
# description: What the platform lost track of may have come from anywhere.
# scope: document
is_confidential(source) if {
	source.source == "tool"
	data.tools[source.tool].confidential
}

is_confidential(source) if source.source == "unknown"
