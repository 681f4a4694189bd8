package platform.scan_test

import data.platform.scan

me := "spiffe://platform.local/agent/acme/bot/main"

client := "spiffe://platform.local/service/llm-guard-client"

clean := {
	"action": "scan",
	"identity": {
		"spiffe_id": me,
		"trust_domain": "platform.local",
		"tenant": "acme",
		"agent": "bot",
		"role": "main",
	},
	"resource": {"kind": "text", "direction": "input", "source": "user", "bytes": 12, "scanners": ["PII", "Secrets"]},
	"findings": [],
	"truncated": false,
	"enforcement": "block",
	"guard_decision": "d1",
	"context": {"time": "2026-01-01T00:00:00.000Z", "request_id": "r1"},
}

secret := {"scanner": "Secrets", "kind": "github_token", "score": 1000, "count": 1}

email := {"scanner": "PII", "kind": "email", "score": 1000, "count": 2}

having(findings) := object.union(clean, {"findings": findings})

in_warn_mode(value) := object.union(value, {"enforcement": "warn"})

decided(value, entry, scopes) := answer if {
	answer := scan.decision with input as value
		with data.agents as {me: entry}
		with data.scopes as scopes
	grants := scan.grants with input as value
		with data.agents as {me: entry}
		with data.scopes as scopes
	sound(answer, grants)
}

# Where a text is refused for what the platform's own rules say, nothing granted it either.
sound(answer, _) if answer.allow == true

sound(_, grants) if count(grants) == 0

answered(value) := decided(value, {}, {})

said(value, scanners) := decided(value, {"scan": {"scanners": scanners}}, {})

passed(answer, code, message) if {
	answer == {
		"allow": true,
		"controls": ["NIST:AC-4", "NIST:SI-10"],
		"obligations": [],
		"reasons": [{"code": code, "message": message}],
		"rule": concat(".", ["platform.scan", code]),
	}
}

is_clean(answer) if passed(answer, "clean", "no scanner found anything")

is_warned(answer) if passed(answer, "warned", "what was found does not block here")

refused(answer, code, message, controls) if {
	answer == {
		"allow": false,
		"controls": controls,
		"obligations": [],
		"reasons": [{"code": code, "message": message}],
		"rule": concat(".", ["platform.scan", code]),
	}
}

unknown(answer) if {
	refused(
		answer, "unknown_caller", "neither an agent nor a client of the guard is registered under this identity",
		["NIST:AC-3", "SOC2:CC6.1"],
	)
}

blocked(answer, code, scanner) if {
	refused(
		answer, code, concat(" ", [scanner, "found something that must not pass"]),
		["NIST:AC-4", "NIST:SI-10", "SOC2:CC6.7"],
	)
}

cut(answer) if {
	refused(answer, "findings_truncated", "more was found than is listed", ["NIST:AC-4", "NIST:SI-10"])
}

undecided(answer) if refused(answer, "not_decided", "no rule allows this", ["NIST:AC-3"])

left_out(answer, scanner) if {
	refused(
		answer, "scanner_required", concat(" ", [scanner, "must not be left out"]),
		["NIST:AC-4", "NIST:SI-10"],
	)
}

test_what_blocks_cannot_be_left_out if {
	every scanner in ["InvisibleText", "PromptInjection", "Toxicity"] {
		left_out(said(clean, {scanner: "block"}), scanner)
		left_out(said(in_warn_mode(clean), {scanner: "block"}), scanner)
		is_clean(said(clean, {scanner: "warn"}))
	}
	is_clean(said(clean, {"PII": "block", "Secrets": "block"}))
	is_clean(said(clean, {"Relevance": "block", "TokenLimit": "block", "TopicBoundary": "block"}))
	nothing_ran := object.union(clean, {"resource": object.union(clean.resource, {"scanners": []})})
	left_out(said(nothing_ran, {"PII": "block"}), "PII")
	left_out(said(in_warn_mode(nothing_ran), {"PII": "block"}), "PII")
}

test_clean if {
	is_clean(answered(clean))
	is_clean(answered(in_warn_mode(clean)))
}

test_unknown_caller if {
	nobody := scan.decision with input as clean with data.agents as {}
	unknown(nobody)
	no_data := scan.decision with input as having([secret])
	unknown(no_data)
	every id in [concat("", [me, "/"]), concat("", [me, "x"]), client, null] {
		unknown(answered(object.union(clean, {"identity": {"spiffe_id": id}})))
	}
	unknown(answered(object.remove(clean, ["identity"])))
}

of_client(value, callers) := answer if {
	answer := scan.decision with input as object.union(value, {"identity": {"spiffe_id": client}})
		with data.services as {"guard": {"callers": callers}}
}

test_client_of_the_guard if {
	is_clean(of_client(clean, {client: true}))
	blocked(of_client(having([secret]), {client: true}), "secrets_blocked", "Secrets")
	is_warned(of_client(in_warn_mode(having([secret])), {client: true}))
	every value in [false, null, "true", {}] {
		unknown(of_client(clean, {client: value}))
	}
}

test_each_scanner_blocks if {
	every scanner, code in {
		"InvisibleText": "invisible_text_blocked",
		"PII": "pii_blocked",
		"PromptInjection": "prompt_injection_blocked",
		"Relevance": "relevance_blocked",
		"Secrets": "secrets_blocked",
		"TokenLimit": "token_limit_blocked",
		"TopicBoundary": "topic_boundary_blocked",
		"Toxicity": "toxicity_blocked",
		"Another": "finding_blocked",
	} {
		blocked(answered(having([{"scanner": scanner, "kind": "k", "score": 1, "count": 1}])), code, scanner)
	}
	both := answered(having([email, secret, secret]))
	both.rule == "platform.scan.pii_blocked"
	count(both.reasons) == 2
}

test_service_warns if {
	is_warned(answered(in_warn_mode(having([email, secret]))))
	every mode in ["Warn", "", null, true] {
		blocked(answered(object.union(having([email]), {"enforcement": mode})), "pii_blocked", "PII")
	}
	blocked(answered(object.remove(having([email]), ["enforcement"])), "pii_blocked", "PII")
}

test_the_agent_may_be_warned if {
	is_warned(said(having([email]), {"PII": "warn"}))
	blocked(said(having([email, secret]), {"PII": "warn"}), "secrets_blocked", "Secrets")
	blocked(said(in_warn_mode(having([email])), {"PII": "block"}), "pii_blocked", "PII")
	is_warned(said(in_warn_mode(having([email])), {"Secrets": "block"}))
	every word in ["allow", "Warn", "", true, false, null, [], {"warn": "warn"}] {
		blocked(said(in_warn_mode(having([email])), {"PII": word}), "pii_blocked", "PII")
	}
	every scanners in [null, "warn", true, []] {
		blocked(said(having([email]), scanners), "pii_blocked", "PII")
	}
	blocked(decided(having([email]), {"scan": "warn"}, {}), "pii_blocked", "PII")
}

test_scopes if {
	every scope in [
		"spiffe://platform.local/*", "spiffe://platform.local/agent/*", "spiffe://platform.local/agent/acme/*",
		"spiffe://platform.local/agent/acme/bot/*", me,
	] {
		is_warned(decided(having([email]), {}, {scope: {"scan": {"scanners": {"PII": "warn"}}}}))
		blocked(
			decided(in_warn_mode(having([email])), {}, {scope: {"scan": {"scanners": {"PII": "block"}}}}),
			"pii_blocked", "PII",
		)
	}
	every scope in [
		"spiffe://platform.local/agent/acme/b/*", "spiffe://platform.local/agent/acm/*",
		"spiffe://other.local/*", "*", "",
	] {
		blocked(decided(having([email]), {}, {scope: {"scan": {"scanners": {"PII": "warn"}}}}), "pii_blocked", "PII")
	}
}

test_one_place_that_blocks_is_enough if {
	tenant := {"spiffe://platform.local/agent/acme/*": {"scan": {"scanners": {"PII": "block"}}}}
	blocked(decided(having([email]), {"scan": {"scanners": {"PII": "warn"}}}, tenant), "pii_blocked", "PII")
	wide := {"spiffe://platform.local/agent/acme/*": {"scan": {"scanners": {"PII": "warn"}}}}
	blocked(decided(having([email]), {"scan": {"scanners": {"PII": "block"}}}, wide), "pii_blocked", "PII")
	is_warned(decided(having([email]), {"scan": {"scanners": {"PII": "warn"}}}, wide))
}

test_truncated if {
	cut(answered(object.union(clean, {"truncated": true})))
	cut(said(object.union(having([email]), {"truncated": true}), {"PII": "warn"}))
	is_warned(answered(in_warn_mode(object.union(having([email]), {"truncated": true}))))
	is_warned(said(in_warn_mode(object.union(having([email]), {"truncated": true})), {"PII": "warn"}))
	cut(said(in_warn_mode(object.union(having([email]), {"truncated": true})), {"Secrets": "block"}))
	every value in [null, "false", 0] {
		cut(answered(object.union(clean, {"truncated": value})))
		cut(answered(in_warn_mode(object.union(clean, {"truncated": value}))))
	}
	cut(answered(object.remove(clean, ["truncated"])))
}

test_other_actions_and_kinds if {
	undecided(answered(object.union(clean, {"action": "call"})))
	undecided(answered(object.union(clean, {"resource": {"kind": "tool"}})))
	undecided(answered(in_warn_mode(object.union(having([email]), {"action": "call"}))))
}

test_findings_of_another_form if {
	every findings in [null, "none", {}, {"PII": 1}] {
		undecided(answered(in_warn_mode(object.union(clean, {"findings": findings}))))
	}
	undecided(answered(object.remove(clean, ["findings"])))
	every finding in [null, "PII", {}, {"scanner": null}, {"scanner": ["PII"]}] {
		answer := answered(in_warn_mode(having([finding, email])))
		answer.allow == false
	}
}

contributed(value, operator, tenants) := answer if {
	answer := scan.decision with input as value
		with data.agents as {me: {}}
		with data.platform.scan.operator as operator
		with data.platform.scan.tenants as tenants
}

test_operator_and_tenants_refuse if {
	by_operator := contributed(clean, {"deny": {{"code": "frozen", "message": "m", "controls": ["SOC2:CC7.2"]}}}, {})
	by_operator == {
		"allow": false,
		"controls": ["NIST:AC-3", "SOC2:CC7.2"],
		"obligations": [],
		"reasons": [{"code": "frozen", "message": "m"}],
		"rule": "platform.scan.operator.frozen",
	}
	by_tenant := contributed(in_warn_mode(having([email])), {}, {"deny": {false}})
	by_tenant.allow == false
	by_tenant.rule == "platform.scan.tenant.denied_by_tenant"
}

test_contributions_say_nothing_of_what_is_blocked if {
	others := {"deny": {7}, "oblige": {7}, "require_approval": {7}}
	blocked(contributed(having([secret]), others, others), "secrets_blocked", "Secrets")
	obligations := scan.obligations with input as having([secret])
		with data.agents as {me: {}}
		with data.platform.scan.operator as others
		with data.platform.scan.tenants as others
	obligations == set()
}

test_operator_and_tenants_demand if {
	question := [{"kind": "require_approval", "question": "May this be done?"}]
	contributed(clean, {"require_approval": {7}}, {}).obligations == question
	contributed(clean, {}, {"require_approval": {7}}).obligations == question
	contributed(clean, {"oblige": {7}}, {}).obligations == [7]
	contributed(clean, {}, {"oblige": {7}}).obligations == [7]
}

# What refuses is enough to refuse, and so is the want of a grant.
test_nothing_is_allowed_without_a_grant if {
	scan.allow == false with input as {}
	without_reasons := scan.allow with input as having([secret])
		with data.agents as {me: {}}
		with data.platform.scan.reasons as set()
	without_reasons == false
}
