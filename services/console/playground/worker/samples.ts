// An input to begin with at each boundary, made of the data in force, so that it means somebody who is there.
import type { Boundary } from '../../../../runtime/decide/boundary.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../../../../runtime/json.ts';

/** Who asks, and for what. */
interface Cast {
  identity: JsonObject;
  /** Another agent, who is spoken to. */
  peer: JsonObject;
  operator: JsonObject;
  /** A service that the agent was granted, and a tool of it. */
  service: string;
  tool: string;
  /** A host whose pages the agent may open. */
  host: string;
}

const counters = { agent_minute: 1, tenant_minute: 1 };

/** A sensible input of a boundary; an agent of the data where there is one. */
export function sampleOf(boundary: Boundary, data: JsonObject): JsonObject {
  const context = { time: new Date().toISOString(), request_id: 'playground' };
  return { ...samples[boundary](castOf(data)), context };
}

const samples: Record<Boundary, (cast: Cast) => JsonObject> = {
  tool: ({ identity, service, tool }) => ({
    action: 'call',
    identity,
    resource: { kind: 'tool', name: tool, service, action: 'read', source: 'schema', tags: [] },
    arguments: { order_id: 'A-1001' },
    counters: { ...counters, calls: { agent: windows, tenant: windows } },
  }),
  registration: ({ identity, service }) => ({
    action: 'register',
    identity,
    resource: {
      ...{ kind: 'catalog', service, source: 'openapi', tools: 3 },
      origin: `https://${service}.example.com`,
    },
    counters,
  }),
  credential: ({ identity, operator, service }) => ({
    action: 'use',
    identity,
    resource: {
      ...{ kind: 'credential', name: 'key', service, origin: `https://${service}.example.com` },
      registered_by: operator.spiffe_id!,
    },
    counters,
  }),
  exchange: ({ identity, service }) => ({
    spiffe_id: identity.spiffe_id!,
    service,
    tenant: identity.tenant!,
    action: 'read',
  }),
  console: ({ operator }) => ({
    action: 'view',
    identity: operator,
    resource: { kind: 'console', name: 'status' },
    counters,
  }),
  mesh: ({ identity }) => ({
    action: 'connect',
    identity,
    resource: { kind: 'service', name: 'gateway' },
  }),
  secret: ({ identity }) => ({
    action: 'read',
    identity,
    resource: { kind: 'secret', key: 'api-key', scope: String(identity.spiffe_id) },
    counters,
  }),
  message: ({ identity, peer }) => {
    const { spiffe_id, tenant, agent, role } = peer;
    const target = { spiffe_id: spiffe_id!, tenant: tenant!, agent: agent!, role: role! };
    return { action: 'send', identity, target, counters };
  },
  sandbox: ({ identity }) => ({
    action: 'exec',
    identity,
    resource: {
      ...{ kind: 'sandbox', language: 'python', timeout_seconds: 10, memory_mb: 256 },
      ...{ packages: [], env_vars: [], network: false },
    },
    counters,
  }),
  browse: ({ identity, host }) => ({
    action: 'browse',
    identity,
    resource: {
      ...{ kind: 'url', scheme: 'https', host, port: 443, path: '/' },
      userinfo: false,
    },
    actions: ['screenshot'],
    counters,
  }),
  deploy: ({ identity, operator }) => ({
    action: 'deploy',
    identity: operator,
    resource: {
      ...{ kind: 'agent', tenant: identity.tenant!, agent: identity.agent! },
      target: 'development',
    },
    image: {
      ...{ digest: `sha256:${'a'.repeat(64)}`, signature_verified: true },
      sbom_digest: `sha256:${'b'.repeat(64)}`,
      scan: { level: 'standard', critical: 0, high: 0 },
    },
    approval: {},
  }),
  scan: ({ identity }) => ({
    action: 'scan',
    identity,
    resource: {
      ...{ kind: 'text', direction: 'input', source: 'user', bytes: 42 },
      scanners: ['PII', 'Secrets'],
    },
    findings: [{ scanner: 'PII', kind: 'email', score: 1000, count: 1 }],
    truncated: false,
    enforcement: 'block',
    guard_decision: '0'.repeat(64),
  }),
};

const windows = { minute: 1, hour: 1, day: 1 };

function castOf(data: JsonObject): Cast {
  const agents = Object.entries(objectOf(data.agents));
  const trustDomain = agents[0]?.[0].split('/')[2] ?? 'platform.local';
  const made = `spiffe://${trustDomain}/agent/acme/assistant/main`;
  const [spiffeId, entry] = agents.find(([, each]) => servicesOf(each).length > 0) ?? [made, {}];
  const known = objectOf(entry);
  const [peerId = spiffeId] = Object.keys(objectOf(objectOf(known.peers).send));
  const [operator = `spiffe://${trustDomain}/operator/local`] = Object.keys(
    objectOf(data.operators),
  );
  const [service = 'orders'] = servicesOf(entry);
  const [tool = `${service}_get`] = Object.keys(
    objectOf(objectOf(objectOf(known.resources)[service]).tools),
  );
  const hosts = Object.entries(objectOf(objectOf(known.browse).hosts))
    .filter(([name, grant]) => !name.includes('*') && grant !== false)
    .map(([name]) => name);
  return {
    ...{ service, tool, host: hosts[0] ?? 'www.example.com' },
    identity: identityOf(spiffeId, known),
    peer: identityOf(peerId, objectOf(objectOf(data.agents)[peerId])),
    operator: {
      ...{ spiffe_id: operator, trust_domain: trustDomain },
      ...{ tenant: '', agent: '', role: '' },
    },
  };
}

/** The services that an agent was granted, those first of which it may do everything. */
function servicesOf(entry: JsonValue): string[] {
  const granted = Object.entries(objectOf(objectOf(entry).resources));
  const services = granted.filter(([name]) => name !== 'catalog');
  const actions = (grant: JsonValue) => Object.keys(objectOf(objectOf(grant).actions)).length;
  return services
    .sort(([, one], [, other]) => actions(other) - actions(one))
    .map(([service]) => service);
}

function identityOf(spiffeId: string, entry: JsonObject): JsonObject {
  const [, , trustDomain = '', , tenant = '', agent = '', role = 'main'] = spiffeId.split('/');
  return {
    spiffe_id: spiffeId,
    trust_domain: trustDomain,
    tenant: typeof entry.tenant === 'string' ? entry.tenant : tenant,
    agent: typeof entry.agent === 'string' ? entry.agent : agent,
    role: typeof entry.role === 'string' ? entry.role : role,
  };
}

function objectOf(value: JsonValue | undefined): JsonObject {
  return isJsonObject(value) ? value : {};
}
