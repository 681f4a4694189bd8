package platform.deploy_test

test_an_approval_has_a_time_that_is_one if {
	every other in ["never", "z", {}, ["2027"], null, 9, true, ""] {
		not decided(changed(production, "approval", "expires_at", other)).allow
	}
}
