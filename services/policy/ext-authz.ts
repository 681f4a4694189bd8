// Which peer may reach which service, decided for an Envoy that asks: the mesh filter's answer, with its id.
import { randomBytes, randomUUID } from 'node:crypto';
import { DECISION_TAG, failure } from '../../runtime/decide/decide.ts';
import { codeOf, type ErrorCode } from '../../runtime/errors.ts';
import { type MeshFacts, meshInput } from '../../runtime/mesh/facts.ts';
import { BODY_BYTES_MAX } from '../../runtime/mesh/message.ts';
import { decideRequest } from '../../runtime/mesh/request.ts';
import type { HeaderPairs } from '../../runtime/proxywasm/filter.ts';
import { problemOf } from '../common/problem.ts';
import type { PolicyEngine } from './engine.ts';
import { judgeHeaders } from './ext-authz-headers.ts';
import type { Parts } from './parts.ts';

export interface CheckConfig {
  engine: Pick<PolicyEngine, 'current' | 'decider'>;
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
  method: string;
  /** Path and query. */
  target: string;
  /** Each as it came; undefined where the proxy does not say them so, which is denied. */
  headers: HeaderPairs | undefined;
  /** Undefined where the proxy sends none, and `partial` where there is more than it sends. */
  body: Uint8Array | 'partial' | undefined;
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
  ids: string[];
  rule: string;
  reason: { code: string; message: string };
  /** What the body says, where it was read. */
  named: { method?: string; tool?: string };
}

/** The function that decides one request; it throws only where the machine fails. */
export function createCheck(config: CheckConfig): (asked: Asked) => Checked {
  const { engine, trustDomain, clock = () => new Date() } = config;
  return (asked) => {
    const peer = readPeer(config, asked.principal);
    const judged = judgeHeaders(asked.headers ?? [], {
      isService: /^spiffe:\/\/[^/]+\/service\/[^/]+$/.test(peer.spiffeId),
      isAgentId: (id) => isAgentId(config, id),
    });
    const requestId = judged.requestId ?? randomUUID();
    const time = judged.time ?? clock().toISOString();
    const salt = judged.salt ?? randomBytes(32).toString('hex');
    const { spiffeId } = peer;
    const facts = { spiffeId, trustDomain, service: asked.service, requestId, time };
    const isSound = asked.headers !== undefined && judged.isSound;
    const refusal =
      engine.current() === undefined
        ? 'bundle_missing'
        : (peer.refusal ?? (isSound ? undefined : 'request_malformed'));
    const judgement =
      refusal === undefined ? decide(config, facts, salt, asked) : refuse(config, facts, refusal);
    const { allow, ids, rule, reason, named } = judgement;
    const id = ids.at(-1)!;
    const values = [spiffeId, requestId, time, salt, id];
    return {
      allow,
      set: allow ? Object.fromEntries(SET.map((name, at) => [name, values[at]!])) : {},
      remove: judged.remove.filter((name) => !SET.includes(name)),
      facts: {
        ...{ decision_id: id, decision_ids: ids.join(','), rule, reason: reason.code },
        ...{ spiffe_id: spiffeId, service: asked.service, request_id: requestId, time, ...named },
      },
      problem: allow ? undefined : problemText(refusal, reason, id, requestId),
    };
  };
}

/** More than is read of any body. */
const TOO_LARGE = new Uint8Array(BODY_BYTES_MAX + 1);

/** Asks the policy, about the body too where it says so; a body that is not here is not judged. */
function decide(
  { engine, modules }: CheckConfig,
  facts: MeshFacts,
  salt: string,
  { method, target, headers, body }: Asked,
): Judgement {
  const { decisions, settled, allow, reason, message } = decideRequest(
    { decider: engine.decider, record: modules.record },
    { ...facts, salt: Buffer.from(salt, 'hex') },
    {
      ...{ method, target, headers: headers! },
      body: body === undefined || body === 'partial' ? TOO_LARGE : body,
    },
  );
  const { method: called, tool } = (message?.facts ?? {}) as { method?: string; tool?: string };
  return {
    ...{ allow, ids: decisions.map(({ id }) => id), rule: settled.rule, reason },
    named: { ...(called && { method: called }), ...(tool && { tool }) },
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
function refuse({ engine, modules }: CheckConfig, facts: MeshFacts, code: string): Judgement {
  const pair = engine.current();
  const id = modules.record.framedHex([
    ...[DECISION_TAG, 'mesh', 'authorization'],
    ...[pair?.policy.revision ?? '', pair?.data.revision ?? ''],
    ...[modules.record.canonicalizeValue(meshInput(facts, 'connect')), failure(code)],
  ]);
  const [, message] = problemOf(code as ErrorCode);
  return { allow: false, ids: [id], rule: 'authorization', reason: { code, message }, named: {} };
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
