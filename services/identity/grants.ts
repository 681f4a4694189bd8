// Turns the resources that an agent declares into the grants that policies look up.
import { PlatformError } from '../../runtime/errors.ts';
import { requireSegment } from '../../runtime/identity/spiffe-id.ts';
import type { JsonObject } from '../../runtime/json.ts';

const resourcesMax = 256;
const actions: ReadonlySet<string> = new Set(['read', 'write']);

/** What one identity may do, as the data bundle holds it. */
export interface Grants {
  resources: Record<string, { actions: Record<string, boolean> }>;
  credentials: Record<string, boolean>;
}

/**
 * Reads `service` (every action) and `service:action` entries. A granted service's credential may
 * be used for it. Throws `configuration_invalid` naming the entry that is wrong.
 */
export function grantsOf(resources: readonly string[]): Grants {
  if (resources.length > resourcesMax) {
    throw new PlatformError('configuration_invalid', `more than ${resourcesMax} resources`);
  }
  const grants: Grants = { resources: Object.create(null), credentials: Object.create(null) };
  for (const resource of [...resources].sort()) {
    const [service = '', action, ...rest] = resource.split(':');
    try {
      requireSegment('service', service);
    } catch (cause) {
      throw unreadable(resource, cause);
    }
    if (rest.length > 0 || (action !== undefined && !actions.has(action))) {
      throw unreadable(resource);
    }
    const granted = grants.resources[service] ?? { actions: {} };
    grants.resources[service] = granted;
    for (const each of action === undefined ? actions : [action]) granted.actions[each] = true;
    grants.credentials[service] = true;
  }
  return grants;
}

/** Grants as JSON; two equal ones have equal text. */
export function grantsJson(grants: Grants): JsonObject {
  return JSON.parse(JSON.stringify(grants)) as JsonObject;
}

function unreadable(resource: string, cause?: unknown): PlatformError {
  return new PlatformError('configuration_invalid', `the resource "${resource}" is not readable`, {
    cause,
    hint: 'write a service, or a service and an action: orders, orders:read, orders:write',
  });
}
