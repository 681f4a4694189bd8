package platform.tool.operator_test

import data.platform.tool.operator

facts := {
	"pay": {
		"targets": {"to": {"fields": {"history:/*/to": ["amount_stated"]}}},
		"contents": {"subject": true},
		"amounts": {"amount": 500},
	},
	"mail": {
		"targets": {"to": {"fields": {"contacts:/*/email": ["named"]}}, "files": {"skip": {"type": true}}},
		"contents": {"body": true},
	},
	"post": {"targets": {"channel": {"fields": {"channels:/*": ["quiet"]}}}, "contents": {"body": true}},
	"join": {"anchored": true, "targets": {"user": {"fields": {"users:/*": ["known"]}}, "channel": {}}},
	"burn": {"ask": "always"},
	"open": {"targets": {"id": {"fields": {"search:/*/id": ["chosen"]}}}},
	"reply": {"targets": {"to": {"fields": {"inbox:/*/text": ["mentioned"]}}}},
	"invite": {"anchored": true, "targets": {"user": {"fields": {"inbox:/*/text": ["mentioned_where_told"]}}}},
}

prompt := {"source": "prompt", "match": "inside"}

text := {"source": "tool", "tool": "page", "path": "", "match": "inside", "via": "prompt"}

field(tool, path, via) := {"source": "tool", "tool": tool, "path": path, "match": "equal", "via": via}

asked(tool, args, provenance) if {
	count(operator.require_approval) > 0 with data.tools as facts with input as {
		"action": "call",
		"resource": {"kind": "tool", "name": tool, "action": "write"},
		"arguments": args,
		"provenance": provenance,
	}
}

test_what_the_user_wrote_is_theirs if {
	not asked("pay", {"to": "X", "amount": 5}, {"/to": [prompt], "/amount": []})
}

test_what_only_a_text_says_is_asked if asked("pay", {"to": "X", "amount": 5}, {"/to": [text], "/amount": []})

test_what_nobody_said_is_asked if asked("pay", {"to": "X", "amount": 5}, {"/to": [], "/amount": []})

test_amounts_over_the_limit_are_asked_unless_stated if {
	asked("pay", {"to": "X", "amount": 501}, {"/to": [prompt], "/amount": [text]})
	weak := {"source": "prompt", "match": "weak"}
	not asked("pay", {"to": "X", "amount": 501}, {"/to": [prompt], "/amount": [weak]})
}

test_an_amount_below_zero_is_asked if {
	asked("pay", {"to": "X", "amount": -5}, {"/to": [prompt], "/amount": []})
	asked("pay", {"to": "X", "amount": -5}, {"/to": [prompt], "/amount": [prompt]})
	not asked("pay", {"to": "X", "amount": 0}, {"/to": [prompt], "/amount": []})
}

test_a_known_payee_needs_a_stated_amount if {
	payee := [field("history", "/*/to", "agent")]
	asked("pay", {"to": "X", "amount": 5}, {"/to": payee, "/amount": []})
	not asked("pay", {"to": "X", "amount": 5}, {"/to": payee, "/amount": [prompt]})
}

test_an_address_needs_the_name_in_the_prompt if {
	contact := field("contacts", "/*/email", "prompt")
	name := {"source": "prompt", "match": "part", "kind": "name"}
	asked("mail", {"to": "a@b.c"}, {"/to": [contact]})
	not asked("mail", {"to": "a@b.c"}, {"/to": [contact, name]})
	asked("mail", {"to": "a@b.c"}, {"/to": [text, name]})
}

test_a_foreign_link_is_asked_even_to_a_stated_target if {
	link := {"source": "tool", "tool": "page", "path": "", "match": "part", "kind": "link", "via": "prompt"}
	asked("mail", {"to": "a", "body": "b"}, {"/to": [prompt], "/body": [link]})
	not asked("mail", {"to": "a", "body": "b"}, {"/to": [prompt], "/body": []})
}

test_what_kind_of_attachment_is_no_target if {
	not asked("mail", {"to": "a"}, {"/to": [prompt], "/files/0/type": [], "/files/0/id": [prompt]})
	asked("mail", {"to": "a"}, {"/to": [prompt], "/files/0/type": [], "/files/0/id": []})
}

test_a_found_channel_gets_no_foreign_words if {
	channel := [field("channels", "/*", "agent")]
	phrase := {"source": "tool", "tool": "page", "path": "", "match": "part", "kind": "phrase", "via": "agent"}
	not asked("post", {}, {"/channel": channel, "/body": []})
	asked("post", {}, {"/channel": channel, "/body": [phrase]})
	not asked("post", {}, {"/channel": [prompt], "/body": [phrase]})
}

test_something_of_a_connection_must_be_named if {
	users := [field("users", "/*", "agent")]
	not asked("join", {}, {"/user": users, "/channel": [prompt]})
	asked("join", {}, {"/user": users, "/channel": users})
}

test_what_cannot_be_undone_is_asked if asked("burn", {}, {"/id": [prompt]})

test_a_tool_without_facts_is_asked if asked("new", {}, {})

test_what_could_not_be_followed_is_asked if {
	asked("mail", {"to": "a"}, {"": [{"source": "unknown"}]})
	asked("mail", {"to": "a", "body": "b"}, {"/to": [prompt], "/body": [{"source": "unknown"}]})
}

test_reading_is_not_asked if {
	count(operator.require_approval) == 0 with data.tools as facts with input as {
		"action": "call",
		"resource": {"kind": "tool", "name": "look", "action": "read"},
		"arguments": {},
		"provenance": {},
	}
}

test_a_chosen_record_was_found_with_the_users_words if {
	not asked("open", {}, {"/id": [field("search", "/*/id", "prompt")]})
	asked("open", {}, {"/id": [field("search", "/*/id", "agent")]})
	asked("open", {}, {"/id": [object.union(field("search", "/*/id", "prompt"), {"match": "inside"})]})
}

test_who_is_mentioned_may_be_answered if {
	mention := {"source": "tool", "tool": "inbox", "path": "/*/text", "match": "inside", "via": "agent"}
	not asked("reply", {}, {"/to": [mention]})
	asked("reply", {}, {"/to": [object.union(mention, {"match": "part"})]})
}

test_who_is_mentioned_where_the_user_pointed_may_be_invited if {
	mention := {"source": "tool", "tool": "inbox", "path": "/*/text", "match": "inside", "via": "prompt"}
	not asked("invite", {}, {"/user": [mention]})
	asked("invite", {}, {"/user": [object.union(mention, {"via": "agent"})]})
}

test_an_amount_that_is_not_there_is_not_asked if not asked("pay", {"to": "X"}, {"/to": [prompt]})

test_the_question_names_arguments_and_tools_and_no_value if {
	mail := {"/to": [text, {"source": "unknown"}]}
	operator.require_approval == {{"question": concat("", [
		"mail: to comes from more than the platform can follow and page",
	])}} with data.tools as facts with input as {
		"action": "call",
		"resource": {"kind": "tool", "name": "mail", "action": "write"},
		"arguments": {"to": "mallory"},
		"provenance": mail,
	}
}

test_a_change_of_which_the_user_named_nothing_is_asked if {
	asked("post", {"body": "b"}, {"/body": []})
	not asked("post", {"body": "b"}, {"/body": [], "/channel": [prompt]})
	asked("post", {"body": "b"}, {"/body": [object.union(text, {"kind": "phrase"})]})
	not asked("post", {"body": "b"}, {"/body": [{"source": "prompt", "match": "weak"}]})
}
