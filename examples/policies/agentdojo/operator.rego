# METADATA
# title: Least privilege by where a value came from
# description: >-
#   A tool's facts (`data.tools`) say which arguments are its targets (whom it reaches, what it
#   changes) and from which fields of which tools' results a target may be taken. A target that the
#   user wrote in the prompt is theirs; one from a listed field is taken under the field's condition;
#   everything else is asked. Nothing here knows any text of any attack.
# custom:
#   controls: ["NIST:AC-4", "NIST:AC-6"]
# schemas:
#   - input: schema.tool
package platform.tool.operator

# METADATA
# title: A person decides
# description: One question a call, naming the arguments and where they came from, never their values.
# custom:
#   controls: ["EUAI:14", "NIST:AC-3", "NIST:AC-4"]
require_approval contains {"question": question} if {
	count(doubts) > 0
	question := concat("", [input.resource.name, ": ", concat("; ", sort(doubts))])
}

# METADATA
# title: A tool nobody described
# description: Without facts a tool that writes has no targets to judge by.
# custom:
#   controls: ["NIST:AC-6"]
doubts contains "no operator has said what this tool may reach" if {
	is_call
	input.resource.action == "write"
	not facts
}

# METADATA
# title: An effect that is always a person's to allow
# description: Deleting and removing cannot be undone.
# custom:
#   controls: ["NIST:AC-6"]
doubts contains "this cannot be undone" if {
	is_call
	facts.ask == "always"
}

# METADATA
# title: A target that nobody stated
# description: The user did not write it, and no field that may supply it did so under its condition.
# custom:
#   controls: ["NIST:AC-4"]
doubts contains doubt if {
	some pointer, sources in targets
	not settled(pointer, sources)
	doubt := concat("", [argument(pointer), " comes from ", origins(sources)])
}

# METADATA
# title: No target of the call was stated
# description: Tools marked `anchored` connect two things; the user must have named one of them.
# custom:
#   controls: ["NIST:AC-6"]
doubts contains "the user named none of its targets" if {
	is_call
	facts.anchored
	not anchored
}

# METADATA
# title: Somebody else's link, address or account in what is sent
# description: What leaves carries a link, mail address or account that only a tool's result held.
# custom:
#   controls: ["NIST:AC-4"]
doubts contains doubt if {
	some pointer, sources in contents
	some source in sources
	carries_pointer(source)
	doubt := concat("", [argument(pointer), " passes on a link, address or account from ", origin(source)])
}

# METADATA
# title: Somebody else's words to somebody the user did not name
# description: Where the target was found by the agent, the content must not come from any result.
# custom:
#   controls: ["NIST:AC-4"]
doubts contains doubt if {
	some target, target_sources in targets
	conditions(target, target_sources).quiet
	not stated(target_sources)
	some pointer, sources in contents
	some source in sources
	source.source != "prompt"
	source.match != "weak"
	doubt := concat("", [argument(pointer), " carries words from ", origin(source), " to a target that the user did not name"])
}

# METADATA
# title: An amount that nobody stated
# description: Above the limit an amount must stand in the prompt; below zero it is always asked.
# custom:
#   controls: ["NIST:AC-3"]
doubts contains doubt if {
	some name, limit in facts.amounts
	is_call
	not within(name, limit)
	doubt := concat("", [name, " is not between zero and the limit for amounts that the user did not state"])
}

# METADATA
# title: The user named nothing of it
# description: A change without any target, of which not one value stands in the prompt, is somebody else's idea.
# custom:
#   controls: ["NIST:AC-4", "NIST:AC-6"]
doubts contains "the user named nothing of it" if {
	is_call
	facts
	count(targets) == 0
	not named
}

# METADATA
# title: A tool is called
is_call if {
	input.action == "call"
	input.resource.kind == "tool"
}

# METADATA
# title: What the operator said of the tool
facts := data.tools[input.resource.name]

# METADATA
# title: Every leaf of a target argument
# description: One entry without origin when the gateway could not look at all.
# scope: document
targets[pointer] := sources if {
	is_call
	some pointer, sources in input.provenance
	fact := facts.targets[argument(pointer)]
	not fact.skip[member(pointer)]
}

targets[""] := input.provenance[""] if {
	is_call
	facts
}

# METADATA
# title: Every leaf of an argument that carries content
contents[pointer] := sources if {
	is_call
	some pointer, sources in input.provenance
	facts.contents[argument(pointer)]
}

# METADATA
# title: The argument that a pointer leads into
# scope: document
argument(pointer) := split(pointer, "/")[1]

argument("") := "everything"

# METADATA
# title: The last step of a pointer
member(pointer) := parts[count(parts) - 1] if parts := split(pointer, "/")

# METADATA
# title: The user wrote it
stated(sources) if {
	some source in sources
	source.source == "prompt"
	source.match == "inside"
}

# METADATA
# title: A target that nobody is asked about
# description: Written by the user, or supplied by a listed field under its condition.
# scope: document
settled(_, sources) if stated(sources)

settled(pointer, sources) if count(conditions(pointer, sources)) > 0

# METADATA
# title: The conditions under which a listed field supplies this target, of those that hold
conditions(pointer, sources) := {condition |
	some source in sources
	source.source == "tool"
	some condition in facts.targets[argument(pointer)].fields[concat("", [source.tool, ":", source.path])]
	holds(condition, source, sources)
}

# The field as such is enough.
# METADATA
# title: A condition holds for a source
# scope: document
holds("known", source, _) if source.match == "equal"

# The field as such is enough, if nothing that is sent comes from a result.
holds("quiet", source, _) if source.match == "equal"

# The user asked for exactly this record: the words that found it stand in the prompt.
holds("chosen", source, _) if {
	source.match == "equal"
	source.via == "prompt"
}

# The user named the person whose address it is.
holds("named", source, sources) if {
	source.match == "equal"
	some other in sources
	other.source == "prompt"
	other.kind == "name"
}

# The user stated every amount of the call.
holds("amount_stated", source, _) if {
	source.match == "equal"
	every name, _ in facts.amounts {
		amount_stated(name)
	}
}

# It stands in the text of a colleague's message.
holds("mentioned", source, _) if source.match in {"equal", "inside"}

# It stands in the text of a message that the user pointed to.
holds("mentioned_where_told", source, _) if {
	source.match in {"equal", "inside"}
	source.via == "prompt"
}

# METADATA
# title: The user named one of the targets
# description: Or it stands in a message that the user pointed to.
# scope: document
anchored if {
	some sources in targets
	stated(sources)
}

anchored if {
	some pointer, sources in targets
	conditions(pointer, sources).mentioned_where_told
}

# METADATA
# title: A source brought a link, an address or an account
# description: Or it is one that the platform lost track of.
# scope: document
carries_pointer(source) if {
	source.source == "tool"
	source.kind in {"link", "email", "account"}
}

carries_pointer(source) if source.source == "unknown"

# METADATA
# title: An amount that needs no question
# scope: document
within(name, _) if object.get(input.arguments, name, null) == null

within(name, _) if {
	input.arguments[name] >= 0
	amount_stated(name)
}

within(name, limit) if {
	input.arguments[name] >= 0
	input.arguments[name] <= limit
}

# METADATA
# title: The user wrote the amount
amount_stated(name) if {
	some source in input.provenance[concat("", ["/", name])]
	source.source == "prompt"
	source.match in {"inside", "weak"}
}

# METADATA
# title: Where a value came from, for a person to read
origins(sources) := "nowhere that the platform has seen" if {
	count({source | some source in sources; source.source != "prompt"}) == 0
} else := concat(" and ", sort({origin(source) | some source in sources; source.source != "prompt"}))

# METADATA
# title: Where one source is, for a person to read
# scope: document
origin(source) := source.tool if source.source == "tool"

origin(source) := "more than the platform can follow" if source.source == "unknown"

# METADATA
# title: Some value of the call stands in the prompt
named if {
	some sources in input.provenance
	some source in sources
	source.source == "prompt"
}
