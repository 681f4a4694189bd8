# METADATA
# title: Deploying agents
# description: >-
#   Decides who may deploy which tenant's agents to which target. What goes to production is pinned by
#   its digest, signed, scanned and listed in an SBOM, and somebody else than the deployer has said yes.
# custom:
#   controls: ["SOC2:CC8.1", "NIST:CM-3"]
# schemas:
#   - input: schema.deploy
package platform.deploy

import data.platform.answer

# METADATA
# title: Default deny
default allow := false

# METADATA
# title: Granted, and nothing refuses
allow if {
	some _ in grants
	count(reasons) == 0
}

# METADATA
# title: Decision
decision := answer.allowed("deploy", grants, obligations) if {
	allow
} else := answer.refused("deploy", reasons, questions)

# METADATA
# title: Deploy is granted
# description: >-
#   The operator may deploy agents of this tenant to this target, and nobody has to be asked.
# custom:
#   controls: ["SOC2:CC8.1", "NIST:CM-3", "NIST:CM-5"]
grants contains {
	"code": "granted",
	"message": "this operator may deploy this",
	"controls": ["SOC2:CC8.1", "NIST:CM-3", "NIST:CM-5"],
} if {
	permitted
	not must_ask
}

# METADATA
# title: Deploy is approved
# description: >-
#   The operator may deploy this, somebody has to be asked, and another operator who may approve said yes.
# custom:
#   controls: ["SOC2:CC8.1", "NIST:CM-3", "NIST:CM-5", "NIST:AC-5"]
grants contains {
	"code": "approved",
	"message": "this operator may deploy this, and another one approved it",
	"controls": ["SOC2:CC8.1", "NIST:CM-3", "NIST:CM-5", "NIST:AC-5"],
} if {
	permitted
	must_ask
	approved
}

# METADATA
# title: Operator is not registered
# description: >-
#   The identity has no entry among the operators.
# custom:
#   controls: ["SOC2:CC6.1", "NIST:AC-3"]
reasons contains {
	"code": "unknown_operator",
	"message": "no operator is registered under this identity",
	"controls": ["SOC2:CC6.1", "NIST:AC-3"],
} if {
	not deployer
}

# METADATA
# title: Resource is malformed
# description: >-
#   The target is none, or the tenant or the agent has a name that no SPIFFE ID could hold.
# custom:
#   controls: ["NIST:SI-10"]
reasons contains {
	"code": "resource_malformed",
	"message": "this cannot be deployed anywhere",
	"controls": ["NIST:SI-10"],
} if {
	deployer
	not resource_sound
}

# METADATA
# title: Deploy is not granted
# description: >-
#   The operator's entry does not hold the target, or not for this tenant.
# custom:
#   controls: ["SOC2:CC8.1", "NIST:CM-5", "NIST:AC-6"]
reasons contains {
	"code": "deploy_not_granted",
	"message": "this operator may not deploy this",
	"controls": ["SOC2:CC8.1", "NIST:CM-5", "NIST:AC-6"],
} if {
	deployer
	resource_sound
	not may_deploy
}

# METADATA
# title: Image is not pinned
# description: >-
#   A tag may be another image tomorrow.
# custom:
#   controls: ["SOC2:CC8.1", "NIST:CM-2"]
reasons contains {
	"code": "image_not_pinned",
	"message": "the image is not named by its digest",
	"controls": ["SOC2:CC8.1", "NIST:CM-2"],
} if {
	to_production
	not image_pinned
}

# METADATA
# title: Signature is not verified
# custom:
#   controls: ["SOC2:CC8.1", "NIST:CM-14"]
reasons contains {
	"code": "signature_not_verified",
	"message": "the image's signature was not verified",
	"controls": ["SOC2:CC8.1", "NIST:CM-14"],
} if {
	to_production
	not signature_verified
}

# METADATA
# title: SBOM is missing
# description: >-
#   Without the list of what is inside nobody can tell later who is affected.
# custom:
#   controls: ["NIST:CM-8", "NIST:SR-4"]
reasons contains {
	"code": "sbom_missing",
	"message": "the image has no SBOM",
	"controls": ["NIST:CM-8", "NIST:SR-4"],
} if {
	to_production
	not sbom_present
}

# METADATA
# title: Scan is missing
# description: >-
#   The scan was skipped, or its result is not known.
# custom:
#   controls: ["SOC2:CC7.1", "NIST:RA-5"]
reasons contains {
	"code": "scan_missing",
	"message": "the image was not scanned",
	"controls": ["SOC2:CC7.1", "NIST:RA-5"],
} if {
	to_production
	not scanned
}

# METADATA
# title: Vulnerabilities were found
# description: >-
#   Critical ones at every level of scanning, high ones at the level `strict`.
# custom:
#   controls: ["SOC2:CC7.1", "NIST:RA-5", "NIST:SI-2"]
reasons contains {
	"code": "vulnerabilities_found",
	"message": "the scan found vulnerabilities that must not go to production",
	"controls": ["SOC2:CC7.1", "NIST:RA-5", "NIST:SI-2"],
} if {
	to_production
	scanned
	not scan_clean
}

# METADATA
# title: Operator's policy refuses
# description: >-
#   The operator's package `platform.deploy.operator` contributed to `deny`. Any contribution refuses,
#   whatever its shape.
# custom:
#   controls: ["NIST:AC-3"]
reasons contains reason if {
	permitted
	some reason in answer.contributed(
		"operator",
		{element | some element in data.platform.deploy.operator.deny},
	)
}

# METADATA
# title: Tenant's policy refuses
# description: >-
#   The package of the agent's tenant contributed to `deny`. Any contribution refuses, whatever its
#   shape.
# custom:
#   controls: ["NIST:AC-3"]
reasons contains reason if {
	permitted
	some reason in answer.contributed(
		"tenant",
		{element | some element in data.platform.deploy.tenants.deny},
	)
}

# METADATA
# title: A person said no
# description: >-
#   The approval that came with the request is a refusal.
# custom:
#   controls: ["SOC2:CC8.1", "NIST:AC-5"]
reasons contains {
	"code": "approval_refused",
	"message": "a person refused this deploy",
	"controls": ["SOC2:CC8.1", "NIST:AC-5"],
} if {
	asked
	person_refused
}

# METADATA
# title: Approver is the deployer
# description: >-
#   The approval is by the identity that deploys.
# custom:
#   controls: ["SOC2:CC8.1", "NIST:AC-5"]
reasons contains {
	"code": "approver_is_deployer",
	"message": "who deploys cannot approve it",
	"controls": ["SOC2:CC8.1", "NIST:AC-5"],
} if {
	asked
	approval_in_force
	not approver_is_another
}

# METADATA
# title: Approver may not approve
# description: >-
#   The approval is by somebody who is no operator with the action `approve`.
# custom:
#   controls: ["SOC2:CC8.1", "NIST:AC-5"]
reasons contains {
	"code": "approver_not_granted",
	"message": "this approver may not approve deploys",
	"controls": ["SOC2:CC8.1", "NIST:AC-5"],
} if {
	asked
	approval_in_force
	approver_is_another
	not approver_granted
}

# METADATA
# title: A person must be asked
# description: >-
#   No approval in force came with the request.
# custom:
#   controls: ["SOC2:CC8.1", "NIST:AC-5"]
reasons contains {
	"code": "approval_required",
	"message": "another person must allow this deploy",
	"controls": ["SOC2:CC8.1", "NIST:AC-5"],
} if {
	asked
	not person_refused
	not approval_in_force
}

# METADATA
# title: What operators and tenants demand of what is granted
# scope: document
obligations contains obligation if {
	some _ in grants
	some obligation in data.platform.deploy.operator.oblige
}

obligations contains obligation if {
	some _ in grants
	some obligation in data.platform.deploy.tenants.oblige
}
