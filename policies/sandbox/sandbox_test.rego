package platform.sandbox_test

import data.platform.sandbox

me := "spiffe://platform.local/agent/acme/bot/main"

full := {
	"languages": {"python": true, "bash": false},
	"timeout_seconds": 10,
	"memory_mb": 256,
	"packages": {"numpy": true, "pandas": true, "evil": false},
	"env_vars": {"REGION": true, "LD_PRELOAD": false},
	"output_bytes": 4096,
}

run := {
	"action": "exec",
	"identity": {
		"spiffe_id": me,
		"trust_domain": "platform.local",
		"tenant": "acme",
		"agent": "bot",
		"role": "main",
	},
	"resource": {
		"kind": "sandbox",
		"language": "python",
		"timeout_seconds": 10,
		"memory_mb": 256,
		"packages": ["numpy", "pandas"],
		"env_vars": ["REGION"],
		"network": false,
	},
	"counters": {"agent_minute": 1, "tenant_minute": 1},
	"context": {"time": "2026-01-01T00:00:00.000Z", "request_id": "r1"},
}

with_member(member, value) := object.union(object.remove(run, ["resource"]), {"resource": object.union(
	object.remove(run.resource, [member]),
	{member: value},
)})

without_member(member) := object.union(
	object.remove(run, ["resource"]),
	{"resource": object.remove(run.resource, [member])},
)

decided(value, grant, limits) := answer if {
	answer := sandbox.decision with input as value
		with data.agents as {me: {"sandbox": grant}}
		with data.limits as limits
	grants := sandbox.grants with input as value
		with data.agents as {me: {"sandbox": grant}}
		with data.limits as limits
	sound(answer, grants)
}

# Where a request is refused for the want of something, nothing granted it either.
sound(answer, _) if answer.allow == true

sound(_, grants) if count(grants) == 0

sound(answer, _) if answer.reasons[0].code in {"agent_rate_exceeded", "tenant_rate_exceeded"}

answered(value) := decided(value, full, {})

granted(answer, bytes) if {
	answer == {
		"allow": true,
		"controls": ["NIST:CM-7", "NIST:SC-39", "SOC2:CC6.1"],
		"obligations": [{"kind": "max_bytes", "bytes": bytes}],
		"reasons": [{"code": "granted", "message": "the agent's grant covers this execution"}],
		"rule": "platform.sandbox.granted",
	}
}

refused(answer, code, message, controls) if {
	answer == {
		"allow": false,
		"controls": controls,
		"obligations": [],
		"reasons": [{"code": code, "message": message}],
		"rule": concat(".", ["platform.sandbox", code]),
	}
}

unknown(answer) if {
	refused(
		answer, "unknown_agent", "no agent is registered under this identity",
		["NIST:AC-3", "SOC2:CC6.1"],
	)
}

no_sandbox(answer) if {
	refused(
		answer, "sandbox_not_granted", "the agent was not granted the sandbox",
		["NIST:AC-6", "SOC2:CC6.1"],
	)
}

no_language(answer) if {
	refused(answer, "language_not_granted", "the agent was not granted this language", ["NIST:CM-7"])
}

no_network(answer) if {
	refused(answer, "network_refused", "code in the sandbox has no network", ["NIST:CM-7", "NIST:SC-7"])
}

no_time(answer) if {
	refused(answer, "time_exceeded", "the code may not run for this long", ["NIST:SC-6"])
}

no_memory(answer) if {
	refused(answer, "memory_exceeded", "the code may not have this much memory", ["NIST:SC-6"])
}

no_package(answer) if {
	refused(
		answer, "package_not_granted", "the agent was not granted one of the packages",
		["NIST:CM-11", "NIST:CM-7"],
	)
}

no_variable(answer) if {
	refused(
		answer, "env_var_not_granted", "the agent was not granted one of the environment variables",
		["NIST:CM-7"],
	)
}

agent_rate(answer) if {
	refused(
		answer, "agent_rate_exceeded", "the agent has reached its limit of executions a minute",
		["NIST:SC-5"],
	)
}

tenant_rate(answer) if {
	refused(
		answer, "tenant_rate_exceeded", "the tenant has reached its limit of executions a minute",
		["NIST:SC-5"],
	)
}

test_granted if {
	granted(answered(run), 4096)
	granted(answered(with_member("packages", [])), 4096)
	granted(answered(with_member("env_vars", [])), 4096)
	granted(answered(with_member("timeout_seconds", 0.5)), 4096)
	granted(answered(with_member("memory_mb", 1)), 4096)
}

test_unknown_agent if {
	nobody := sandbox.decision with input as run with data.agents as {}
	unknown(nobody)
	no_data := sandbox.decision with input as run
	unknown(no_data)
	every id in [concat("", [me, "/"]), concat("", [me, "x"]), null] {
		unknown(answered(object.union(run, {"identity": {"spiffe_id": id}})))
	}
	unknown(answered(object.remove(run, ["identity"])))
}

test_sandbox_is_not_granted if {
	every grant in [null, false, true, "all", []] {
		no_sandbox(decided(run, grant, {}))
	}
	no_entry := sandbox.decision with input as run with data.agents as {me: {"resources": {}}}
	no_sandbox(no_entry)
}

test_other_actions_and_kinds if {
	refused(answered(object.union(run, {"action": "call"})), "not_decided", "no rule allows this", ["NIST:AC-3"])
	refused(answered(with_member("kind", "tool")), "not_decided", "no rule allows this", ["NIST:AC-3"])
}

test_language if {
	every language in ["bash", "Python", "javascript", "", null, {}] {
		no_language(answered(with_member("language", language)))
	}
	no_language(answered(without_member("language")))
	no_language(decided(run, object.remove(full, ["languages"]), {}))
	no_language(decided(run, object.union(object.remove(full, ["languages"]), {"languages": {"python": "yes"}}), {}))
}

test_network_is_never_granted if {
	every value in [true, null, 0, "false", {}] {
		no_network(answered(with_member("network", value)))
		no_network(decided(with_member("network", value), object.union(full, {"network": true}), {}))
	}
	no_network(answered(without_member("network")))
}

test_time if {
	no_time(answered(with_member("timeout_seconds", 11)))
	bare := object.remove(full, ["timeout_seconds"])
	granted(decided(with_member("timeout_seconds", 30), bare, {}), 4096)
	no_time(decided(with_member("timeout_seconds", 31), bare, {}))
	wide := object.union(full, {"timeout_seconds": 100})
	granted(decided(with_member("timeout_seconds", 30), wide, {}), 4096)
	no_time(decided(with_member("timeout_seconds", 31), wide, {}))
	granted(decided(with_member("timeout_seconds", 60), wide, {"sandbox_timeout_seconds": 60}), 4096)
	no_time(decided(with_member("timeout_seconds", 61), wide, {"sandbox_timeout_seconds": 60}))
	no_time(decided(run, full, {"sandbox_timeout_seconds": 9}))
}

test_memory if {
	no_memory(answered(with_member("memory_mb", 257)))
	bare := object.remove(full, ["memory_mb"])
	granted(decided(with_member("memory_mb", 512), bare, {}), 4096)
	no_memory(decided(with_member("memory_mb", 513), bare, {}))
	wide := object.union(full, {"memory_mb": 4096})
	granted(decided(with_member("memory_mb", 512), wide, {}), 4096)
	no_memory(decided(with_member("memory_mb", 513), wide, {}))
	granted(decided(with_member("memory_mb", 1024), wide, {"sandbox_memory_mb": 1024}), 4096)
	no_memory(decided(with_member("memory_mb", 1025), wide, {"sandbox_memory_mb": 1024}))
	no_memory(decided(run, full, {"sandbox_memory_mb": 255}))
}

test_quantities_that_are_none if {
	every value in [0, -1, null, "1", false, [], {}] {
		no_time(answered(with_member("timeout_seconds", value)))
		no_memory(answered(with_member("memory_mb", value)))
	}
	no_time(answered(without_member("timeout_seconds")))
	no_memory(answered(without_member("memory_mb")))
	every value in [null, "100", true] {
		no_time(decided(run, object.union(full, {"timeout_seconds": value}), {}))
		no_memory(decided(run, object.union(full, {"memory_mb": value}), {}))
		no_time(decided(run, full, {"sandbox_timeout_seconds": value}))
		no_memory(decided(run, full, {"sandbox_memory_mb": value}))
	}
}

test_packages if {
	every packages in [["evil"], ["numpy", "requests"], ["Numpy"], ["numpy==1.0"], [""], [null], [["numpy"]], {"numpy": "numpy"}, "numpy", null] {
		no_package(answered(with_member("packages", packages)))
	}
	no_package(answered(without_member("packages")))
	no_package(decided(run, object.remove(full, ["packages"]), {}))
	granted(decided(with_member("packages", []), object.remove(full, ["packages"]), {}), 4096)
	no_package(decided(run, object.union(full, {"packages": {"numpy": "yes"}}), {}))
}

test_env_vars if {
	every names in [["LD_PRELOAD"], ["REGION", "PATH"], ["region"], [""], [null], {"REGION": "REGION"}, "REGION", null] {
		no_variable(answered(with_member("env_vars", names)))
	}
	no_variable(answered(without_member("env_vars")))
	no_variable(decided(run, object.remove(full, ["env_vars"]), {}))
	granted(decided(with_member("env_vars", []), object.remove(full, ["env_vars"]), {}), 4096)
	no_variable(decided(run, object.union(full, {"env_vars": {"REGION": 1}}), {}))
}

test_output if {
	granted(decided(run, object.remove(full, ["output_bytes"]), {}), 1048576)
	granted(decided(run, object.union(full, {"output_bytes": 1048576}), {}), 1048576)
	granted(decided(run, object.union(full, {"output_bytes": 1048577}), {}), 1048576)
	granted(decided(run, object.union(full, {"output_bytes": "many"}), {}), 1048576)
	granted(decided(run, full, {"sandbox_output_bytes": 100}), 100)
	granted(decided(run, full, {"sandbox_output_bytes": 5000}), 4096)
	granted(decided(run, object.remove(full, ["output_bytes"]), {"sandbox_output_bytes": 5000}), 5000)
}

counted(agent, tenant) := object.union(run, {"counters": {"agent_minute": agent, "tenant_minute": tenant}})

test_rates if {
	granted(answered(counted(60, 300)), 4096)
	agent_rate(answered(counted(61, 300)))
	tenant_rate(answered(counted(60, 301)))
	limits := {"sandbox_agent_minute": 2, "sandbox_tenant_minute": 3}
	granted(decided(counted(2, 3), full, limits), 4096)
	agent_rate(decided(counted(3, 3), full, limits))
	tenant_rate(decided(counted(2, 4), full, limits))
	every value in [null, "1", {}] {
		agent_rate(answered(counted(value, 1)))
		tenant_rate(answered(counted(1, value)))
		agent_rate(decided(run, full, {"sandbox_agent_minute": value}))
		tenant_rate(decided(run, full, {"sandbox_tenant_minute": value}))
	}
	uncounted := answered(object.remove(run, ["counters"]))
	count(uncounted.reasons) == 2
	uncounted.allow == false
}

test_operator_and_tenants_refuse if {
	by_operator := sandbox.decision with input as run
		with data.agents as {me: {"sandbox": full}}
		with data.platform.sandbox.operator.deny as {{"code": "frozen", "message": "m", "controls": ["SOC2:CC7.2"]}}
	by_operator == {
		"allow": false,
		"controls": ["NIST:AC-3", "SOC2:CC7.2"],
		"obligations": [],
		"reasons": [{"code": "frozen", "message": "m"}],
		"rule": "platform.sandbox.operator.frozen",
	}
	by_tenant := sandbox.decision with input as run
		with data.agents as {me: {"sandbox": full}}
		with data.platform.sandbox.tenants.deny as {false}
	by_tenant == {
		"allow": false,
		"controls": ["NIST:AC-3"],
		"obligations": [],
		"reasons": [{"code": "denied_by_tenant", "message": "the tenant's policy refuses this"}],
		"rule": "platform.sandbox.tenant.denied_by_tenant",
	}
}

test_contributions_say_nothing_of_what_is_not_granted if {
	answer := sandbox.decision with input as with_member("network", true)
		with data.agents as {me: {"sandbox": full}}
		with data.platform.sandbox.operator.deny as {{"code": "frozen"}}
		with data.platform.sandbox.tenants.deny as {{"code": "frozen"}}
	no_network(answer)
	obligations := sandbox.obligations with input as with_member("network", true)
		with data.agents as {me: {"sandbox": full}}
		with data.platform.sandbox.operator.oblige as {{"kind": "rate"}}
		with data.platform.sandbox.tenants.oblige as {{"kind": "rate"}}
	obligations == set()
}

test_operator_and_tenants_demand if {
	limit := {"kind": "rate", "limit": 1, "window_seconds": 60, "per": "agent"}
	asks := {"kind": "require_approval", "question": "q"}
	most := {"kind": "max_bytes", "bytes": 4096}
	operators := sandbox.decision with input as run
		with data.agents as {me: {"sandbox": full}}
		with data.platform.sandbox.operator.oblige as {limit}
		with data.platform.sandbox.operator.require_approval as {{"question": "q"}}
	operators.allow == true
	operators.obligations == [most, limit, asks]
	tenants := sandbox.decision with input as run
		with data.agents as {me: {"sandbox": full}}
		with data.platform.sandbox.tenants.oblige as {limit}
		with data.platform.sandbox.tenants.require_approval as {{"question": "q"}}
	tenants.allow == true
	tenants.obligations == [most, limit, asks]
}

# What refuses is enough to refuse, and so is the want of a grant.
test_nothing_is_allowed_without_a_grant if {
	sandbox.allow == false with input as {}
	without_reasons := sandbox.allow with input as with_member("network", true)
		with data.agents as {me: {"sandbox": full}}
		with data.platform.sandbox.reasons as set()
	without_reasons == false
}
