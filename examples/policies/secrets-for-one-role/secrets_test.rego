package platform.secret.operator_test

import data.platform.secret.operator

signer := "spiffe://platform.local/agent/acme/releases/signer"

main := "spiffe://platform.local/agent/acme/releases/main"

agents := {
	signer: {"tenant": "acme", "role": "signer"},
	main: {"tenant": "acme", "role": "main"},
	"spiffe://platform.local/agent/umbrella/releases/main": {"tenant": "umbrella", "role": "main"},
}

tenants := {"acme": {"reserved_secrets": {"release-key": {"signer": true, "main": false}}}}

on(identity, action, key) := {
	"action": action,
	"identity": {"spiffe_id": identity},
	"resource": {"kind": "secret", "key": key},
}

codes(request) := {element.code |
	some element in operator.deny with input as request with data.agents as agents with data.tenants as tenants
}

test_the_role_reads_its_key if codes(on(signer, "read", "release-key")) == set()

test_another_role_does_not if {
	codes(on(main, "read", "release-key")) == {"secret_of_another_role"}
}

test_nobody_writes_it if {
	every action in ["write", "delete", "restore"] {
		codes(on(signer, action, "release-key")) == {"secret_reserved"}
	}
}

test_other_keys_are_left_alone if {
	codes(on(main, "read", "mail-key")) == set()
	codes(on(main, "write", "mail-key")) == set()
}

test_other_tenants_have_reserved_nothing if {
	codes(on("spiffe://platform.local/agent/umbrella/releases/main", "write", "release-key")) == set()
}

test_operators_are_left_alone if codes(on("spiffe://platform.local/operator/local", "write", "release-key")) == set()

test_what_is_said if {
	operator.deny == {
		{
			"code": "secret_of_another_role",
			"message": "this key is reserved for another role",
			"controls": ["NIST:AC-6", "NIST:IA-5"],
		},
		{
			"code": "secret_reserved",
			"message": "only an operator may change this key",
			"controls": ["NIST:SC-12"],
		},
	} with input as on(main, "write", "release-key") with data.agents as agents with data.tenants as tenants
}
