// What parity asks of a host: decision requests in, answers with ids out, computed by the host itself.
import type { JWK } from 'jose';
import type { SampleRequest } from '../../runtime/testing/sample-requests.ts';
import type { Fault } from './faults.ts';

/** The hosts that are compared; Node's answers are what the others are held to. */
export const HOSTS = ['node', 'python', 'envoy', 'chromium', 'cli'] as const;
export type HostName = (typeof HOSTS)[number];

/** The answer of a host to one request. */
export interface Answer {
  id: string;
  allow: boolean;
  rule?: string;
  reason?: { code?: string };
  /** Node only: what it says to a caller that honours no obligation, as every other host is asked. */
  plain?: { allow: boolean; rule?: string; code?: string };
  /** Node only: the id of the same input given as a value, where it is another one. */
  valueId?: string;
}

/** Requests as every host reads them: a line of JSON each. */
export interface Batch {
  /** How many requests came before these. */
  start: number;
  requests: readonly SampleRequest[];
  lines: readonly string[];
}

/** A module that no bundle brings. */
export type BuiltModule = 'record' | 'scope' | 'arguments' | 'guard';

/** A host that is running. */
export interface ParityHost {
  /** The answers in the order of the lines; rejects when the host fails or does not answer each. */
  decide(lines: readonly string[]): Promise<Answer[]>;
  close(): Promise<void>;
}

/** What a host is started with: a signed pair of bundles on disk, and perhaps a fault. */
export interface HostSetup {
  /** Holds `policy` and `data`, and the public key as `bundle.jwk.pub`. */
  folder: string;
  trusted: readonly JWK[];
  /** The modules in place of those of this checkout; taken by Envoy and Chromium. */
  modules?: Readonly<Record<BuiltModule, Uint8Array>>;
  fault?: Fault;
}

export type StartHost = (setup: HostSetup) => Promise<ParityHost>;

/** One request as a line: `{"boundary","module","input","salt","schema"?}`, bytes in base64, the salt in hex. */
export function toLine(request: SampleRequest): string {
  return JSON.stringify({
    boundary: request.boundary,
    module: request.module,
    input: Buffer.from(request.input).toString('base64'),
    salt: Buffer.from(request.salt).toString('hex'),
    ...(request.schema && { schema: Buffer.from(request.schema).toString('base64') }),
  });
}
