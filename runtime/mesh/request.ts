// What becomes of a request: every decision about it, in order, as the mesh filter makes them, with the same ids.
import type { Decider } from '../decide/decide.ts';
import type { Decision, DecisionRequest, Obligation } from '../decide/decision.ts';
import { honouredFor } from '../decide/obligations.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../json.ts';
import type { Record as RecordModule } from '../modules/record.ts';
import { decideMesh } from './connect.ts';
import { type MeshFacts, meshInput } from './facts.ts';
import { type MeshMessage, type MeshProtocol, type MeshRequest, readMessage } from './message.ts';

export interface MeshRequestFacts extends MeshFacts {
  /** 32 bytes: what commits the arguments and the text of a message. */
  salt: Uint8Array;
}

export interface MeshJudgement {
  /** In the order in which they were made; nothing is asked after one that denies. */
  decisions: Decision[];
  /** The last of them, whose id is answered and logged. */
  settled: Decision;
  allow: boolean;
  reason: { code: string; message: string };
  /** Undefined where no body was to be read. */
  message: MeshMessage | undefined;
  /** Canonical JSON of the schemas that arguments were held to, which an audit needs. */
  schemas: Uint8Array[];
}

/** The protocol that a connection's decision obliges to read the body as; undefined where it passes unread. */
function protocolOf({ allow, obligations }: Decision): MeshProtocol | undefined {
  const found = allow ? obligations.find(({ kind }) => kind === 'read_body') : undefined;
  return found?.protocol as MeshProtocol | undefined;
}

/**
 * Decides on a whole request: the connection, then what its body says, then its arguments and its text
 * where the answer demands it. `bytesMax` is that of the filter (`body_bytes_max`). Never throws.
 */
export function decideRequest(
  { decider, record }: { decider: Decider; record: RecordModule },
  facts: MeshRequestFacts,
  request: MeshRequest,
  bytesMax?: number,
): MeshJudgement {
  const connection = decideMesh(decider, facts);
  const protocol = protocolOf(connection);
  if (protocol === undefined) return settled([connection], undefined, []);
  const message = readMessage(record, protocol, request, bytesMax);
  const input = meshInput(facts, 'call', { message: message.facts });
  const call = decider.decide({
    ...{ boundary: 'mesh', module: 'authorization', input, salt: facts.salt },
    honours: honouredFor('mesh', input),
  });
  const decisions = [connection, call];
  const schemas: Uint8Array[] = [];
  const demanded = call.allow && message.error === '' ? inOrder(call.obligations) : [];
  for (const obligation of demanded) {
    const asked =
      obligation.kind === 'scan'
        ? scanOf(obligation, message)
        : validationOf(record, obligation, message);
    if (asked.schema !== undefined) schemas.push(asked.schema);
    const decision = decider.decide({ boundary: 'mesh', salt: facts.salt, ...asked });
    decisions.push(decision);
    if (!decision.allow) break;
  }
  return settled(decisions, message, schemas);
}

type Asked = Pick<DecisionRequest, 'module' | 'input' | 'schema'>;

/** Schemas first: what does not fit costs no scan. */
function inOrder(obligations: readonly Obligation[]): Obligation[] {
  const of = (kind: string) => obligations.filter((one) => one.kind === kind);
  return [...of('validate_arguments'), ...of('scan')];
}

function validationOf(record: RecordModule, { schema }: Obligation, message: MeshMessage): Asked {
  const bytes = record.canonicalizeValue(schema!).slice();
  const digest = `sha256:${Buffer.from(record.sha256(bytes)).toString('hex')}`;
  const input = Buffer.from(canonicalText({ arguments: message.arguments, schema: digest }));
  return { module: 'arguments', input, schema: bytes };
}

function scanOf({ scanners, thresholds }: Obligation, { text }: MeshMessage): Asked {
  const asked: JsonObject = { direction: 'input', scanners: scanners!, text };
  const input = Buffer.from(canonicalText({ ...asked, thresholds: thresholds! }));
  return { module: 'guard', input };
}

function settled(
  decisions: Decision[],
  message: MeshMessage | undefined,
  schemas: Uint8Array[],
): MeshJudgement {
  const last = decisions.at(-1)!;
  // A policy that allows what could not be read does not know what it allows.
  const isUnread = last.allow && message !== undefined && message.error !== '';
  const reason = isUnread
    ? { code: message.error, message: 'the message cannot be read' }
    : last.reason;
  return { decisions, settled: last, allow: last.allow && !isUnread, reason, message, schemas };
}

/** Canonical JSON of a value that was read from canonical JSON, of any size. */
function canonicalText(value: JsonValue): string {
  if (Array.isArray(value)) return `[${value.map(canonicalText).join(',')}]`;
  if (!isJsonObject(value)) return JSON.stringify(value);
  const members = Object.keys(value)
    .sort()
    .map((name) => `${JSON.stringify(name)}:${canonicalText(value[name]!)}`);
  return `{${members.join(',')}}`;
}
