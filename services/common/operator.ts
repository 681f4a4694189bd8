// The operator's gate: every request of the control socket and the local page is decided and evidenced.
import { randomBytes, randomUUID } from 'node:crypto';
import type { Decider } from '../../runtime/decide/decide.ts';
import type { Decision } from '../../runtime/decide/decision.ts';
import { codeOf, PlatformError } from '../../runtime/errors.ts';
import type { EvidenceLog } from '../../runtime/evidence/log.ts';
import type { EvidenceDraft } from '../../runtime/evidence/row.ts';
import { operatorSpiffeId } from '../../runtime/identity/spiffe-id.ts';
import type { JsonObject } from '../../runtime/json.ts';
import { jsonResponse } from './http/json.ts';
import type { HttpResponse } from './http/port.ts';
import { problemResponse } from './problem.ts';

export interface OperatorGateConfig {
  decider: Decider;
  evidence: Pick<EvidenceLog, 'append'>;
  trustDomain: string;
  clock?: () => Date;
}

/** Decides at the boundary `console` in the name of this machine's operator. */
export interface OperatorGate {
  /** Reads something; leaves one row. `name` says what, e.g. `status`. */
  view(name: string, read: () => Promise<JsonObject>): Promise<HttpResponse>;
  /** Changes something: its intent is durable before `effect` runs, its outcome before the answer. */
  operate(name: string, subject: JsonObject, effect: () => Promise<Effect>): Promise<HttpResponse>;
}

/** What a change answers, and what its outcome row says of it. */
export interface Effect {
  status: number;
  body: JsonObject;
  detail?: JsonObject;
}

/** Creates the gate; its answers carry the decision's id in `x-platform-decision-id`. */
export function createOperatorGate(config: OperatorGateConfig): OperatorGate {
  const clock = config.clock ?? (() => new Date());

  function begin(action: 'view' | 'operate', name: string, subject: JsonObject): Begun {
    const time = clock().toISOString();
    const request = randomUUID();
    const spiffe_id = operatorSpiffeId(config.trustDomain);
    const identity = {
      ...{ spiffe_id, trust_domain: config.trustDomain },
      ...{ tenant: '', agent: '', role: '' },
    };
    const decision = config.decider.decide({
      boundary: 'console',
      module: 'authorization',
      salt: randomBytes(32),
      input: {
        action,
        identity,
        resource: { kind: 'console', name },
        counters: { agent_minute: 1, tenant_minute: 1 },
        context: { time, request_id: request },
      },
    });
    const draft = {
      ...{ action: randomUUID(), request, time, spiffe_id, boundary: 'console' },
      subject: { console: name, action, ...subject },
      decisions: [decision],
      controls: decision.controls,
    };
    return { decision, draft, request };
  }

  async function refuse({ decision, draft, request }: Begun): Promise<HttpResponse> {
    await config.evidence.append({ ...draft, kind: 'denial', reason: decision.reason });
    const error = new PlatformError('denied', decision.reason.message);
    const reason = { ...decision.reason };
    return problemResponse(error, { reason, decision_id: decision.id, request_id: request });
  }

  return {
    async view(name, read) {
      const begun = begin('view', name, {});
      if (!begun.decision.allow) return refuse(begun);
      await config.evidence.append({ ...begun.draft, kind: 'event' });
      return jsonResponse(200, await read(), decisionHeader(begun));
    },
    async operate(name, subject, effect) {
      const begun = begin('operate', name, subject);
      if (!begun.decision.allow) return refuse(begun);
      await config.evidence.append({ ...begun.draft, kind: 'intent' });
      const outcome = { ...begun.draft, decisions: [], kind: 'outcome' as const };
      let done: Effect;
      try {
        done = await effect();
      } catch (error) {
        const reason = { code: codeOf(error), message: 'the change was not made' };
        const time = clock().toISOString();
        await config.evidence.append({ ...outcome, time, outcome: 'error', reason });
        throw error;
      }
      // Outside: a row that cannot be written says nothing of a change that was made; the intent stays open.
      const { status, body, detail } = done;
      const time = clock().toISOString();
      await config.evidence.append({ ...outcome, time, outcome: 'ok', detail });
      return jsonResponse(status, body, decisionHeader(begun));
    },
  };
}

interface Begun {
  decision: Decision;
  draft: Omit<EvidenceDraft, 'kind'>;
  request: string;
}

function decisionHeader({ decision, request }: Begun): Record<string, string> {
  return { 'x-platform-decision-id': decision.id, 'x-platform-request-id': request };
}
