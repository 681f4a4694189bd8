package platform.registration_test

test_counts_are_numbers if {
	every other in [null, false, true, "1", [], {}] {
		decided(counted(bot, other, 1)) == agent_rate_exceeded
		decided(counted(bot, 1, other)) == tenant_rate_exceeded
	}
}
