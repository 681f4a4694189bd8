# Whether a host and a path are in the one form that is compared.
package platform.browse

# METADATA
# title: Labels of the host
labels := split(input.resource.host, ".")

# METADATA
# title: Last label of the host
last_label := labels[count(labels) - 1]

# METADATA
# title: Host is canonical
# description: >-
#   A name of lower-case labels, internationalized ones in punycode, or an IPv6 address in brackets. A
#   trailing dot would make another name of the same host. The most frequent characters come first,
#   because `trim` walks to each.
# scope: document
host_canonical if {
	trim(input.resource.host, "eatnirosl.cdmgupbfhkvwxyzjq0123456789-_") == ""
	count(input.resource.host) <= 253
	count(labels) <= 16
	not "" in labels
	every label in labels {
		count(label) <= 63
	}
}

host_canonical if {
	is_address6
	trim(input.resource.host, "0123456789abcdef:.[]") == ""
}

# METADATA
# title: Host is an IPv6 address
is_address6 if {
	startswith(input.resource.host, "[")
	endswith(input.resource.host, "]")
}

# METADATA
# title: Host is an address or an internal name
# description: >-
#   What ends in a number is an IPv4 address. Among the names are those of clusters, of the cloud's metadata
#   and of RFC 6761, 6762, 8375.
# scope: document
is_internal if is_address6

is_internal if trim(last_label, "0123456789") == ""

is_internal if startswith(last_label, "0x")

is_internal if count(labels) == 1

is_internal if last_label in {
	"arpa", "corp", "home", "internal", "intranet", "lan",
	"local", "localdomain", "localhost", "private", "svc",
}

# METADATA
# title: Path is canonical
# description: >-
#   Without dot segments, also those with something after the dots that a server may cut off.
path_canonical if {
	startswith(input.resource.path, "/")
	count(input.resource.path) <= 2048
	trim(input.resource.path, path_characters) == ""
	count(segments) <= 64
	not "" in array.slice(segments, 1, count(segments) - 1)
	not "." in segments
	not has_dots
	every part in array.slice(encoded_parts, 1, count(encoded_parts)) {
		keeps_encoding(substring(part, 0, 2))
	}
}

# METADATA
# title: A segment of the path begins with two dots
has_dots if contains(input.resource.path, "/..")

# METADATA
# title: Characters of a path
# description: >-
#   What a parser leaves as it is, without the backslash, and without the semicolon: some servers cut off
#   what follows it before they look.
path_characters := concat("", [
	"/eatnirosldcmgupbfhkvwxyzjq0123456789-._~%",
	"ABCDEFGHIJKLMNOPQRSTUVWXYZ!$&'()*+,=:@|^[]",
])

# METADATA
# title: Segments of the path
segments := split(input.resource.path, "/")

# METADATA
# title: Path at its percent signs
encoded_parts := split(input.resource.path, "%")

# METADATA
# title: A character that has to be encoded
# description: >-
#   Other than ASCII, or a character that means something else when it is not encoded. Not among them are
#   those that need none, which would be a second spelling of a path, the percent sign, controls and what
#   separates segments.
# scope: document
keeps_encoding(digits) if {
	count(digits) == 2
	trim(digits, "0123456789ABCDEF") == ""
	contains("89ABCDEF", substring(digits, 0, 1))
}

keeps_encoding(digits) if {
	count(digits) == 2
	contains("20 22 23 24 26 2B 2C 3A 3C 3D 3E 3F 40 5B 5D 5E 60 7B 7C 7D", digits)
}

# METADATA
# title: Prefixes of the path
# description: >-
#   Segment by segment, `/docs` for `/docs` and what is below, `/docs/` only for what is below.
# scope: document
path_prefixes contains prefix if {
	some index, _ in segments
	index > 0
	prefix := concat("/", array.slice(segments, 0, index + 1))
}

path_prefixes contains prefix if {
	some index, _ in segments
	index < count(segments) - 1
	prefix := concat("/", array.concat(array.slice(segments, 0, index + 1), [""]))
}
