# METADATA
# title: SPIFFE IDs of agents
# description: >-
#   Takes the SPIFFE ID of an agent's process apart, and says which scopes cover it: made from its
#   segments, to be looked up by key, so that no look-alike can match.
# custom:
#   controls: ["NIST:IA-3", "NIST:AC-3"]
package platform.spiffe

# METADATA
# title: Characters of a segment
# description: >-
#   SPIFFE-ID, sections 2.1 and 2.2. Upper case is for the path only. The most frequent come first,
#   because `trim` walks to each.
segment_characters := "eatnirosl-0123456789cdmgupbfhkvwxyzjq._ABCDEFGHIJKLMNOPQRSTUVWXYZ"

# METADATA
# title: Parts of an agent's SPIFFE ID
# description: >-
#   Undefined for everything that is not `spiffe://<trust domain>/agent/<tenant>/<agent>/<role>` in
#   characters that a SPIFFE ID may hold.
agent_of(id) := {
	"trust_domain": segments[2],
	"tenant": segments[4],
	"agent": segments[5],
	"role": segments[6],
} if {
	segments := split(id, "/")
	count(segments) == 7
	segments[0] == "spiffe:"
	segments[1] == ""
	segments[3] == "agent"
	segments[2] == lower(segments[2])
	is_segment(segments[2])
	is_segment(segments[4])
	is_segment(segments[5])
	is_segment(segments[6])
}

# METADATA
# title: A name that can be a segment
# description: Not empty, no dot segment, nothing but the characters that may stand there.
is_segment(name) if {
	not name in {"", ".", ".."}
	trim(name, segment_characters) == ""
}

# METADATA
# title: Scopes that cover an agent
# description: >-
#   The ID itself and the four that end in `/*`: the same that the `scope` module finds to cover it.
#   Segment by segment, so that the scope of `bot` never covers `botnet`.
scopes_of(agent) := [
	concat("/", ["spiffe:/", agent.trust_domain, "*"]),
	concat("/", ["spiffe:/", agent.trust_domain, "agent", "*"]),
	concat("/", ["spiffe:/", agent.trust_domain, "agent", agent.tenant, "*"]),
	concat("/", ["spiffe:/", agent.trust_domain, "agent", agent.tenant, agent.agent, "*"]),
	concat("/", ["spiffe:/", agent.trust_domain, "agent", agent.tenant, agent.agent, agent.role]),
]
