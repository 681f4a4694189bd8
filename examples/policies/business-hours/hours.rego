# METADATA
# title: Business hours
# description: >-
#   In the tenant's office hours its agents work on their own. Outside of them everything that changes
#   something waits for a person. The time is the one that the platform recorded with the request, so
#   that the audit comes to the same answer later.
# custom:
#   controls: ["NIST:AC-3"]
# schemas:
#   - input: schema.tool
package platform.tool.operator

# METADATA
# title: Outside office hours a person decides
# description: A tenant without hours is never in the office.
# custom:
#   controls: ["EUAI:14", "NIST:AC-3"]
require_approval contains {"question": "It is outside office hours. May the agent do this now?"} if {
	input.action == "call"
	not only_reads
	not in_office
}

# METADATA
# title: The tool only reads
only_reads if input.resource.action == "read"

# METADATA
# title: Somebody is there
# description: From the first minute to before the last one, in UTC, on the days that the hours name.
in_office if {
	hours := data.tenants[data.agents[input.identity.spiffe_id].tenant].hours
	clock := substring(input.context.time, 11, 5)
	clock >= hours.from
	clock < hours.to
	hours.days[weekday(substring(input.context.time, 0, 10))]
}

# METADATA
# title: Day of the week of a date such as 2026-11-21
# description: Sakamoto's method for the Gregorian calendar; there is no clock inside a decision.
weekday(date) := ["sun", "mon", "tue", "wed", "thu", "fri", "sat"][days % 7] if {
	month := number(substring(date, 5, 2))
	year := ((100 * number(substring(date, 0, 2))) + number(substring(date, 2, 2))) - before_march[month]
	shift := [0, 3, 2, 5, 0, 3, 5, 1, 4, 6, 2, 4][month - 1]
	leaps := (quotient(year, 4) - quotient(year, 100)) + quotient(year, 400)
	days := ((year + leaps) + shift) + number(substring(date, 8, 2))
}

# METADATA
# title: January and February count as months of the year before
before_march := {1: 1, 2: 1, 3: 0, 4: 0, 5: 0, 6: 0, 7: 0, 8: 0, 9: 0, 10: 0, 11: 0, 12: 0}

# METADATA
# title: Whole quotient of two numbers from zero on
quotient(n, divisor) := (n - (n % divisor)) / divisor

# METADATA
# title: Number of two digits
number(text) := (10 * digits[substring(text, 0, 1)]) + digits[substring(text, 1, 1)]

# METADATA
# title: The digits
digits := {"0": 0, "1": 1, "2": 2, "3": 3, "4": 4, "5": 5, "6": 6, "7": 7, "8": 8, "9": 9}
