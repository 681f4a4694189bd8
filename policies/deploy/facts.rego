# What the rules of deploy.rego ask of the operator, the image and the approval.
package platform.deploy

import data.platform.answer
import data.platform.spiffe

# METADATA
# title: Entry of the operator
deployer := data.operators[input.identity.spiffe_id]

# METADATA
# title: The resource is an agent that could exist, and the target one of the three
resource_sound if {
	input.action == "deploy"
	input.resource.kind == "agent"
	input.resource.target in {"development", "staging", "production"}
	spiffe.is_segment(input.resource.tenant)
	spiffe.is_segment(input.resource.agent)
}

# METADATA
# title: The operator may deploy this to this target
# description: >-
#   `true` for a target is for every tenant, an object for the tenants that it holds.
# scope: document
may_deploy if {
	resource_sound
	deployer.deploy[input.resource.target] == true
}

may_deploy if {
	resource_sound
	deployer.deploy[input.resource.target][input.resource.tenant] == true
}

# METADATA
# title: The deploy would be to production
to_production if {
	may_deploy
	input.resource.target == "production"
}

# METADATA
# title: Everything is in order but for the people
# scope: document
permitted if {
	may_deploy
	not to_production
}

permitted if {
	to_production
	image_pinned
	signature_verified
	sbom_present
	scanned
	scan_clean
}

# METADATA
# title: Image is named by its digest
image_pinned if is_digest(input.image.digest)

# METADATA
# title: The image's signature was verified
signature_verified if input.image.signature_verified == true

# METADATA
# title: There is an SBOM
sbom_present if is_digest(input.image.sbom_digest)

# METADATA
# title: The image was scanned
scanned if {
	input.image.scan.level in {"basic", "standard", "strict"}
	is_number(input.image.scan.critical)
	is_number(input.image.scan.high)
}

# METADATA
# title: The scan found nothing that must not go to production
# scope: document
scan_clean if {
	input.image.scan.critical == 0
	input.image.scan.level != "strict"
}

scan_clean if {
	input.image.scan.critical == 0
	input.image.scan.high == 0
}

# METADATA
# title: A digest
is_digest(text) if {
	startswith(text, "sha256:")
	count(text) == 71
	trim(substring(text, 7, -1), "0123456789abcdef") == ""
}

# METADATA
# title: Somebody has to be asked
# scope: document
must_ask if to_production

must_ask if count(data.platform.deploy.operator.require_approval) > 0

must_ask if count(data.platform.deploy.tenants.require_approval) > 0

# METADATA
# title: An operator or a tenant refuses
# scope: document
contributed_denial if count(data.platform.deploy.operator.deny) > 0

contributed_denial if count(data.platform.deploy.tenants.deny) > 0

# METADATA
# title: All that is open is what a person says
asked if {
	permitted
	must_ask
	not contributed_denial
}

# METADATA
# title: The approval is a refusal
person_refused if input.approval.verdict == "deny"

# METADATA
# title: The approval is a yes, and not too old
approval_in_force if {
	input.approval.verdict == "allow"
	is_string(input.context.time)
	input.context.time < input.approval.expires_at
	input.approval.expires_at < ":"
}

# METADATA
# title: Who approves is not who deploys
approver_is_another if input.approval.approver != input.identity.spiffe_id

# METADATA
# title: Who approves may
approver_granted if data.operators[input.approval.approver].actions.approve == true

# METADATA
# title: Another operator approved
approved if {
	approval_in_force
	approver_is_another
	approver_granted
}

# METADATA
# title: What the person is asked
# scope: document
questions contains {
	"kind": "require_approval",
	"question": $"Deploy {input.resource.agent} of {input.resource.tenant} to {input.resource.target}?",
} if {
	awaits_approval
}

questions contains question if {
	awaits_approval
	some question in answer.demanded(
		{element | some element in data.platform.deploy.operator.require_approval},
		set(),
	)
}

questions contains question if {
	awaits_approval
	some question in answer.demanded(
		{element | some element in data.platform.deploy.tenants.require_approval},
		set(),
	)
}

# METADATA
# title: The request is parked until a person answers
awaits_approval if {
	asked
	not person_refused
	not approval_in_force
}
