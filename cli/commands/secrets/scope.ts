// Which secret is meant: the scope that the options name, or the only one that has the key.
import { PlatformError } from '../../../runtime/errors.ts';
import { requireSegment } from '../../../runtime/identity/spiffe-id.ts';
import type { JsonObject } from '../../../runtime/json.ts';
import { UsageError } from '../../options.ts';
import type { SecretsRequest } from './request.ts';

/** The scope that the options name, if they do; the trust domain is the running platform's. */
export async function namedScope({ control, values }: SecretsRequest): Promise<string | undefined> {
  const { agent, tenant, scope } = values;
  if ([agent, tenant, scope].filter((value) => value !== undefined).length > 1) {
    throw new UsageError('give one of --agent, --tenant and --scope');
  }
  if (scope !== undefined) return scope;
  const path = agent === undefined ? tenant && tenantPath(tenant) : agentPath(agent);
  if (path === undefined) return undefined;
  const { trust_domain } = await control.call('GET', '/api/v1/status');
  return `spiffe://${trust_domain}/agent/${path}`;
}

function tenantPath(tenant: string): string {
  return `${segment('tenant', tenant)}/*`;
}

function agentPath(text: string): string {
  const [tenant = '', agent = '', role, ...rest] = text.split('/');
  if (rest.length > 0) throw new UsageError('--agent is tenant/agent or tenant/agent/role');
  const path = `${segment('tenant', tenant)}/${segment('agent', agent)}`;
  return `${path}/${role === undefined ? '*' : segment('role', role)}`;
}

function segment(part: string, text: string): string {
  try {
    requireSegment(part, text);
    return text;
  } catch (error) {
    throw new UsageError((error as Error).message);
  }
}

/**
 * The scope of the secret that is meant. Without one in the options it is looked for by its key;
 * throws a UsageError when several scopes have it, and `secret_denied` when none has.
 */
export async function scopeOf(request: SecretsRequest): Promise<string> {
  const named = await namedScope(request);
  if (named !== undefined) return named;
  const { key } = request;
  const scopes: string[] = [];
  for await (const entry of listed(request, { prefix: key })) {
    // They come in the order of their keys, and the key itself is the first with this beginning.
    if (entry.key !== key) break;
    scopes.push(String(entry.scope));
  }
  const [only] = scopes;
  if (only === undefined) {
    throw new PlatformError('secret_denied', `there is no secret ${key}`, {
      hint: 'a deleted or expired one is found only with its scope, such as --agent tenant/agent',
    });
  }
  if (scopes.length === 1) return only;
  throw new UsageError(`say which with --scope; ${key} is in ${scopes.join(' and ')}`);
}

/** Secrets of the vault, without values, one page at a time. */
export async function* listed(
  { control }: SecretsRequest,
  query: { prefix?: string; scope?: string },
): AsyncGenerator<JsonObject> {
  let after: string | undefined;
  do {
    const wanted = { ...query, limit: '500', ...(after === undefined ? {} : { after }) };
    const page = await control.call('GET', `/api/v1/secrets?${new URLSearchParams(wanted)}`);
    yield* page.secrets as JsonObject[];
    after = typeof page.next === 'string' ? page.next : undefined;
  } while (after !== undefined);
}

/** The path of a secret, or of what is to be done with it. */
export function pathOf(key: string, query: Record<string, string> = {}, verb = ''): string {
  const search = new URLSearchParams(query).toString();
  return `/api/v1/secrets/${encodeURIComponent(key)}${verb}${search && `?${search}`}`;
}

/** A whole number that an option names. */
export function count(text: string, name: string): number {
  if (/^\d{1,15}$/.test(text)) return Number(text);
  throw new UsageError(`${name} is a whole number, not "${text}"`);
}
