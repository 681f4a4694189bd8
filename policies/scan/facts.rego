# What the rules of scan.rego look up: who asks, and which scanners block for whom.
package platform.scan

import data.platform.spiffe

# METADATA
# title: A text was scanned
is_scan if {
	input.action == "scan"
	input.resource.kind == "text"
	is_array(input.findings)
	every finding in input.findings {
		is_string(finding.scanner)
	}
}

# METADATA
# title: Entry of the agent whose text it is
agent := data.agents[input.identity.spiffe_id]

# METADATA
# title: Whose texts may pass at all
# scope: document
known if agent

known if data.services.guard.callers[input.identity.spiffe_id] == true

# METADATA
# title: What the agent's entry says of scanners
settings contains setting if setting := agent.scan.scanners

# METADATA
# title: What scopes that cover the agent say of scanners
# description: Looked up by key, so that the scope of `bot` never covers `botnet`.
settings contains setting if {
	some scope in spiffe.scopes_of(spiffe.agent_of(input.identity.spiffe_id))
	setting := data.scopes[scope].scan.scanners
}

# METADATA
# title: What is said of one scanner
said_of(scanner) := {action |
	some setting in settings
	action := setting[scanner]
}

# METADATA
# title: A finding of the scanner only warns
# description: >-
#   Everything that is said of the scanner is `warn`; where nothing is said, what the service was started
#   with. Whatever else is said blocks.
warns(scanner) if {
	said := said_of(scanner)
	count(said) > 0
	said == {"warn"}
} else if {
	count(said_of(scanner)) == 0
	input.enforcement == "warn"
}

# METADATA
# title: Scanners that found something and block
blocking contains finding.scanner if {
	some finding in input.findings
	not warns(finding.scanner)
}

# METADATA
# title: Scanners that judge every text, so that only who asks can have left them out
judging_all := ["InvisibleText", "PII", "PromptInjection", "Secrets", "Toxicity"]

# METADATA
# title: Scanners that must judge, and have not
# description: Something other than `warn` is said of them where the agent has no say.
missing contains scanner if {
	some scanner in judging_all
	some action in said_of(scanner)
	action != "warn"
	every ran in input.resource.scanners {
		ran != scanner
	}
}

# METADATA
# title: Every finding is listed
# scope: document
# description: >-
#   Or it does not matter which are not, because no scanner blocks.
complete if input.truncated == false

complete if {
	input.truncated == true
	input.enforcement == "warn"
	every setting in settings {
		every action in setting {
			action == "warn"
		}
	}
}
