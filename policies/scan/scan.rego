# METADATA
# title: Scanned texts
# description: >-
#   Decides whether a text that the guard has scanned may pass: a prompt on its way to a model, or what a
#   model answered. What each scanner found is an input, never the text. Every finding blocks, unless the
#   service was started to warn, or the entry of the agent or a scope that covers it lets the scanner only
#   warn; one place that says `block` blocks, whatever others say.
# custom:
#   controls: ["NIST:SI-10", "NIST:AC-4"]
# schemas:
#   - input: schema.scan
package platform.scan

import data.platform.answer

# METADATA
# title: Default deny
default allow := false

# METADATA
# title: Granted, and nothing refuses
allow if {
	some _ in grants
	count(reasons) == 0
}

# METADATA
# title: Decision
decision := answer.allowed("scan", grants, obligations) if {
	allow
} else := answer.refused("scan", reasons, set())

# METADATA
# title: Nothing was found
# custom:
#   controls: ["NIST:SI-10", "NIST:AC-4"]
grants contains {
	"code": "clean",
	"message": "no scanner found anything",
	"controls": ["NIST:SI-10", "NIST:AC-4"],
} if {
	is_scan
	known
	count(input.findings) == 0
	count(missing) == 0
	complete
}

# METADATA
# title: What was found only warns
# custom:
#   controls: ["NIST:SI-10", "NIST:AC-4"]
grants contains {
	"code": "warned",
	"message": "what was found does not block here",
	"controls": ["NIST:SI-10", "NIST:AC-4"],
} if {
	is_scan
	known
	count(input.findings) > 0
	count(blocking) == 0
	count(missing) == 0
	complete
}

# METADATA
# title: Caller is not registered
# description: The identity is neither a registered agent nor a client of the guard.
# custom:
#   controls: ["SOC2:CC6.1", "NIST:AC-3"]
reasons contains {
	"code": "unknown_caller",
	"message": "neither an agent nor a client of the guard is registered under this identity",
	"controls": ["SOC2:CC6.1", "NIST:AC-3"],
} if {
	not known
}

# METADATA
# title: A scanner blocks
# description: One reason a scanner that found something and does not only warn.
# custom:
#   controls: ["NIST:SI-10", "NIST:AC-4", "SOC2:CC6.7"]
reasons contains {
	"code": object.get(codes, scanner, "finding_blocked"),
	"message": concat(" ", [scanner, "found something that must not pass"]),
	"controls": ["NIST:SI-10", "NIST:AC-4", "SOC2:CC6.7"],
} if {
	known
	some scanner in blocking
}

# METADATA
# title: A scanner that must judge was left out
# description: Whoever asks may leave scanners out, but not one that the data says blocks.
# custom:
#   controls: ["NIST:SI-10", "NIST:AC-4"]
reasons contains {
	"code": "scanner_required",
	"message": concat(" ", [scanner, "must not be left out"]),
	"controls": ["NIST:SI-10", "NIST:AC-4"],
} if {
	known
	some scanner in missing
}

# METADATA
# title: More was found than is listed
# description: >-
#   What is not listed may be of a scanner that blocks. A request that does not say that its list is whole
#   is taken for one that is cut.
# custom:
#   controls: ["NIST:SI-10", "NIST:AC-4"]
reasons contains {
	"code": "findings_truncated",
	"message": "more was found than is listed",
	"controls": ["NIST:SI-10", "NIST:AC-4"],
} if {
	known
	not complete
}

# METADATA
# title: Codes of what the scanners block
codes := {
	"InvisibleText": "invisible_text_blocked",
	"PII": "pii_blocked",
	"PromptInjection": "prompt_injection_blocked",
	"Relevance": "relevance_blocked",
	"Secrets": "secrets_blocked",
	"TokenLimit": "token_limit_blocked",
	"TopicBoundary": "topic_boundary_blocked",
	"Toxicity": "toxicity_blocked",
}

# METADATA
# title: Operator's policy refuses
# description: >-
#   The operator's package `platform.scan.operator` contributed to `deny`. Any contribution refuses,
#   whatever its shape.
# custom:
#   controls: ["NIST:AC-3"]
reasons contains reason if {
	some element in data.platform.scan.operator.deny
	some _ in grants
	some reason in answer.contributed("operator", {element})
}

# METADATA
# title: Tenant's policy refuses
# description: >-
#   The package of the agent's own tenant contributed to `deny`. Any contribution refuses, whatever its
#   shape.
# custom:
#   controls: ["NIST:AC-3"]
reasons contains reason if {
	some element in data.platform.scan.tenants.deny
	some _ in grants
	some reason in answer.contributed("tenant", {element})
}

# METADATA
# title: What operators and tenants demand of what may pass
# scope: document
# custom:
#   controls: ["NIST:AC-3"]
obligations contains obligation if {
	some element in data.platform.scan.operator.require_approval
	some _ in grants
	some obligation in answer.demanded({element}, set())
}

obligations contains obligation if {
	some obligation in data.platform.scan.operator.oblige
	some _ in grants
}

obligations contains obligation if {
	some element in data.platform.scan.tenants.require_approval
	some _ in grants
	some obligation in answer.demanded({element}, set())
}

obligations contains obligation if {
	some obligation in data.platform.scan.tenants.oblige
	some _ in grants
}
