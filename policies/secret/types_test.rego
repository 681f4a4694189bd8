package platform.secret_test

import data.platform.secret

limited_to(agent_minute, tenant_minute, most) := answer if {
	value := object.union(
		object.remove(on("read"), {"counters"}),
		{"counters": {"agent_minute": agent_minute, "tenant_minute": tenant_minute}},
	)
	answer := secret.decision with input as value
		with data.agents as agents
		with data.operators as operators
		with data.services as services
		with data.limits as most
}

test_counts_and_limits_are_numbers if {
	limited_to(1, 1, {"secret_agent_minute": 1, "secret_tenant_minute": 1}).allow
	every other in [null, false, true, "1", [], {}] {
		limited_to(other, 1, {}).rule == "platform.secret.agent_rate_exceeded"
		limited_to(1, other, {}).rule == "platform.secret.tenant_rate_exceeded"
		limited_to(1, 1, {"secret_agent_minute": other}).rule == "platform.secret.agent_rate_exceeded"
		limited_to(1, 1, {"secret_tenant_minute": other}).rule == "platform.secret.tenant_rate_exceeded"
	}
}
