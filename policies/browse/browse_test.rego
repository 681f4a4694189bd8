package platform.browse_test

import data.platform.browse

me := "spiffe://platform.local/agent/acme/bot/main"

actions := {"click": true, "navigate": true, "type": false, "wait": "yes"}

page := {
	"action": "browse",
	"identity": {
		"spiffe_id": me,
		"trust_domain": "platform.local",
		"tenant": "acme",
		"agent": "bot",
		"role": "main",
	},
	"resource": {
		"kind": "url",
		"scheme": "https",
		"host": "docs.example.com",
		"port": 443,
		"path": "/guide/start",
		"userinfo": false,
	},
	"actions": ["click"],
	"counters": {"agent_minute": 1, "tenant_minute": 1},
	"context": {"time": "2026-01-01T00:00:00.000Z", "request_id": "r1"},
}

with_members(members) := object.union(object.remove(page, ["resource"]), {"resource": object.union(
	object.remove(page.resource, object.keys(members)),
	members,
)})

at_host(host) := with_members({"host": host})

at_path(path) := with_members({"path": path})

without_member(member) := object.union(
	object.remove(page, ["resource"]),
	{"resource": object.remove(page.resource, [member])},
)

decided(value, hosts) := answer if {
	answer := browse.decision with input as value
		with data.agents as {me: {"browse": {"hosts": hosts, "actions": actions}}}
		with data.limits as {}
	grants := browse.grants with input as value
		with data.agents as {me: {"browse": {"hosts": hosts, "actions": actions}}}
		with data.limits as {}
	sound(answer, grants)
}

# Where a request is refused for the want of something, nothing granted it either.
sound(answer, _) if answer.allow == true

sound(_, grants) if count(grants) == 0

sound(answer, _) if answer.reasons[0].code in {"url_denied"}

# The decision where the page's own host has this rule.
ruled(value, rule) := decided(value, {"docs.example.com": rule})

granted(answer) if {
	answer == {
		"allow": true,
		"controls": ["NIST:AC-4", "NIST:SC-7", "SOC2:CC6.6"],
		"obligations": [],
		"reasons": [{"code": "granted", "message": "the agent's list of hosts covers this page"}],
		"rule": "platform.browse.granted",
	}
}

refused(answer, code, message, controls) if {
	answer == {
		"allow": false,
		"controls": controls,
		"obligations": [],
		"reasons": [{"code": code, "message": message}],
		"rule": concat(".", ["platform.browse", code]),
	}
}

unknown(answer) if {
	refused(
		answer, "unknown_agent", "no agent is registered under this identity",
		["NIST:AC-3", "SOC2:CC6.1"],
	)
}

no_browser(answer) if {
	refused(
		answer, "browser_not_granted", "the agent was not granted the browser",
		["NIST:AC-6", "SOC2:CC6.1"],
	)
}

userinfo(answer) if {
	refused(
		answer, "userinfo_refused", "a URL may not hold a user name or a password",
		["NIST:IA-5", "NIST:SI-10"],
	)
}

odd_host(answer) if {
	refused(answer, "host_not_canonical", "the host is not in its canonical form", ["NIST:SI-10"])
}

odd_path(answer) if {
	refused(answer, "path_not_canonical", "the path is not in its canonical form", ["NIST:SI-10"])
}

denied(answer) if {
	refused(answer, "url_denied", "a rule refuses this page", ["NIST:AC-4", "NIST:SC-7"])
}

no_internal(answer) if {
	refused(
		answer, "internal_not_granted", "the agent was not granted this address or internal name",
		["NIST:AC-6", "NIST:SC-7"],
	)
}

no_host(answer) if {
	refused(
		answer, "host_not_granted", "the agent was not granted this host",
		["NIST:AC-6", "NIST:SC-7", "SOC2:CC6.6"],
	)
}

no_page(answer) if {
	refused(
		answer, "url_not_granted", "the agent was granted this host, but not this page of it",
		["NIST:AC-6", "NIST:SC-7", "SOC2:CC6.6"],
	)
}

no_action(answer) if {
	refused(
		answer, "action_not_granted", "the agent was not granted one of the actions",
		["NIST:AC-6", "SOC2:CC6.1"],
	)
}

agent_rate(answer) if {
	refused(
		answer, "agent_rate_exceeded", "the agent has reached its limit of pages a minute",
		["NIST:SC-5"],
	)
}

tenant_rate(answer) if {
	refused(
		answer, "tenant_rate_exceeded", "the tenant has reached its limit of pages a minute",
		["NIST:SC-5"],
	)
}

test_granted if {
	granted(ruled(page, true))
	granted(ruled(page, {}))
	granted(ruled(at_path("/"), true))
}

test_unknown_agent if {
	nobody := browse.decision with input as page with data.agents as {}
	unknown(nobody)
	no_data := browse.decision with input as page
	unknown(no_data)
	every id in [concat("", [me, "/"]), concat("", [me, "x"]), null] {
		unknown(ruled(object.union(page, {"identity": {"spiffe_id": id}}), true))
	}
	unknown(ruled(object.remove(page, ["identity"]), true))
}

test_browser_is_not_granted if {
	every grant in [null, false, true, "docs.example.com", ["docs.example.com"]] {
		answer := browse.decision with input as page with data.agents as {me: {"browse": grant}}
		no_browser(answer)
	}
	no_entry := browse.decision with input as page with data.agents as {me: {"resources": {}}}
	no_browser(no_entry)
	every odd in [at_host("Docs.example.com"), at_host("10.0.0.1"), at_path("/../x"), with_members({"userinfo": true})] {
		nothing := browse.decision with input as odd with data.agents as {me: {"resources": {}}}
		no_browser(nothing)
	}
}

test_other_actions_and_kinds if {
	refused(ruled(object.union(page, {"action": "exec"}), true), "not_decided", "no rule allows this", ["NIST:AC-3"])
	refused(ruled(with_members({"kind": "tool"}), true), "not_decided", "no rule allows this", ["NIST:AC-3"])
}

test_userinfo if {
	every value in [true, null, "", 0] {
		userinfo(ruled(with_members({"userinfo": value}), true))
	}
	userinfo(ruled(without_member("userinfo"), true))
}

# Hosts that are not the granted one, though they look like it or a lax comparison takes them for it.
look_alikes := [
	"example.com",
	"evildocs.example.com",
	"docs.example.com.evil.org",
	"docs.example.co",
	"docs.example.comm",
	"ocs.example.com",
	"docs-example.com",
	"a.docs.example.com",
	"xn--dcs-sna.example.com",
]

test_exact_host if {
	every host in look_alikes {
		no_host(ruled(at_host(host), true))
		no_host(ruled(at_host(host), false))
	}
	no_host(decided(page, {}))
	no_host(decided(page, {"*": true, "*.*": true, "": true, "docs.*.com": true, "*.com": true, "*example.com": true}))
}

test_domains if {
	every host in ["docs.example.com", "a.b.example.com", "xn--dcs-sna.example.com", "_x.example.com", "a-.example.com"] {
		granted(decided(at_host(host), {"*.example.com": true}))
		denied(decided(at_host(host), {"*.example.com": false}))
	}
	every host in ["example.com", "evilexample.com", "x.evilexample.com", "example.com.evil.org", "example.org", "com"] {
		answer := decided(at_host(host), {"*.example.com": true})
		answer.allow == false
	}
	no_host(decided(at_host("example.com"), {"*.example.com": true}))
	no_host(decided(at_host("evilexample.com"), {"*.example.com": true}))
	no_host(decided(at_host("x.evilexample.com"), {"*.example.com": true}))
	no_host(decided(at_host("docs.example.com"), {"*.docs.example.com": true}))
	granted(decided(at_host("a.docs.example.com"), {"*.docs.example.com": true}))
	no_host(decided(at_host("example.com"), {"*.com": true}))
	no_host(decided(at_host("example.com"), {"*.com": false}))
}

test_rules_add_up_and_one_that_refuses_wins if {
	granted(decided(page, {"docs.example.com": {"paths": {"/other": true}}, "*.example.com": true}))
	granted(decided(page, {"docs.example.com": true, "*.example.com": {"paths": {"/other": true}}}))
	denied(decided(page, {"docs.example.com": false, "*.example.com": true}))
	denied(decided(page, {"docs.example.com": true, "*.example.com": false}))
	denied(decided(at_host("a.docs.example.com"), {"a.docs.example.com": true, "*.docs.example.com": true, "*.example.com": false}))
	granted(decided(at_host("a.example.com"), {"docs.example.com": false, "*.example.com": true}))
}

test_rules_of_another_form_refuse if {
	every rule in [null, 0, "true", [], ["/guide"], {"path": {"/guide": true}}, {"paths": {"/guide": true}, "deny": false}] {
		denied(ruled(page, rule))
		denied(decided(page, {"docs.example.com": true, "*.example.com": rule}))
	}
	every rule in [{"paths": false}, {"paths": ["/guide"]}, {"ports": false}, {"ports": [443]}, {"schemes": false}, {"schemes": ["https"]}] {
		no_page(ruled(page, rule))
	}
}

test_hosts_that_are_not_canonical if {
	every host in [
		"Docs.example.com", "docs.example.com.", "docs..example.com", ".docs.example.com", "", ".",
		"docs.éxample.com", "docs。example.com", "docs.example.com:443", "u@docs.example.com",
		"docs.example.com/", "docs.example.com%00", "docs example.com", "docs.example.com\u0000",
		"*.example.com", "docs.example.com#", "docs\\example.com", "[docs.example.com]", "[::1", "::1]", "[::g]", "[::1%25eth0]",
		"[::1].example.com", null, 7, {}, [],
	] {
		odd_host(decided(at_host(host), {"docs.example.com": true, "*.example.com": true}))
	}
	odd_host(ruled(without_member("host"), true))
	odd_host(decided(at_host("Docs.example.com"), {"Docs.example.com": true}))
}

test_bounds_of_a_host if {
	label := "abcdefghijklmnopqrstuvwxyzabcdefghijklmnopqrstuvwxyzabcdefghijk"
	count(label) == 63
	granted(decided(at_host(concat(".", [label, "example.com"])), {"*.example.com": true}))
	odd_host(decided(at_host(concat(".", [concat("", [label, "l"]), "example.com"])), {"*.example.com": true}))
	granted(decided(at_host("1.2.3.4.5.6.7.8.9.10.11.12.13.14.example.com"), {"*.example.com": true}))
	odd_host(decided(at_host("1.2.3.4.5.6.7.8.9.10.11.12.13.14.15.example.com"), {"*.example.com": true}))
	half := substring(label, 0, 49)
	long := concat(".", [label, label, label, half, "example.com"])
	count(long) == 253
	granted(decided(at_host(long), {"*.example.com": true}))
	odd_host(decided(at_host(concat("", ["a", long])), {"*.example.com": true}))
	odd_host(decided(at_host(concat(".", [label, label, label, concat("", [half, "x"]), "example.com"])), {"*.example.com": true}))
}

internal_names := [
	"localhost", "vault", "metadata", "com",
	"127.0.0.1", "169.254.169.254", "10.0.0.1", "8.8.8.8", "1.2.3", "x.example.1", "a.b.0x7f",
	"[::1]", "[fd00:ec2::254]", "[::ffff:169.254.169.254]",
	"printer.local", "metadata.google.internal", "vault.platform-system.svc.cluster.local",
	"vault.platform-system.svc", "a.localhost", "x.arpa", "x.corp", "x.home", "x.intranet", "x.lan",
	"x.localdomain", "x.private",
]

test_internal_names_are_granted_exactly_or_not if {
	every host in internal_names {
		no_internal(decided(at_host(host), {}))
		granted(decided(at_host(host), {host: true}))
		denied(decided(at_host(host), {host: false}))
		no_page(decided(at_host(host), {host: {"paths": {"/other": true}}}))
	}
	no_internal(decided(at_host("x.google.internal"), {"*.google.internal": true}))
	denied(decided(at_host("x.google.internal"), {"x.google.internal": true, "*.google.internal": false}))
	no_internal(decided(at_host("1.2.3.4"), {"*.2.3.4": true, "*.3.4": true}))
	no_internal(decided(at_host("a.svc.cluster.local"), {"*.cluster.local": true, "*.svc.cluster.local": true}))
	granted(decided(at_host("local.example.com"), {"*.example.com": true}))
	granted(decided(at_host("10.example.com"), {"*.example.com": true}))
	granted(decided(at_host("docs.example.internals"), {"*.example.internals": true}))
}

test_scheme if {
	no_page(ruled(with_members({"scheme": "http", "port": 80}), true))
	no_page(ruled(with_members({"scheme": "http", "port": 80}), {"schemes": {"https": true}}))
	no_page(ruled(with_members({"scheme": "http", "port": 80}), {"schemes": {"http": false}}))
	granted(ruled(with_members({"scheme": "http", "port": 80}), {"schemes": {"http": true}}))
	no_page(ruled(page, {"schemes": {"http": true}}))
	granted(ruled(page, {"schemes": {"http": true, "https": true}}))
	every scheme in ["HTTPS", "https:", "ftp", "file", "javascript", "data", "wss", "", null] {
		no_page(ruled(with_members({"scheme": scheme}), true))
	}
	no_page(ruled(with_members({"scheme": "ftp", "port": 21}), {"schemes": {"ftp": true}}))
	no_page(ruled(without_member("scheme"), true))
}

test_port if {
	every port in [80, 8443, 444, "443", null, 0, {}] {
		no_page(ruled(with_members({"port": port}), true))
	}
	no_page(ruled(with_members({"scheme": "http", "port": 443}), {"schemes": {"http": true}}))
	no_page(ruled(with_members({"scheme": "http", "port": 8080}), {"schemes": {"http": true}}))
	granted(ruled(with_members({"scheme": "http", "port": 8080}), {"schemes": {"http": true}, "ports": {"8080": true}}))
	granted(ruled(with_members({"port": 8443}), {"ports": {"8443": true}}))
	no_page(ruled(page, {"ports": {"8443": true}}))
	no_page(ruled(with_members({"port": 8443}), {"ports": {"8443": false}}))
	no_page(ruled(without_member("port"), true))
	no_page(ruled(without_member("port"), {"ports": {"443": true}}))
}

docs := {"paths": {"/guide": true, "/api/v1": true}}

test_paths_at_segments if {
	every path in ["/guide", "/guide/", "/guide/start", "/guide/a/b", "/api/v1", "/api/v1/x", "/guide/%20", "/guide/.well-known", "/guide/a.b"] {
		granted(ruled(at_path(path), docs))
	}
	every path in ["/", "/guides", "/guid", "/Guide", "/api", "/api/", "/api/v2", "/api/v11", "/x/guide", "/guide%20"] {
		no_page(ruled(at_path(path), docs))
	}
	granted(ruled(at_path("/x/y"), {"paths": {"/": true}}))
	granted(ruled(at_path("/"), {"paths": {"/": true}}))
	granted(ruled(at_path("/guide/x"), {"paths": {"/guide/": true}}))
	granted(ruled(at_path("/guide/"), {"paths": {"/guide/": true}}))
	no_page(ruled(at_path("/guide"), {"paths": {"/guide/": true}}))
	granted(ruled(at_path("/guide/start/"), {"paths": {"/guide/start/": true}}))
	no_page(ruled(at_path("/guide/start"), {"paths": {"guide": true, "": true, "/guide/*": true}}))
	no_page(ruled(at_path("/guide"), {"paths": {"": true, "/guide/": true}}))
}

test_refused_paths if {
	rule := {"paths": {"/": true, "/admin": false}}
	granted(ruled(page, rule))
	every path in ["/admin", "/admin/", "/admin/x"] {
		denied(ruled(at_path(path), rule))
		denied(decided(at_path(path), {"docs.example.com": true, "*.example.com": rule}))
	}
	granted(ruled(at_path("/administrator"), rule))
	granted(ruled(at_path("/x/admin"), rule))
	denied(ruled(page, {"paths": {"/": true, "/guide/start": null}}))
}

test_paths_that_are_not_canonical if {
	every path in [
		"", "guide", "//guide", "/guide//start", "/guide/../admin", "/guide/..", "/guide/.", "/./guide",
		"/guide/..;/admin", "/guide/.;/admin", "/guide/...", "/guide/..%00", "/guide/%2e%2e/admin",
		"/guide/%2E", "/guide/..%2fadmin", "/guide%2Fstart", "/guide%2fstart", "/guide%5Cstart", "/guide%5cstart", "/guide\\start",
		"/%61dmin", "/%41dmin", "/%30", "/%2D", "/%5F", "/%7E", "/%25", "/%252e", "/%00", "/%0A", "/%1F", "/%7F", "/%c3%a9", "/%C3%a9",
		"/%", "/%4", "/%zz", "/%G0", "/%8", "/%8g", "/guide%", "/guide?x", "/guide#x", "/guide;x", "/guide%3Bx", "/gui de", "/gui\tde",
		"/é", "/guide\u0000", "/%20%2e", "/% 2", "/%2", "/\u202e", null, 7, {}, ["/guide"],
	] {
		odd_path(ruled(at_path(path), true))
		odd_path(ruled(at_path(path), {"paths": {"/": true}}))
	}
	odd_path(ruled(without_member("path"), true))
}

test_paths_that_are_canonical if {
	every path in ["/a%20b", "/%C3%A9", "/%FF", "/%80", "/%A0", "/a%3Fb", "/a%23b", "/%5B%5D", "/~a-b_c.d!$&'()*+,=:@", "/a|b^c[d]", "/.a", "/a..b", "/a.."] {
		granted(ruled(at_path(path), true))
	}
}

test_bounds_of_a_path if {
	deep := concat("", ["/", concat("/", array.slice(split(long_text, ""), 0, 63))])
	count(split(deep, "/")) == 64
	granted(ruled(at_path(deep), true))
	odd_path(ruled(at_path(concat("", [deep, "/"])), true))
	longest := concat("", ["/", substring(long_text, 0, 2047)])
	granted(ruled(at_path(longest), true))
	odd_path(ruled(at_path(concat("", [longest, "a"])), true))
}

thirty_two := "abcdefghijklmnopqrstuvwxyzabcdef"

long_text := concat("", [concat("", [thirty_two | some _ in split(thirty_two, "")]), concat("", [thirty_two | some _ in split(thirty_two, "")])])

doing(list) := object.union(object.remove(page, ["actions"]), {"actions": list})

test_actions if {
	granted(ruled(doing([]), true))
	granted(ruled(doing(["click", "navigate", "click"]), true))
	every list in [["type"], ["wait"], ["click", "fill"], ["Click"], [""], [null], [{"type": "click"}], {"click": "click"}, "click", null] {
		no_action(ruled(doing(list), true))
	}
	no_action(ruled(object.remove(page, ["actions"]), true))
	bare := browse.decision with input as page with data.agents as {me: {"browse": {"hosts": {"docs.example.com": true}}}}
	no_action(bare)
	idle := browse.decision with input as doing([]) with data.agents as {me: {"browse": {"hosts": {"docs.example.com": true}}}}
	granted(idle)
}

counted(agent, tenant) := object.union(page, {"counters": {"agent_minute": agent, "tenant_minute": tenant}})

limited(value, limits) := answer if {
	answer := browse.decision with input as value
		with data.agents as {me: {"browse": {"hosts": {"docs.example.com": true}, "actions": actions}}}
		with data.limits as limits
}

test_rates if {
	granted(limited(counted(60, 300), {}))
	agent_rate(limited(counted(61, 300), {}))
	tenant_rate(limited(counted(60, 301), {}))
	limits := {"browse_agent_minute": 2, "browse_tenant_minute": 3}
	granted(limited(counted(2, 3), limits))
	agent_rate(limited(counted(3, 3), limits))
	tenant_rate(limited(counted(2, 4), limits))
	every value in [null, "1", {}] {
		agent_rate(limited(counted(value, 1), {}))
		tenant_rate(limited(counted(1, value), {}))
		agent_rate(limited(page, {"browse_agent_minute": value}))
		tenant_rate(limited(page, {"browse_tenant_minute": value}))
	}
	uncounted := limited(object.remove(page, ["counters"]), {})
	count(uncounted.reasons) == 2
	uncounted.allow == false
}

granting := {me: {"browse": {"hosts": {"docs.example.com": true}, "actions": actions}}}

test_operator_and_tenants_refuse if {
	by_operator := browse.decision with input as page
		with data.agents as granting
		with data.platform.browse.operator.deny as {{"code": "frozen", "message": "m", "controls": ["SOC2:CC7.2"]}}
	by_operator == {
		"allow": false,
		"controls": ["NIST:AC-3", "SOC2:CC7.2"],
		"obligations": [],
		"reasons": [{"code": "frozen", "message": "m"}],
		"rule": "platform.browse.operator.frozen",
	}
	by_tenant := browse.decision with input as page
		with data.agents as granting
		with data.platform.browse.tenants.deny as {false}
	by_tenant == {
		"allow": false,
		"controls": ["NIST:AC-3"],
		"obligations": [],
		"reasons": [{"code": "denied_by_tenant", "message": "the tenant's policy refuses this"}],
		"rule": "platform.browse.tenant.denied_by_tenant",
	}
}

test_contributions_say_nothing_of_what_is_not_granted if {
	answer := browse.decision with input as at_host("other.example.com")
		with data.agents as granting
		with data.platform.browse.operator.deny as {{"code": "frozen"}}
		with data.platform.browse.tenants.deny as {{"code": "frozen"}}
	no_host(answer)
	obligations := browse.obligations with input as at_host("other.example.com")
		with data.agents as granting
		with data.platform.browse.operator.oblige as {{"kind": "rate"}}
		with data.platform.browse.tenants.oblige as {{"kind": "rate"}}
	obligations == set()
}

test_operator_and_tenants_demand if {
	limit := {"kind": "rate", "limit": 1, "window_seconds": 60, "per": "agent"}
	asks := {"kind": "require_approval", "question": "q"}
	operators := browse.decision with input as page
		with data.agents as granting
		with data.platform.browse.operator.oblige as {limit}
		with data.platform.browse.operator.require_approval as {{"question": "q"}}
	operators.allow == true
	operators.obligations == [limit, asks]
	tenants := browse.decision with input as page
		with data.agents as granting
		with data.platform.browse.tenants.oblige as {limit}
		with data.platform.browse.tenants.require_approval as {{"question": "q"}}
	tenants.allow == true
	tenants.obligations == [limit, asks]
}

# What refuses is enough to refuse, and so is the want of a grant.
test_nothing_is_allowed_without_a_grant if {
	browse.allow == false with input as {}
	without_reasons := browse.allow with input as at_host("other.example.com")
		with data.agents as granting
		with data.platform.browse.reasons as set()
	without_reasons == false
}
