package platform.spiffe_test

import data.platform.spiffe

bot := {"trust_domain": "platform.local", "tenant": "acme", "agent": "bot", "role": "main"}

test_parts if {
	spiffe.agent_of("spiffe://platform.local/agent/acme/bot/main") == bot
	spiffe.agent_of("spiffe://td-1_x/agent/Acme/b.o-t_2/Z9") == {
		"trust_domain": "td-1_x",
		"tenant": "Acme",
		"agent": "b.o-t_2",
		"role": "Z9",
	}
}

test_every_character_of_a_segment if {
	every character in split("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_", "") {
		spiffe.is_segment(character)
	}
	spiffe.is_segment("a.b")
	spiffe.is_segment("...")
}

refused := [
	"",
	"spiffe://platform.local",
	"spiffe://platform.local/agent/acme/bot",
	"spiffe://platform.local/agent/acme/bot/main/",
	"spiffe://platform.local/agent/acme/bot/main/x",
	"spiffe://platform.local/service/acme/bot/main",
	"spiffe:/x/platform.local/agent/acme/bot/main",
	"spiffe:/platform.local/agent/acme/bot/main",
	"spiffe:/x/platform.local/agent/acme/bot",
	"spiffe:x//agent/acme/bot/main",
	"https://platform.local/agent/acme/bot/main",
	"Spiffe://platform.local/agent/acme/bot/main",
	"spiffe://Platform.local/agent/acme/bot/main",
	"spiffe://platform.local:443/agent/acme/bot/main",
	"spiffe://u@platform.local/agent/acme/bot/main",
	"spiffe:///agent/acme/bot/main",
	"spiffe://../agent/acme/bot/main",
	"spiffe://platform.local/agent//bot/main",
	"spiffe://platform.local/agent/acme//main",
	"spiffe://platform.local/agent/acme/bot/",
	"spiffe://platform.local/agent/../bot/main",
	"spiffe://platform.local/agent/acme/./main",
	"spiffe://platform.local/agent/acme/bot/..",
	"spiffe://platform.local/agent/acme/bot/*",
	"spiffe://platform.local/agent/*/bot/main",
	"spiffe://platform.local/agent/ac%2fme/bot/main",
	"spiffe://platform.local/agent/acme/bot main/main",
	"spiffe://platform.local/agent/acme/bot/main?",
	"spiffe://platform.local/agent/acme/bot/main#x",
	"spiffe://platform.local/agent/acme/bot\\x/main",
	"spiffe://platform.local/agent/acmé/bot/main",
	" spiffe://platform.local/agent/acme/bot/main",
]

test_refused if {
	every id in refused {
		not spiffe.agent_of(id)
	}
	every value in [null, 7, true, [], {}] {
		not spiffe.agent_of(value)
	}
}

test_scopes if {
	spiffe.scopes_of(bot) == [
		"spiffe://platform.local/*",
		"spiffe://platform.local/agent/*",
		"spiffe://platform.local/agent/acme/*",
		"spiffe://platform.local/agent/acme/bot/*",
		"spiffe://platform.local/agent/acme/bot/main",
	]
}
