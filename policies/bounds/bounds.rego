# METADATA
# title: Numbers and their bounds
# description: >-
#   Comparisons that hold between numbers only: in Rego every number is less than any text, so that a
#   limit or a count of another type would let everything pass.
# custom:
#   controls: ["NIST:SC-5"]
package platform.bounds

# METADATA
# title: A number is not above a bound
within(value, most) if {
	is_number(value)
	is_number(most)
	value <= most
}

# METADATA
# title: A quantity is positive and not above a bound
positive_within(value, most) if {
	within(value, most)
	value > 0
}
