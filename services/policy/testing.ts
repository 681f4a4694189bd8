// A policy service on real bundles and a real port, for the tests of this folder.
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  type BuiltBundle,
  buildDataBundle,
  buildPolicyBundle,
} from '../../runtime/bundle/build.ts';
import { compilePolicies } from '../../runtime/bundle/compile.ts';
import { POLICIES, samplePolicies } from '../../runtime/bundle/testing.ts';
import type { JsonObject } from '../../runtime/json.ts';
import { sampleData } from '../../runtime/testing/sample-data.ts';
import { createHttpServer, type HttpServer } from '../common/http/port.ts';
import { createPolicyService, type PolicyService, type PolicyServiceConfig } from './service.ts';

export const capabilities = JSON.parse(
  readFileSync(join(POLICIES, 'capabilities.json'), 'utf8'),
) as JsonObject;

/** The repository's policies, with an operator's file for the boundary `tool` where one is given. */
export async function policyBundle(operator?: string): Promise<BuiltBundle> {
  if (operator === undefined) return buildPolicyBundle(await samplePolicies());
  const folder = mkdtempSync(join(tmpdir(), 'policy-service-'));
  mkdirSync(join(folder, 'own'));
  writeFileSync(join(folder, 'own', 'own.rego'), operator);
  try {
    return buildPolicyBundle(await compilePolicies([POLICIES, join(folder, 'own')]));
  } finally {
    rmSync(folder, { recursive: true });
  }
}

export function dataBundle(data: JsonObject = sampleData(20)): BuiltBundle {
  return buildDataBundle(data);
}

export interface TestService extends PolicyService {
  url: string;
  server: HttpServer;
  stop(): Promise<void>;
}

/** Serves on a free port; without `bundles`, nothing is in force yet. */
export async function startService(
  bundles: { policy?: BuiltBundle; data?: BuiltBundle } = {},
  config: Partial<PolicyServiceConfig> = {},
): Promise<TestService> {
  const service = createPolicyService({ bundles: ['policy', 'data'], capabilities, ...config });
  const { engine, routes } = service;
  if (bundles.data) service.bundles.activated('data', await engine.takeData(bundles.data.files));
  if (bundles.policy) {
    service.bundles.activated('policy', await engine.takePolicy(bundles.policy.files));
  }
  const server = createHttpServer({ routes });
  await server.listen({ host: '127.0.0.1', port: 0 });
  const address = server.address() as { port: number };
  const stop = async () => {
    await server.close(200);
    await service.close();
  };
  return { ...service, url: `http://127.0.0.1:${address.port}`, server, stop };
}
