// A data bundle of made-up agents: the same for benchmarks, parity and decision tests.
import type { JsonObject } from '../json.ts';

export const SAMPLE_TRUST_DOMAIN = 'platform.local';
/** The platform's own service that calls others of its services. */
export const SAMPLE_GATEWAY = `spiffe://${SAMPLE_TRUST_DOMAIN}/service/gateway`;
export const SAMPLE_OPERATOR = `spiffe://${SAMPLE_TRUST_DOMAIN}/operator/local`;
const SERVICES = ['orders', 'mail', 'files', 'calendar', 'payments', 'search', 'chat', 'code'];

/** SPIFFE ID of the sample agent with that number. */
export function sampleAgent(number: number): string {
  return `spiffe://${SAMPLE_TRUST_DOMAIN}/agent/tenant-${number % 20}/agent-${number}/main`;
}

/** The service of the sample catalog with that number; agents are granted services by number too. */
export function sampleService(number: number): string {
  return SERVICES[number % SERVICES.length]!;
}

/**
 * `data.json` with `agents` agents. Agent n may read and write service n, only read service n + 1,
 * and of service n + 2 may use one tool; it may use every credential bound to service n, and of
 * service n + 1 the one named `key`. Every fourth agent may reach the gateway only;
 * every fifth may write secrets of its whole tenant and of its other roles, every seventh only read.
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
        },
      },
      credentials: {
        [sampleService(number)]: true,
        [sampleService(number + 1)]: { key: true },
      },
      ...(number % 4 === 3 ? { services: { gateway: true } } : {}),
      ...(number % 5 === 0 ? { secrets: { tenant_write: true, role_write: true } } : {}),
      ...(number % 7 === 6 ? { secrets: { actions: { read: true } } } : {}),
    };
  }
  return {
    agents: entries,
    operators: { [SAMPLE_OPERATOR]: { actions: { view: true, approve: true, operate: true } } },
    services: {
      gateway: { agents: true, callers: {} },
      vault: {
        agents: true,
        callers: { [SAMPLE_GATEWAY]: true },
        delegates: { [SAMPLE_GATEWAY]: true },
      },
    },
    tools: {},
    limits: { agent_minute: 120, tenant_minute: 600 },
  };
}
