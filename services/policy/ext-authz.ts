// Which peer may reach which service, decided for an Envoy that asks: the mesh filter's answer, with its id.
import { randomBytes, randomUUID } from 'node:crypto';
import { DECISION_TAG, failure } from '../../runtime/decide/decide.ts';
import { codeOf, type ErrorCode } from '../../runtime/errors.ts';
import type { JsonObject } from '../../runtime/json.ts';
import { decideMesh } from '../../runtime/mesh/connect.ts';
import { problemOf } from '../common/problem.ts';
import type { PolicyEngine } from './engine.ts';
import { judgeHeaders, type RawHeader } from './ext-authz-headers.ts';
import type { Parts } from './parts.ts';

export interface CheckConfig {
  engine: PolicyEngine;
  modules: Parts['modules'];
  /** Whose peers may connect. */
  trustDomain: string;
  clock?: () => Date;
}

/** What Envoy says of a request. */
export interface Asked {
  /** The first URI name of the peer's certificate; empty where there is none. */
  principal: string;
  /** The service behind the proxy, by the proxy's own configuration. */
  service: string;
  /** Each as it came; undefined where the proxy does not say them so, which is denied. */
  headers: readonly RawHeader[] | undefined;
}

/** What Envoy is to do with it. */
export interface Checked {
  allow: boolean;
  /** Headers of the request that are set to one value. */
  set: Record<string, string>;
  /** Headers of the request that are removed; none of those that are set. */
  remove: string[];
  /** For the access log: the decision's id, its rule and reason, and what it can be computed from. */
  facts: Record<string, string>;
  /** The problem document (RFC 9457) of a denial. */
  problem?: string;
}

interface Judgement {
  allow: boolean;
  id: string;
  rule: string;
  reason: { code: string; message: string };
}

/** The function that decides one request; it throws only where the machine fails. */
export function createCheck(config: CheckConfig): (asked: Asked) => Checked {
  const { engine, trustDomain, clock = () => new Date() } = config;
  return ({ principal, service, headers }) => {
    const peer = readPeer(config, principal);
    const judged = judgeHeaders(headers ?? [], {
      isService: /^spiffe:\/\/[^/]+\/service\/[^/]+$/.test(peer.spiffeId),
      isAgentId: (id) => isAgentId(config, id),
    });
    const requestId = judged.requestId ?? randomUUID();
    const time = judged.time ?? clock().toISOString();
    const facts = { spiffeId: peer.spiffeId, trustDomain, service, requestId, time };
    const refusal =
      engine.current() === undefined
        ? 'bundle_missing'
        : (peer.refusal ??
          (headers !== undefined && judged.isSound ? undefined : 'request_malformed'));
    const judgement = refusal === undefined ? decideMesh(engine.decider, facts) : undefined;
    const { allow, id, rule, reason } = judgement ?? refuse(config, facts, refusal!);
    const checked = {
      allow,
      remove: judged.remove.filter((name) => !SET.includes(name)),
      facts: {
        ...{ decision_id: id, rule, reason: reason.code, spiffe_id: peer.spiffeId },
        ...{ service, request_id: requestId, time },
      },
    };
    if (!allow) {
      return { ...checked, set: {}, problem: problemText(refusal, reason, id, requestId) };
    }
    const values = [peer.spiffeId, requestId, time, judged.salt ?? newSalt(), id];
    return { ...checked, set: Object.fromEntries(SET.map((name, at) => [name, values[at]!])) };
  };
}

/** The headers that an allowed request gets, in the order of their values above. */
const SET = [
  'x-platform-spiffe-id',
  'x-platform-request-id',
  'x-platform-time',
  'x-platform-salt',
  'x-platform-mesh-decision',
];

const newSalt = () => randomBytes(32).toString('hex');

/** The peer's SPIFFE ID, or the code of what is wrong with it. */
function readPeer(
  { modules, trustDomain }: CheckConfig,
  principal: string,
): { spiffeId: string; refusal?: string } {
  if (principal === '') return { spiffeId: '', refusal: 'svid_missing' };
  try {
    const parsed = modules.scope.parse(principal);
    if (parsed.trustDomain === trustDomain) return { spiffeId: principal };
    return { spiffeId: '', refusal: 'svid_foreign' };
  } catch (error) {
    return { spiffeId: '', refusal: codeOf(error) };
  }
}

function isAgentId({ modules, trustDomain }: CheckConfig, id: string): boolean {
  try {
    const parsed = modules.scope.parse(id);
    const { path } = parsed;
    return parsed.trustDomain === trustDomain && path[0] === 'agent' && path.length === 4;
  } catch {
    return false;
  }
}

/** A denial that the policy was not asked for, under the id that every host gives it. */
function refuse(
  { engine, modules, trustDomain }: CheckConfig,
  facts: { spiffeId: string; service: string; requestId: string; time: string },
  code: string,
): Judgement {
  const { spiffeId, service, requestId, time } = facts;
  const [, , , kind, tenant = '', agent = '', role = '', ...more] = spiffeId.split('/');
  const isAgent = kind === 'agent' && role !== '' && more.length === 0;
  const named = isAgent ? { tenant, agent, role } : { tenant: '', agent: '', role: '' };
  const input: JsonObject = {
    action: 'connect',
    context: { request_id: requestId, time },
    identity: { spiffe_id: spiffeId, trust_domain: trustDomain, ...named },
    resource: { kind: 'service', name: service },
  };
  const pair = engine.current();
  const id = modules.record.framedHex([
    ...[DECISION_TAG, 'mesh', 'authorization'],
    ...[pair?.policy.revision ?? '', pair?.data.revision ?? ''],
    ...[modules.record.canonicalizeValue(input), failure(code)],
  ]);
  const [, message] = problemOf(code as ErrorCode);
  return { allow: false, id, rule: 'authorization', reason: { code, message } };
}

/** The same bytes as the filter's (wasm/filter/refuse.ts). */
function problemText(
  refusal: string | undefined,
  reason: Judgement['reason'],
  decisionId: string,
  requestId: string,
): string {
  const code = refusal ?? 'denied';
  const [, title] = problemOf(code as ErrorCode);
  return JSON.stringify({
    ...{ type: `tag:platform.io,2026:errors/${code}`, title, status: 403, code },
    ...{ detail: reason.message, reason, decision_id: decisionId, request_id: requestId },
  });
}
