package platform.bounds_test

import data.platform.bounds

test_within if {
	bounds.within(1, 2)
	bounds.within(2, 2)
	bounds.within(-1, 0)
	not bounds.within(3, 2)
}

test_only_numbers if {
	every other in [null, false, true, "1", [], {}] {
		not bounds.within(1, other)
		not bounds.within(other, 1)
		not bounds.within(other, other)
	}
}

test_positive if {
	bounds.positive_within(0.5, 2)
	bounds.positive_within(2, 2)
	not bounds.positive_within(0, 2)
	not bounds.positive_within(-1, 2)
	not bounds.positive_within(3, 2)
	not bounds.positive_within("1", "2")
}
