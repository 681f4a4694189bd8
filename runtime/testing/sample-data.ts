// A data bundle of made-up agents: the same for benchmarks, parity and decision tests.
import type { JsonObject } from '../json.ts';

export const SAMPLE_TRUST_DOMAIN = 'platform.local';
/** The platform's own service that calls others of its services. */
export const SAMPLE_GATEWAY = `spiffe://${SAMPLE_TRUST_DOMAIN}/service/gateway`;
export const SAMPLE_OPERATOR = `spiffe://${SAMPLE_TRUST_DOMAIN}/operator/local`;
/** Another person, who may say yes to what the operator does. */
export const SAMPLE_APPROVER = `spiffe://${SAMPLE_TRUST_DOMAIN}/operator/second`;
const SERVICES = ['orders', 'mail', 'files', 'calendar', 'payments', 'search', 'chat', 'code'];

/** Limits of a grant, as an operator writes them. */
const SAMPLE_LIMITS: JsonObject = {
  max_bytes: 4096,
  redact: ['/customer/email'],
  rate: { limit: 40, window_seconds: 3600 },
  budget: { currency: 'EUR', limit: 1500 },
};

/** SPIFFE ID of the sample agent with that number. */
export function sampleAgent(number: number): string {
  return `spiffe://${SAMPLE_TRUST_DOMAIN}/agent/tenant-${number % 20}/agent-${number}/main`;
}

/** The service of the sample catalog with that number; agents are granted services by number too. */
export function sampleService(number: number): string {
  return SERVICES[number % SERVICES.length]!;
}

/** The scope of all agents of the sample tenant with that number. */
export function sampleTenantScope(number: number): string {
  return `spiffe://${SAMPLE_TRUST_DOMAIN}/agent/tenant-${number % 20}/*`;
}

/**
 * `data.json` with `agents` agents. Agent n may read and write service n, only read service n + 1,
 * and of service n + 2 may use one tool; it may use every credential bound to service n, and of
 * service n + 1 the one named `key`. Every fourth agent may reach the gateway only;
 * every third may register tools of service n; every sixth has limits on service n + 2;
 * every fifth may write secrets of its whole tenant and of its other roles, every seventh only read.
 * Agent n may exchange its identity for service n and, where its tenant's scope does not refuse it,
 * for reading service n + 1. Agents of a tenant with an even number may all talk to each other, those
 * of another to the next of theirs; agents n and n + 1 name each other where n is divisible by four,
 * and every ninth never talks to the next of its tenant. Every agent may run Python, every second one
 * with a package and a variable; agent n may open the pages of service n's host, of example.org's
 * hosts their `/docs`, and none of `admin.example.org`.
 */
export function sampleData(agents: number): JsonObject {
  const entries: JsonObject = {};
  for (let number = 0; number < agents; number++) {
    entries[sampleAgent(number)] = {
      tenant: `tenant-${number % 20}`,
      agent: `agent-${number}`,
      role: 'main',
      resources: {
        [sampleService(number)]: { actions: { read: true, write: true } },
        [sampleService(number + 1)]: { actions: { read: true } },
        [sampleService(number + 2)]: {
          actions: { read: true, write: true },
          tools: { [`${sampleService(number + 2)}_get`]: true },
          ...(number % 6 === 5 ? { limits: SAMPLE_LIMITS } : {}),
        },
        ...(number % 3 === 0
          ? { catalog: { actions: { write: true }, services: { [sampleService(number)]: true } } }
          : {}),
      },
      credentials: {
        [sampleService(number)]: true,
        [sampleService(number + 1)]: { key: true },
      },
      exchange: { [sampleService(number)]: true },
      peers: peersOf(number),
      sandbox: {
        languages: { python: true, bash: number % 3 === 0 },
        timeout_seconds: 20,
        ...(number % 2 === 0 ? { packages: { numpy: true }, env_vars: { REGION: true } } : {}),
      },
      browse: {
        hosts: {
          [`${sampleService(number)}.example.com`]: true,
          '*.example.org': { paths: { '/docs': true } },
          'admin.example.org': false,
        },
        actions: { click: true, screenshot: true },
      },
      ...(number % 4 === 3 ? { services: { gateway: true } } : {}),
      ...(number % 3 === 1 ? { scan: { scanners: { PII: 'warn', Toxicity: 'warn' } } } : {}),
      ...(number % 5 === 0 ? { secrets: { tenant_write: true, role_write: true } } : {}),
      ...(number % 7 === 6 ? { secrets: { actions: { read: true } } } : {}),
    };
  }
  const scopes: JsonObject = {};
  for (let tenant = 0; tenant < 20; tenant++) scopes[sampleTenantScope(tenant)] = scopeOf(tenant);
  return {
    agents: entries,
    scopes,
    tenants: {},
    operators: {
      [SAMPLE_OPERATOR]: {
        actions: { view: true, approve: true, operate: true },
        deploy: { development: true, staging: true, production: productionTenants() },
      },
      [SAMPLE_APPROVER]: { actions: { approve: true } },
    },
    services: {
      gateway: { agents: true, callers: {} },
      vault: {
        agents: true,
        callers: { [SAMPLE_GATEWAY]: true },
        delegates: { [SAMPLE_GATEWAY]: true },
      },
      guard: { agents: true, callers: { [SAMPLE_GATEWAY]: true } },
    },
    tools: {},
    limits: { agent_minute: 120, tenant_minute: 600 },
  };
}

function peersOf(number: number): JsonObject {
  const across = number % 4 === 0 ? { [sampleAgent(number + 1)]: true } : {};
  const back = number % 4 === 1 ? { [sampleAgent(number - 1)]: true } : {};
  const within = number % 2 === 1;
  return {
    send: { ...across, ...(within ? { [sampleAgent(number + 20)]: true } : {}) },
    receive: { ...back, ...(within && number >= 20 ? { [sampleAgent(number - 20)]: true } : {}) },
    ...(number % 9 === 0 ? { never: { [sampleAgent(number + 20)]: true } } : {}),
  };
}

function scopeOf(tenant: number): JsonObject {
  const exchange: JsonObject = {};
  for (const service of SERVICES) exchange[service] = { actions: { read: true } };
  if (tenant % 2 === 0) exchange.payments = { actions: { write: false } };
  const everybody = { [sampleTenantScope(tenant)]: true };
  return {
    exchange,
    ...(tenant % 4 === 1 ? { scan: { scanners: { PII: 'block', Secrets: 'block' } } } : {}),
    ...(tenant % 2 === 0 ? { peers: { send: everybody, receive: everybody } } : {}),
  };
}

function productionTenants(): JsonObject {
  const tenants: JsonObject = {};
  for (let tenant = 0; tenant < 20; tenant += 2) tenants[`tenant-${tenant}`] = true;
  return tenants;
}
