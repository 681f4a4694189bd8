// The mesh filter of one service under one pair of bundles, for the platform's own inbound proxy.
import type { LoadedPair } from '../bundle/pair.ts';
import { ModuleError } from '../errors.ts';
import type { Filter } from './filter.ts';
import { createFilterHost, type FilterHostConfig } from './host.ts';

export interface MeshFilterConfig extends Pick<FilterHostConfig, 'log' | 'clock' | 'random'> {
  /** The service that stands behind the proxy, such as `vault`. */
  service: string;
  trustDomain: string;
  /** Makes it a decision point: what peers post are decision requests, which the filter answers itself. */
  decide?: boolean;
}

/**
 * The filter that decides who may reach `service`; a swap of bundles needs another one.
 * @throws ModuleError `module_missing` when the policy bundle has no filter, otherwise as
 *   `createFilterHost` does
 */
export function meshFilter(pair: LoadedPair, config: MeshFilterConfig): Filter {
  const { filter } = pair.policy;
  if (filter === undefined) {
    throw new ModuleError('module_missing', 'the policy bundle has no filter', {
      hint: 'build it again with platform policy build',
    });
  }
  const { log, clock, random } = config;
  const configuration = meshFilterConfiguration(pair, config);
  return createFilterHost({ wasm: filter, configuration, log, clock, random });
}

/** The plugin's configuration as JSON: the same for every proxy that runs the filter. */
export function meshFilterConfiguration(
  pair: LoadedPair,
  { service, trustDomain, decide }: Pick<MeshFilterConfig, 'service' | 'trustDomain' | 'decide'>,
): Uint8Array {
  const head = JSON.stringify({
    trust_domain: trustDomain,
    service,
    policy_revision: pair.policy.revision,
    data_revision: pair.data.revision,
    decide,
  });
  // The data's own text, so that the policy reads what was signed.
  return Buffer.concat([
    Buffer.from(`${head.slice(0, -1)},"data":`),
    pair.data.json,
    Buffer.from('}'),
  ]);
}
