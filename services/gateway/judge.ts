// Asks for every decision that the gateway needs; the shapes of the inputs stand here and nowhere else.
import type { Decider } from '../../runtime/decide/decide.ts';
import type { Decision } from '../../runtime/decide/decision.ts';
import { HONOURED } from '../../runtime/decide/obligations.ts';
import type { JsonObject } from '../../runtime/json.ts';
import type { Record as RecordModule } from '../../runtime/modules/record.ts';
import type { Caller } from '../common/caller.ts';
import type { CallCounts } from '../common/counters.ts';
import type { VerifiedApproval } from './approvals.ts';
import type { CredentialUse } from './credentials.ts';
import type { SessionFacts } from './sessions.ts';
import { originOf, type Tool, type ToolRecord, toolResource } from './tools.ts';
import type { ServiceCounts } from './usage.ts';

/** Facts of a request that more than one of its decisions reads. */
export interface Circumstances {
  counters: CallCounts;
  session: SessionFacts | null;
}

export interface CallFacts extends Circumstances {
  counters: CallCounts & ServiceCounts;
  arguments: JsonObject;
  provenance: JsonObject;
  approval: VerifiedApproval | null;
}

/** What a registration is about; its tools belong to one service and have one origin. */
export type Described = {
  service: string;
  source: Tool['source'];
  origin: string;
  /** How many. */
  tools: number;
};

const schemasKept = 4096;

export class Judge {
  readonly #decider: Decider;
  readonly #record: RecordModule;
  readonly #schemas = new Map<string, Uint8Array>();

  constructor(decider: Decider, record: RecordModule) {
    this.#decider = decider;
    this.#record = record;
  }

  /** May the caller read the catalog as a whole? */
  catalog(caller: Caller, action: 'list' | 'search', facts: Circumstances): Decision {
    return this.#authorize('tool', caller, facts, { action, resource: { kind: 'catalog' } });
  }

  /** May the caller register tools at all, or, once its body is read, these? */
  registration(caller: Caller, facts: Circumstances, described: Described | undefined): Decision {
    const resource = { kind: 'catalog', ...described };
    return this.#authorize('registration', caller, facts, { action: 'register', resource });
  }

  /** May the caller see this tool's description? */
  describe(caller: Caller, tool: Tool, facts: Circumstances): Decision {
    return this.#authorize('tool', caller, facts, { action: 'get', resource: toolResource(tool) });
  }

  /** May the caller call this tool with these arguments, whose values came from there? */
  call(caller: Caller, tool: Tool, facts: CallFacts): Decision {
    const members = {
      action: 'call',
      resource: toolResource(tool),
      arguments: facts.arguments,
      provenance: facts.provenance,
      approval: facts.approval === null ? null : { ...facts.approval },
    };
    return this.#authorize('tool', caller, facts, members, HONOURED.tool);
  }

  /** Do the arguments fit the tool's schema? */
  arguments(caller: Caller, tool: Tool, args: JsonObject): Decision {
    return this.#decider.decide({
      boundary: 'tool',
      module: 'arguments',
      input: { arguments: args, schema: tool.schema_digest },
      salt: caller.context.salt,
      schema: this.schemaBytes(tool),
    });
  }

  /** Is there anything in the text that must not pass in this direction? */
  guard(
    caller: Caller,
    direction: 'input' | 'output',
    scanners: readonly string[],
    text: string,
  ): Decision {
    return this.#decider.decide({
      boundary: 'tool',
      module: 'guard',
      input: { direction, scanners: [...scanners], text },
      salt: caller.context.salt,
    });
  }

  /** May the gateway send this credential to the tool's origin for the caller? */
  credential(
    caller: Caller,
    record: ToolRecord,
    use: CredentialUse,
    facts: Circumstances,
  ): Decision {
    const origin = originOf(record);
    const { registeredBy, tool } = record;
    const { service } = tool;
    return this.#authorize('credential', caller, facts, {
      action: 'use',
      resource: {
        ...{ kind: 'credential', name: use.name, service, origin },
        registered_by: registeredBy,
      },
    });
  }

  /** May the operator do this? Nothing of an operator is counted. */
  console(caller: Caller, action: 'view' | 'approve' | 'operate', name: string): Decision {
    const facts = { counters: { agent_minute: 0, tenant_minute: 0 }, session: null };
    return this.#authorize('console', caller, facts, {
      action,
      resource: { kind: 'console', name },
    });
  }

  /** The tool's schema as canonical JSON. */
  schemaBytes(tool: Tool): Uint8Array {
    let bytes = this.#schemas.get(tool.schema_digest);
    if (bytes === undefined) {
      bytes = this.#record.canonicalizeValue(tool.schema).slice();
      if (this.#schemas.size >= schemasKept) this.#schemas.clear();
      this.#schemas.set(tool.schema_digest, bytes);
    }
    return bytes;
  }

  #authorize(
    boundary: 'tool' | 'registration' | 'credential' | 'console',
    caller: Caller,
    facts: Circumstances,
    members: JsonObject,
    honours: readonly string[] = [],
  ): Decision {
    return this.#decider.decide({
      boundary,
      module: 'authorization',
      input: {
        ...members,
        identity: { ...caller.identity },
        counters: { ...facts.counters },
        session: facts.session === null ? null : { ...facts.session },
        context: { time: caller.context.time, request_id: caller.context.requestId },
      },
      salt: caller.context.salt,
      honours,
    });
  }
}
