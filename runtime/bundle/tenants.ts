// Whose a source is, and the generated rules that hand each caller what its own tenant contributes.
import { BundleError } from '../errors.ts';
import type { RegoFile } from '../modules/rego.ts';

const OPERATOR = 'operator/';
/** A path segment of a SPIFFE ID (SPIFFE-ID, section 2.2) of at most 63 bytes. */
const NAME = /^(?!\.{1,2}$)[A-Za-z0-9._-]{1,63}$/;
const GENERATED = /^tenants\/[^/]+\.rego$/;

/**
 * Whose source this is by its path in a bundle: `operator/<folder>/tenants/<tenant>/…` is a tenant's,
 * everything else below `operator/` an operator's, the rest the platform's.
 * @throws BundleError `policy_invalid` for a tenant that no SPIFFE ID could name, and for a folder
 *   `tenants` anywhere else, whose files nobody could be held to
 */
export function ownerOf(path: string): Pick<RegoFile, 'operator' | 'tenant'> {
  if (!path.startsWith(OPERATOR)) return {};
  const segments = path.split('/');
  if (!segments.some((segment) => /^tenants(\.rego)?$/i.test(segment))) return { operator: true };
  const [, , folder, tenant = '', ...rest] = segments;
  if (folder !== 'tenants' || rest.length === 0 || rest.includes('tenants')) {
    throw new BundleError('policy_invalid', `${path}: it is not clear whose policy this is`, {
      hint: 'tenants keep their policies in tenants/<tenant>/ of the folder that is given',
    });
  }
  if (NAME.test(tenant)) return { tenant };
  throw new BundleError('policy_invalid', `${path}: ${tenant} cannot be the name of a tenant`, {
    hint: 'tenants/<tenant>/ is named as in SPIFFE IDs: letters, digits, dots, dashes, underscores',
  });
}

/**
 * The sources with `platform.<boundary>.tenants` for each boundary when one of them is a tenant's, and
 * without it when none is. It is a source like any other in the bundle, so that every OPA has it.
 */
export function withTenants(files: readonly RegoFile[], boundaries: readonly string[]): RegoFile[] {
  const written = files.filter(({ path }) => !GENERATED.test(path));
  if (!written.some(({ tenant }) => tenant !== undefined)) return written;
  const generated = boundaries.map((boundary) => ({
    path: `tenants/${boundary}.rego`,
    content: dispatch(boundary),
    generated: true,
  }));
  return [...written, ...generated];
}

/** The agents whose tenants may narrow, where it is not the caller's alone. */
const parties: Record<string, readonly string[]> = {
  exchange: ['input.spiffe_id'],
  message: ['input.identity.spiffe_id', 'input.target.spiffe_id'],
};

/** A deploy's input names the tenant, because the agent may not be there yet. */
function namesOf(boundary: string): string[] {
  if (boundary === 'deploy') return ['names contains input.resource.tenant'];
  return (parties[boundary] ?? ['input.identity.spiffe_id']).flatMap((id) => [
    `names contains data.agents[${id}].tenant`,
    `names contains split(${id}, "/")[4] if data.agents[${id}]`,
  ]);
}

/** The reference `tenant[name]` is a look-up by key: the rules of other tenants are not evaluated. */
function dispatch(boundary: string): string {
  const rules = [
    ['What the tenant refuses', 'deny'],
    ['What the tenant wants a person to be asked', 'require_approval'],
    ['What the tenant obliges the caller to', 'oblige'],
  ].map(
    ([title, name]) => `
# METADATA
# title: ${title}
${name} contains element if {
	some name in names
	some element in data.platform.${boundary}.tenant[name].${name}
}
`,
  );
  return `# METADATA
# title: Tenants' own policies, ${boundary}
# description: >-
#   Generated when policies are built. An agent's tenant is the one in its entry in the data bundle and
#   the one in its SPIFFE ID, never one that it states beside it.
# custom:
#   controls: ["NIST:AC-3"]
package platform.${boundary}.tenants

# METADATA
# title: Tenants whose policies count
# scope: document
${namesOf(boundary).join('\n\n')}
${rules.join('')}`;
}
