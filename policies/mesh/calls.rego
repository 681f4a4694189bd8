package platform.mesh

# METADATA
# title: Message is not expected
# description: >-
#   A message was read although the service's entry does not say that messages are, or as another
#   protocol than the entry says.
# custom:
#   controls: ["NIST:AC-3", "NIST:SI-10"]
reasons contains {
	"code": "message_not_expected",
	"message": "this service does not take messages of this protocol",
	"controls": ["NIST:AC-3", "NIST:SI-10"],
} if {
	is_call
	reaches
	not protocol_expected
	not body_malformed
}

# METADATA
# title: What is said of bodies is malformed
# description: >-
#   The service's entry has `body`, but it cannot be read. What cannot be read demands nothing, so it
#   refuses instead.
# custom:
#   controls: ["NIST:CM-3", "NIST:SI-10"]
reasons contains {
	"code": "body_rule_invalid",
	"message": "what the service's entry says of bodies is malformed",
	"controls": ["NIST:CM-3", "NIST:SI-10"],
} if {
	reaches
	body_malformed
}

# METADATA
# title: Message cannot be read
# description: >-
#   The body is too large, encoded, no portable JSON, no message of the protocol, or contradicts its
#   headers. The code says which.
# custom:
#   controls: ["NIST:SI-10"]
reasons contains {
	"code": input.message.error,
	"message": "the message cannot be read",
	"controls": ["NIST:SI-10"],
} if {
	is_call
	reaches
	protocol_expected
	is_unreadable
}

# METADATA
# title: Message is not listed
# description: >-
#   The service's entry does not list the HTTP method and path of the request, or the method of its
#   message, or does not take responses.
# custom:
#   controls: ["SOC2:CC6.1", "NIST:AC-3"]
reasons contains {
	"code": "message_not_listed",
	"message": "the service does not list this method or path",
	"controls": ["SOC2:CC6.1", "NIST:AC-3"],
} if {
	is_call
	reaches
	protocol_expected
	not is_unreadable
	not listed
}

# METADATA
# title: Tool is not granted
# description: >-
#   The agent has no grant of the service, or one that names its tools without this one, or does not
#   cover what the tool does.
# custom:
#   controls: ["SOC2:CC6.1", "NIST:AC-6"]
reasons contains {
	"code": "tool_not_granted",
	"message": "the agent was not granted this tool of the service",
	"controls": ["SOC2:CC6.1", "NIST:AC-6"],
} if {
	is_call
	reaches
	protocol_expected
	listed
	not tool_covered
}

# METADATA
# title: Schema is missing
# description: Arguments are to be validated, but the data bundle has no schema of the tool.
# custom:
#   controls: ["NIST:SI-10"]
reasons contains {
	"code": "schema_missing",
	"message": "the data bundle has no schema of this tool",
	"controls": ["NIST:SI-10"],
} if {
	is_call
	reaches
	validates
	not tool_schema
	tool_covered
}

# METADATA
# title: What the service's entry demands
# scope: document
# description: That bodies are read, and what is done with the messages in them.
demanded_of_service contains {"kind": "read_body", "protocol": body_protocol} if is_connect

demanded_of_service contains {"kind": "validate_arguments", "schema": tool_schema} if {
	is_call
	validates
}

demanded_of_service contains {
	"kind": "scan",
	"scanners": service.body.scanners,
	"thresholds": object.get(service.body, "thresholds", {}),
} if {
	is_call
	input.message.kind in {"request", "notification", "response"}
}

# METADATA
# title: A message to a service
is_call if {
	input.action == "call"
	input.resource.kind == "service"
	is_object(input.message)
}

# METADATA
# title: The protocol of the service's messages
body_protocol := service.body.protocol if service.body.protocol in {"mcp", "a2a"}

# METADATA
# title: The entry says something of bodies that cannot be read
body_malformed if {
	"body" in object.keys(service)
	not body_sound
}

# METADATA
# title: What the entry says of bodies can be read
body_sound if {
	body_protocol
	is_boolean(object.get(service.body, "arguments", false))
	is_object(object.get(service.body, "thresholds", {}))
	scanners_sound
}

# METADATA
# title: Scanners are named, or there are none
# scope: document
scanners_sound if not names_scanners

scanners_sound if {
	is_array(service.body.scanners)
	count(service.body.scanners) > 0
	every scanner in service.body.scanners {
		is_string(scanner)
	}
}

# METADATA
# title: The entry names scanners
names_scanners if "scanners" in object.keys(service.body)

# METADATA
# title: The message was read as the service's protocol
protocol_expected if {
	input.message.protocol == body_protocol
	body_sound
}

# METADATA
# title: The message could not be read
is_unreadable if "error" in object.keys(input.message)

# METADATA
# title: The service's entry lists the message
# description: >-
#   By HTTP method and path, and then by what the body is: what stands in it says nothing at another
#   path than that of the protocol.
# scope: document
listed if {
	path_listed
	input.message.kind == "empty"
}

listed if {
	path_listed
	input.message.kind in {"request", "notification"}
	service.body.methods[input.message.method] == true
}

listed if {
	path_listed
	input.message.kind == "response"
	service.body.responses == true
}

# METADATA
# title: The service's entry lists the path
path_listed if service.body.paths[concat(" ", [input.message.http_method, input.message.path])] == true

# METADATA
# title: The message is one that the peer may send
message_covered if {
	protocol_expected
	not is_unreadable
	listed
	tool_covered
}

# METADATA
# title: The tool that is called was granted
# description: >-
#   Callers that the service names are no agents and have no grants of tools. A tool without an entry
#   under `tools` in the data bundle may do anything, so it needs a grant for writing.
# scope: document
tool_covered if not calls_tool

tool_covered if {
	is_caller
	not agent
}

tool_covered if {
	tool_named
	grant.actions[tool_action] == true
}

# METADATA
# title: A tool is called
# scope: document
calls_tool if input.message.method == "tools/call"

calls_tool if "tool" in object.keys(input.message)

# METADATA
# title: What the agent was granted of the service
grant := agent.resources[input.resource.name]

# METADATA
# title: The grant names the tool, or none
# scope: document
tool_named if {
	input.message.tool
	not grant_names_tools
}

tool_named if grant.tools[input.message.tool] == true

# METADATA
# title: The grant names its tools
grant_names_tools if "tools" in object.keys(grant)

# METADATA
# title: What the tool does
tool_action := action if {
	action := data.tools[input.resource.name][input.message.tool].action
} else := "write"

# METADATA
# title: Arguments are validated
validates if {
	service.body.arguments == true
	calls_tool
}

# METADATA
# title: Schema of the tool
tool_schema := data.tools[input.resource.name][input.message.tool].schema
