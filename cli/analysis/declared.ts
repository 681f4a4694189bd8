// Checks the facts that a parser found in an agent's source, the same for every language.
import { PlatformError } from '../../runtime/errors.ts';
import { defaultRole } from '../../runtime/identity/spiffe-id.ts';
import type { JsonObject, JsonValue } from '../../runtime/json.ts';
import type { AgentSource } from './agent-source.ts';

/** Keeps well-formed facts; a declared list that holds anything but text is an error, not skipped. */
export function declaredFacts(
  file: string,
  found: JsonObject,
): Pick<AgentSource, 'name' | 'tenant' | 'resources' | 'roles' | 'subprocessSupport'> {
  // Only an agent that says so has child processes with identities of their own.
  const supports = found.subprocess_support === true || found.subprocessSupport === true;
  const roles = supports ? textList(file, 'roles', found.markers) : [];
  return {
    ...(typeof found.name === 'string' ? { name: found.name } : {}),
    ...(typeof found.tenant === 'string' ? { tenant: found.tenant } : {}),
    resources: textList(file, 'resources', found.resources),
    roles: [...new Set(roles)].filter((role) => role !== defaultRole),
    subprocessSupport: supports,
  };
}

function textList(file: string, field: string, value: JsonValue | undefined): string[] {
  if (value === undefined || value === null) return [];
  if (Array.isArray(value) && value.every((each) => typeof each === 'string')) return value;
  throw new PlatformError('configuration_invalid', `${file}: ${field} is not a list of text`);
}
