package platform.mesh_test

import data.platform.mesh

operated := "spiffe://platform.local/agent/acme/operated/main"

schema := {"type": "object", "required": ["path"]}

mcp := {
	"protocol": "mcp",
	"methods": {"tools/call": true, "tools/list": true, "ping": "yes"},
	"paths": {"POST /mcp": true, "GET /mcp": true, "PUT /mcp": "yes"},
	"responses": true,
}

files(body) := {"files": {"agents": true, "callers": {gateway: true, operated: true}, "body": body}}

granted := {
	agent: {"resources": {"files": {"actions": {"read": true}}}},
	narrowed: {"resources": {"files": {
		"actions": {"read": true, "write": true},
		"tools": {"read_file": true, "odd": "yes"},
	}}},
	operated: {},
}

tools := {"files": {
	"read_file": {"action": "read", "schema": schema},
	"write_file": {"action": "write", "schema": schema},
	"list": {"action": "read"},
}}

posted := {"protocol": "mcp", "kind": "request", "bytes": 80, "http_method": "POST", "path": "/mcp"}

call(spiffe_id, message) := object.union(
	connect(spiffe_id, "files"),
	{"action": "call", "message": object.union(posted, message)},
)

tool_call(name) := {"method": "tools/call", "tool": name}

asked(value, body) := answer if {
	answer := mesh.decision with input as value
		with data.agents as granted
		with data.services as files(body)
		with data.tools as tools
}

call_controls := {
	"message_admitted": ["NIST:AC-3", "NIST:AC-6", "SOC2:CC6.1"],
	"message_not_expected": ["NIST:AC-3", "NIST:SI-10"],
	"body_rule_invalid": ["NIST:CM-3", "NIST:SI-10"],
	"message_not_listed": ["NIST:AC-3", "SOC2:CC6.1"],
	"tool_not_granted": ["NIST:AC-6", "SOC2:CC6.1"],
	"schema_missing": ["NIST:SI-10"],
	"input_not_json": ["NIST:SI-10"],
}

answers(answer, allow, code, obligations) if {
	answer.allow == allow
	[reason.code | some reason in answer.reasons] == [code]
	answer.rule == concat(".", ["platform.mesh", code])
	answer.controls == call_controls[code]
	answer.obligations == obligations
}

passes(message) if answers(asked(call(agent, message), mcp), true, "message_admitted", [])

stays(message, code) if answers(asked(call(agent, message), mcp), false, code, [])

test_a_connection_to_a_service_with_a_body_obliges_to_read_it if {
	every protocol in ["mcp", "a2a"] {
		answer := asked(connect(agent, "files"), {"protocol": protocol})
		answer.rule == "platform.mesh.agent_admitted"
		answer.obligations == [{"kind": "read_body", "protocol": protocol}]
	}
}

test_listed_methods_pass if {
	passes({"method": "tools/list"})
	passes({"method": "tools/list", "kind": "notification"})
	stays({"method": "tools/delete"}, "message_not_listed")
	stays({"method": "ping"}, "message_not_listed")
	stays({}, "message_not_listed")
	stays({"method": "tools/list", "kind": "batch"}, "message_not_listed")
	answers(asked(call(agent, {"method": "tools/list"}), {"protocol": "mcp"}), false, "message_not_listed", [])
}

test_paths_are_listed if {
	every kind in ["request", "notification", "response", "empty"] {
		passes({"kind": kind, "method": "tools/list"})
		stays({"kind": kind, "method": "tools/list", "path": "/admin"}, "message_not_listed")
		stays({"kind": kind, "method": "tools/list", "http_method": "PUT"}, "message_not_listed")
	}
	without := object.remove(mcp, {"paths"})
	answers(asked(call(agent, {"method": "tools/list"}), without), false, "message_not_listed", [])
}

test_requests_without_a_body_pass_by_method_and_path if {
	passes({"kind": "empty", "http_method": "GET", "path": "/mcp"})
	stays({"kind": "empty", "http_method": "DELETE", "path": "/mcp"}, "message_not_listed")
	stays({"kind": "empty", "http_method": "GET", "path": "/"}, "message_not_listed")
	stays({"http_method": "GET", "path": "/mcp"}, "message_not_listed")
}

test_responses_pass_where_they_are_taken if {
	passes({"kind": "response"})
	every odd in [false, "yes", null] {
		body := object.union(mcp, {"responses": odd})
		answers(asked(call(agent, {"kind": "response"}), body), false, "message_not_listed", [])
	}
}

test_tools_need_a_grant if {
	passes(tool_call("read_file"))
	passes(tool_call("list"))
	stays(tool_call("write_file"), "tool_not_granted")
	stays(tool_call("unregistered"), "tool_not_granted")
	stays({"method": "tools/call"}, "tool_not_granted")
	stays({"method": "tools/list", "tool": "write_file"}, "tool_not_granted")
	answers(asked(call(narrowed, tool_call("read_file")), mcp), true, "message_admitted", [])
	every name in ["write_file", "odd", "list"] {
		answers(asked(call(narrowed, tool_call(name)), mcp), false, "tool_not_granted", [])
	}
}

test_callers_need_no_grant_of_tools_unless_they_are_agents if {
	answers(asked(call(gateway, tool_call("write_file")), mcp), true, "message_admitted", [])
	answers(asked(call(operated, tool_call("read_file")), mcp), false, "tool_not_granted", [])
	answers(asked(call(operated, {"method": "tools/list"}), mcp), true, "message_admitted", [])
}

test_odd_grants_grant_no_tool if {
	every odd in [null, true, "read", {}, {"actions": true}, {"actions": {"read": "yes"}}, {"actions": {"read": true}, "tools": null}] {
		answer := mesh.decision with input as call(agent, tool_call("read_file"))
			with data.agents as {agent: {"resources": {"files": odd}}}
			with data.services as files(mcp)
			with data.tools as tools
		answers(answer, false, "tool_not_granted", [])
	}
}

test_what_cannot_be_read_is_refused_by_its_code if {
	answers(
		asked(call(agent, {"error": "input_not_json", "method": "tools/list"}), mcp),
		false, "input_not_json", [],
	)
	every odd in [null, 7, {}, ""] {
		asked(call(agent, {"error": odd, "method": "tools/list"}), mcp).allow == false
	}
}

test_messages_of_another_protocol_are_not_expected if {
	stays({"protocol": "a2a", "method": "tools/list"}, "message_not_expected")
	answer := mesh.decision with input as call(agent, {"method": "tools/list"})
		with data.agents as granted
		with data.services as {"files": {"agents": true, "callers": {}}}
	answers(answer, false, "message_not_expected", [])
}

test_malformed_rules_of_bodies_refuse if {
	every odd in [
		null, true, "mcp", {}, {"protocol": "grpc"}, {"protocol": null},
		{"protocol": "mcp", "arguments": "yes"}, {"protocol": "mcp", "arguments": null},
		{"protocol": "mcp", "scanners": []}, {"protocol": "mcp", "scanners": "Secrets"},
		{"protocol": "mcp", "scanners": [7]}, {"protocol": "mcp", "thresholds": []},
	] {
		answers(asked(connect(agent, "files"), odd), false, "body_rule_invalid", [])
		answers(asked(call(agent, {"method": "tools/list"}), odd), false, "body_rule_invalid", [])
	}
}

test_nobody_learns_of_bodies_without_reaching_the_service if {
	every value in [connect("", "files"), call("", {"method": "tools/list"})] {
		every body in [mcp, null] {
			asked(value, body).rule == "platform.mesh.unknown_caller"
		}
	}
}

test_calls_without_a_message_are_not_decided if {
	value := object.remove(call(agent, {}), {"message"})
	asked(value, mcp).rule == "platform.mesh.not_decided"
	asked(object.union(value, {"message": 7}), mcp).rule == "platform.mesh.not_decided"
}

test_arguments_are_validated if {
	body := object.union(mcp, {"arguments": true})
	answers(asked(call(agent, tool_call("read_file")), body), true, "message_admitted", [{
		"kind": "validate_arguments",
		"schema": schema,
	}])
	answers(asked(call(agent, tool_call("list")), body), false, "schema_missing", [])
	answers(asked(call(gateway, tool_call("unregistered")), body), false, "schema_missing", [])
	answers(asked(call(agent, {"method": "tools/list"}), body), true, "message_admitted", [])
	asked(call(agent, tool_call("write_file")), body).rule == "platform.mesh.tool_not_granted"
	unvalidated := object.union(mcp, {"arguments": false})
	answers(asked(call(agent, tool_call("read_file")), unvalidated), true, "message_admitted", [])
}

test_messages_are_scanned if {
	body := object.union(mcp, {"scanners": ["Secrets"], "thresholds": {"Secrets": 700}})
	scan := {"kind": "scan", "scanners": ["Secrets"], "thresholds": {"Secrets": 700}}
	every message in [
		{"method": "tools/list"},
		{"method": "tools/list", "kind": "notification"},
		{"kind": "response"},
	] {
		answers(asked(call(agent, message), body), true, "message_admitted", [scan])
	}
	empty := {"kind": "empty", "http_method": "GET", "path": "/mcp"}
	answers(asked(call(agent, empty), body), true, "message_admitted", [])
	asked(connect(agent, "files"), body).obligations == [{"kind": "read_body", "protocol": "mcp"}]
	plain := object.remove(body, {"thresholds"})
	asked(call(agent, {"method": "tools/list"}), plain).obligations == [{"kind": "scan", "scanners": ["Secrets"], "thresholds": {}}]
}

test_operators_and_tenants_refuse_calls if {
	contributed_call({"deny": {{"code": "closed"}}, "oblige": {7}}, {}).rule == "platform.mesh.operator.closed"
	contributed_call({}, {"deny": {{"code": "closed"}}, "oblige": {7}}).rule == "platform.mesh.tenant.closed"
}

contributed_call(operator, tenant) := answer if {
	answer := mesh.decision with input as call(agent, tool_call("read_file"))
		with data.agents as granted
		with data.services as files(mcp)
		with data.tools as tools
		with data.platform.mesh.operator as operator
		with data.platform.mesh.tenants as tenant
	answer.allow == false
	answer.obligations == []
}
