# What the rules of sandbox.rego look up: the grant of an agent and the bounds on it.
package platform.sandbox

import data.platform.bounds

# METADATA
# title: Code is to be executed
is_exec if {
	input.action == "exec"
	input.resource.kind == "sandbox"
}

# METADATA
# title: Entry of the calling agent
agent := data.agents[input.identity.spiffe_id]

# METADATA
# title: What the agent's entry grants
grant := agent.sandbox if is_object(agent.sandbox)

# METADATA
# title: The language is granted
language_granted if grant.languages[input.resource.language] == true

# METADATA
# title: The code asks for no network
without_network if input.resource.network == false

# METADATA
# title: The time is within both bounds
time_within if {
	bounds.positive_within(input.resource.timeout_seconds, time_limit)
	bounds.positive_within(input.resource.timeout_seconds, object.get(grant, "timeout_seconds", time_limit))
}

# METADATA
# title: The memory is within both bounds
memory_within if {
	bounds.positive_within(input.resource.memory_mb, memory_limit)
	bounds.positive_within(input.resource.memory_mb, object.get(grant, "memory_mb", memory_limit))
}

# METADATA
# title: Every package is granted
packages_granted if {
	is_array(input.resource.packages)
	every name in input.resource.packages {
		grant.packages[name] == true
	}
}

# METADATA
# title: Every environment variable is granted
env_vars_granted if {
	is_array(input.resource.env_vars)
	every name in input.resource.env_vars {
		grant.env_vars[name] == true
	}
}

# METADATA
# title: Seconds that any code may run
# scope: document
default time_limit := 30

time_limit := data.limits.sandbox_timeout_seconds

# METADATA
# title: Megabytes that any code may have
# scope: document
default memory_limit := 512

memory_limit := data.limits.sandbox_memory_mb

# METADATA
# title: Bytes of output that any code may return
# scope: document
default output_limit := 1048576

output_limit := data.limits.sandbox_output_bytes

# METADATA
# title: Bytes of output that the agent's code may return
output_bytes := grant.output_bytes if {
	bounds.within(grant.output_bytes, output_limit)
} else := output_limit

# METADATA
# title: Executions are within the agent's limit
within_agent_rate if bounds.within(input.counters.agent_minute, agent_limit)

# METADATA
# title: Executions are within the tenant's limit
within_tenant_rate if bounds.within(input.counters.tenant_minute, tenant_limit)

# METADATA
# title: Executions a minute of one agent
# scope: document
default agent_limit := 60

agent_limit := data.limits.sandbox_agent_minute

# METADATA
# title: Executions a minute of one tenant
# scope: document
default tenant_limit := 300

tenant_limit := data.limits.sandbox_tenant_minute
