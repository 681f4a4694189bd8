package platform.deploy_test

import data.platform.deploy

me := "spiffe://platform.local/operator/ada"

other := "spiffe://platform.local/operator/grace"

viewer := "spiffe://platform.local/operator/view"

operators := {
	me: {
		"actions": {"operate": true, "approve": true},
		"deploy": {
			"development": true,
			"staging": {"acme": true, "beta": false, "gamma": "yes"},
			"production": {"acme": true},
		},
	},
	other: {"actions": {"approve": true}},
	viewer: {"actions": {"view": true, "approve": "yes"}},
}

digest := "sha256:0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"

yes := {
	"id": "a1",
	"call_digest": "d",
	"verdict": "allow",
	"approver": other,
	"expires_at": "2026-01-01T00:05:00.000Z",
}

to_target(target) := {
	"action": "deploy",
	"identity": {
		"spiffe_id": me,
		"trust_domain": "platform.local",
		"tenant": "",
		"agent": "",
		"role": "",
	},
	"resource": {"kind": "agent", "tenant": "acme", "agent": "bot", "target": target},
	"image": {
		"digest": digest,
		"signature_verified": true,
		"sbom_digest": digest,
		"scan": {"level": "standard", "critical": 0, "high": 3},
	},
	"approval": yes,
	"context": {"time": "2026-01-01T00:00:00.000Z", "request_id": "r1"},
}

production := to_target("production")

# A request without facts about its image and without an approval.
bare(target) := object.union(
	object.remove(to_target(target), ["image", "approval"]),
	{"image": {}, "approval": null},
)

# The request with one member of one part replaced, or a part replaced.
changed(value, part, member, with_value) := object.union(object.remove(value, [part]), {part: object.union(
	object.remove(value[part], [member]),
	{member: with_value},
)})

cut(value, part, member) := object.union(object.remove(value, [part]), {part: object.remove(value[part], [member])})

decided(value) := answer if {
	answer := deploy.decision with input as value with data.operators as operators
	grants := deploy.grants with input as value with data.operators as operators
	sound(answer, grants)
}

# Where a request is refused for the want of something, nothing granted it either.
sound(answer, _) if answer.allow == true

sound(_, grants) if count(grants) == 0

granted(answer) if {
	answer == {
		"allow": true,
		"controls": ["NIST:CM-3", "NIST:CM-5", "SOC2:CC8.1"],
		"obligations": [],
		"reasons": [{"code": "granted", "message": "this operator may deploy this"}],
		"rule": "platform.deploy.granted",
	}
}

approved(answer) if {
	answer == {
		"allow": true,
		"controls": ["NIST:AC-5", "NIST:CM-3", "NIST:CM-5", "SOC2:CC8.1"],
		"obligations": [],
		"reasons": [{
			"code": "approved",
			"message": "this operator may deploy this, and another one approved it",
		}],
		"rule": "platform.deploy.approved",
	}
}

refused(answer, code, message, controls) if {
	answer == {
		"allow": false,
		"controls": controls,
		"obligations": [],
		"reasons": [{"code": code, "message": message}],
		"rule": concat(".", ["platform.deploy", code]),
	}
}

unknown(answer) if {
	refused(
		answer, "unknown_operator", "no operator is registered under this identity",
		["NIST:AC-3", "SOC2:CC6.1"],
	)
}

malformed(answer) if {
	refused(answer, "resource_malformed", "this cannot be deployed anywhere", ["NIST:SI-10"])
}

not_granted(answer) if {
	refused(
		answer, "deploy_not_granted", "this operator may not deploy this",
		["NIST:AC-6", "NIST:CM-5", "SOC2:CC8.1"],
	)
}

not_pinned(answer) if {
	refused(answer, "image_not_pinned", "the image is not named by its digest", ["NIST:CM-2", "SOC2:CC8.1"])
}

not_signed(answer) if {
	refused(
		answer, "signature_not_verified", "the image's signature was not verified",
		["NIST:CM-14", "SOC2:CC8.1"],
	)
}

no_sbom(answer) if {
	refused(answer, "sbom_missing", "the image has no SBOM", ["NIST:CM-8", "NIST:SR-4"])
}

no_scan(answer) if {
	refused(answer, "scan_missing", "the image was not scanned", ["NIST:RA-5", "SOC2:CC7.1"])
}

vulnerable(answer) if {
	refused(
		answer, "vulnerabilities_found",
		"the scan found vulnerabilities that must not go to production",
		["NIST:RA-5", "NIST:SI-2", "SOC2:CC7.1"],
	)
}

said_no(answer) if {
	refused(answer, "approval_refused", "a person refused this deploy", ["NIST:AC-5", "SOC2:CC8.1"])
}

same_person(answer) if {
	refused(
		answer, "approver_is_deployer", "who deploys cannot approve it",
		["NIST:AC-5", "SOC2:CC8.1"],
	)
}

no_approver(answer) if {
	refused(
		answer, "approver_not_granted", "this approver may not approve deploys",
		["NIST:AC-5", "SOC2:CC8.1"],
	)
}

asks(answer, questions) if {
	answer == {
		"allow": false,
		"controls": ["NIST:AC-5", "SOC2:CC8.1"],
		"obligations": questions,
		"reasons": [{"code": "approval_required", "message": "another person must allow this deploy"}],
		"rule": "platform.deploy.approval_required",
	}
}

question(text) := {"kind": "require_approval", "question": text}

awaits(answer) if asks(answer, [question("Deploy bot of acme to production?")])

test_granted if {
	granted(decided(to_target("development")))
	granted(decided(to_target("staging")))
	granted(decided(bare("development")))
	granted(decided(bare("staging")))
	granted(decided(changed(bare("development"), "resource", "tenant", "beta")))
}

test_production_is_approved if approved(decided(production))

test_unknown_operator if {
	nobody := deploy.decision with input as production with data.operators as {}
	unknown(nobody)
	no_data := deploy.decision with input as production
	unknown(no_data)
	every id in ["spiffe://platform.local/operator/adam", "spiffe://platform.local/operator/ada/", "spiffe://platform.local/agent/acme/bot/main", null] {
		unknown(decided(changed(production, "identity", "spiffe_id", id)))
	}
	unknown(decided(object.remove(production, ["identity"])))
}

test_malformed if {
	every target in ["Production", "prod", "", null, {}] {
		malformed(decided(changed(production, "resource", "target", target)))
	}
	every name in ["", ".", "..", "a/b", "a b", "*", "ä", "a%2f", null] {
		malformed(decided(changed(to_target("development"), "resource", "tenant", name)))
		malformed(decided(changed(to_target("development"), "resource", "agent", name)))
	}
	every member in ["kind", "tenant", "agent", "target"] {
		malformed(decided(cut(production, "resource", member)))
	}
	malformed(decided(changed(production, "resource", "kind", "tool")))
	malformed(decided(object.union(production, {"action": "delete"})))
	malformed(decided(object.remove(production, ["action"])))
}

test_not_granted if {
	every tenant in ["beta", "gamma", "delta", "Acme"] {
		not_granted(decided(changed(to_target("staging"), "resource", "tenant", tenant)))
		not_granted(decided(changed(production, "resource", "tenant", tenant)))
	}
	not_granted(decided(changed(to_target("development"), "identity", "spiffe_id", other)))
	every grant in [false, null, "yes", {"acme": false}, {"*": true}, ["acme"]] {
		answer := deploy.decision with input as to_target("staging")
			with data.operators as {me: {"deploy": {"staging": grant, "development": true, "production": true}}}
		not_granted(answer)
	}
	all_tenants := deploy.decision with input as to_target("staging")
		with data.operators as {me: {"deploy": true}}
	not_granted(all_tenants)
}

bad_digests := [
	"", "latest", null, 7, {},
	"sha256:0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcde",
	"sha256:0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef0",
	"sha256:0123456789ABCDEF0123456789abcdef0123456789abcdef0123456789abcdef",
	"sha256:0123456789abcdeg0123456789abcdef0123456789abcdef0123456789abcdef",
	"sha512:0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef",
	"0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef0123456",
]

test_image if {
	every value in bad_digests {
		not_pinned(decided(changed(production, "image", "digest", value)))
		no_sbom(decided(changed(production, "image", "sbom_digest", value)))
	}
	not_pinned(decided(cut(production, "image", "digest")))
	no_sbom(decided(cut(production, "image", "sbom_digest")))
	every value in [false, null, "true", 1, {}] {
		not_signed(decided(changed(production, "image", "signature_verified", value)))
	}
	not_signed(decided(cut(production, "image", "signature_verified")))
}

scanned(level, critical, high) := decided(changed(production, "image", "scan", {
	"level": level,
	"critical": critical,
	"high": high,
}))

test_scan if {
	every level in ["none", "Strict", "", null, {}] {
		no_scan(scanned(level, 0, 0))
	}
	every level in ["basic", "standard"] {
		approved(scanned(level, 0, 0))
		approved(scanned(level, 0, 9))
		vulnerable(scanned(level, 1, 0))
		vulnerable(scanned(level, -1, 0))
	}
	approved(scanned("strict", 0, 0))
	vulnerable(scanned("strict", 0, 1))
	vulnerable(scanned("strict", 1, 0))
	every value in [null, "0", false, {}] {
		no_scan(scanned("standard", value, 0))
		no_scan(scanned("standard", 0, value))
	}
	no_scan(decided(cut(production, "image", "scan")))
	every member in ["level", "critical", "high"] {
		no_scan(decided(changed(production, "image", "scan", object.remove(production.image.scan, [member]))))
	}
}

test_everything_that_is_missing_is_said_at_once if {
	answer := decided(bare("production"))
	answer.allow == false
	answer.obligations == []
	answer.rule == "platform.deploy.image_not_pinned"
	{reason.code | some reason in answer.reasons} == {
		"image_not_pinned", "signature_not_verified", "sbom_missing", "scan_missing",
	}
}

test_a_person_must_be_asked if {
	awaits(decided(object.union(production, {"approval": null})))
	awaits(decided(object.remove(production, ["approval"])))
	every verdict in ["Allow", "yes", "", null, true] {
		awaits(decided(changed(production, "approval", "verdict", verdict)))
	}
	every time in ["2026-01-01T00:00:00.000Z", "2025-12-31T23:59:59.999Z", "", null, true, {}] {
		awaits(decided(changed(production, "approval", "expires_at", time)))
	}
	awaits(decided(cut(production, "approval", "expires_at")))
	every time in ["2026-01-01T00:05:00.000Z", "2026-01-02T00:00:00.000Z", null, 0, {}] {
		awaits(decided(changed(production, "context", "time", time)))
	}
	awaits(decided(cut(production, "context", "time")))
}

test_who_approves if {
	same_person(decided(changed(production, "approval", "approver", me)))
	every approver in [viewer, "spiffe://platform.local/operator/nobody", "", null, {}] {
		no_approver(decided(changed(production, "approval", "approver", approver)))
	}
	said_no(decided(changed(production, "approval", "verdict", "deny")))
	own_refusal := changed(changed(production, "approval", "approver", me), "approval", "verdict", "deny")
	said_no(decided(own_refusal))
}

# Without a name nobody can tell that the approver is another.
test_approver_without_a_name if same_person(decided(cut(production, "approval", "approver")))

test_operator_asks_too if {
	asked := deploy.decision with input as bare("staging")
		with data.operators as operators
		with data.platform.deploy.operator.require_approval as {{"question": "Sure?"}}
	asks(asked, [question("Deploy bot of acme to staging?"), question("Sure?")])
	answered := deploy.decision with input as to_target("staging")
		with data.operators as operators
		with data.platform.deploy.operator.require_approval as {{"question": "Sure?"}}
	approved(answered)
	by_tenant := deploy.decision with input as bare("staging")
		with data.operators as operators
		with data.platform.deploy.tenants.require_approval as {{"question": "Really?"}}
	asks(by_tenant, [question("Deploy bot of acme to staging?"), question("Really?")])
}

test_operator_and_tenants_refuse_before_a_person_is_asked if {
	every value in [production, object.remove(production, ["approval"]), bare("staging")] {
		by_operator := deploy.decision with input as value
			with data.operators as operators
			with data.platform.deploy.operator.deny as {{"code": "freeze", "message": "m", "controls": ["SOC2:CC7.2"]}}
		by_operator == {
			"allow": false,
			"controls": ["NIST:AC-3", "SOC2:CC7.2"],
			"obligations": [],
			"reasons": [{"code": "freeze", "message": "m"}],
			"rule": "platform.deploy.operator.freeze",
		}
		by_tenant := deploy.decision with input as value
			with data.operators as operators
			with data.platform.deploy.tenants.deny as {false}
		by_tenant == {
			"allow": false,
			"controls": ["NIST:AC-3"],
			"obligations": [],
			"reasons": [{"code": "denied_by_tenant", "message": "the tenant's policy refuses this"}],
			"rule": "platform.deploy.tenant.denied_by_tenant",
		}
	}
}

test_contributions_say_nothing_of_what_is_not_granted if {
	answer := deploy.decision with input as changed(production, "resource", "tenant", "beta")
		with data.operators as operators
		with data.platform.deploy.operator as {"deny": {1}, "require_approval": {1}, "oblige": {1}}
		with data.platform.deploy.tenants as {"deny": {1}, "require_approval": {1}, "oblige": {1}}
	not_granted(answer)
	obligations := deploy.obligations with input as changed(production, "resource", "tenant", "beta")
		with data.operators as operators
		with data.platform.deploy.operator.oblige as {1}
		with data.platform.deploy.tenants.oblige as {1}
	obligations == set()
}

test_operator_and_tenants_oblige if {
	limit := {"kind": "rate", "limit": 1, "window_seconds": 60, "per": "agent"}
	by_operator := deploy.decision with input as production
		with data.operators as operators
		with data.platform.deploy.operator.oblige as {limit}
	by_operator.allow == true
	by_operator.obligations == [limit]
	by_tenant := deploy.decision with input as production
		with data.operators as operators
		with data.platform.deploy.tenants.oblige as {limit}
	by_tenant.allow == true
	by_tenant.obligations == [limit]
}

# What refuses is enough to refuse, and so is the want of a grant.
test_nothing_is_allowed_without_a_grant if {
	deploy.allow == false with input as {}
	without_reasons := deploy.allow with input as changed(production, "resource", "tenant", "beta")
		with data.operators as operators
		with data.platform.deploy.reasons as set()
	without_reasons == false
}
