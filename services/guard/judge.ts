// Asks the guard module and the policy about one text; the shapes of the inputs stand here and nowhere else.
import type { Decider } from '../../runtime/decide/decide.ts';
import type { Decision } from '../../runtime/decide/decision.ts';
import type { JsonObject } from '../../runtime/json.ts';
import type { GuardRequest, GuardResult, ScannerName } from '../../runtime/modules/guard.ts';
import type { Caller } from '../common/caller.ts';
import type { Enforcement } from './settings.ts';

const boundary = 'scan';

/** The scanner that each reason of policies/scan is about. */
const blockedBy: Record<string, ScannerName> = {
  invisible_text_blocked: 'InvisibleText',
  pii_blocked: 'PII',
  prompt_injection_blocked: 'PromptInjection',
  relevance_blocked: 'Relevance',
  secrets_blocked: 'Secrets',
  token_limit_blocked: 'TokenLimit',
  topic_boundary_blocked: 'TopicBoundary',
  toxicity_blocked: 'Toxicity',
};

export class Judge {
  readonly #decider: Decider;

  constructor(decider: Decider) {
    this.#decider = decider;
  }

  /** What is in the text? The text, the prompt, canaries and topics are committed. */
  guard(caller: Caller, request: GuardRequest): Decision {
    const input = request as unknown as JsonObject;
    return this.#decider.decide({ boundary, module: 'guard', input, salt: caller.context.salt });
  }

  /** May a text pass in which this was found? */
  scan(
    caller: Caller,
    request: GuardRequest,
    found: { guard: Decision; result: GuardResult; enforcement: Enforcement },
  ): Decision {
    const { identity, context } = caller;
    const { direction, source = 'user', scanners, text } = request;
    const input: JsonObject = {
      action: 'scan',
      identity,
      resource: {
        ...{ kind: 'text', direction, source },
        ...{ bytes: Buffer.byteLength(text), scanners: [...scanners] },
      },
      findings: kindsFound(found.result),
      truncated: found.result.truncated,
      enforcement: found.enforcement,
      guard_decision: found.guard.id,
      context: { time: context.time, request_id: context.requestId },
    };
    return this.#decider.decide({ boundary, module: 'authorization', input, salt: context.salt });
  }
}

/** One entry for each scanner and kind, in the order of their names, with the highest score. */
export function kindsFound({ findings }: GuardResult): JsonObject[] {
  const kinds = new Map<string, { scanner: string; kind: string; score: number; count: number }>();
  for (const { scanner, kind, score } of findings) {
    const key = `${scanner} ${kind}`;
    const known = kinds.get(key) ?? { scanner, kind, score: 0, count: 0 };
    kinds.set(key, { ...known, score: Math.max(known.score, score), count: known.count + 1 });
  }
  return [...kinds].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, entry]) => entry);
}

/** The scanners that a decision of `scan` says block. */
export function blockedScanners({ allow, output }: Decision): ScannerName[] {
  if (allow || !Array.isArray(output.reasons)) return [];
  return output.reasons.flatMap((reason) => {
    const code = String((reason as { code?: unknown } | null)?.code);
    return Object.hasOwn(blockedBy, code) ? [blockedBy[code]!] : [];
  });
}

/** True when the findings, and nothing else, are why the text may not pass. */
export function isAboutFindings({ output }: Decision): boolean {
  return (
    Array.isArray(output.reasons) &&
    output.reasons.length > 0 &&
    output.reasons.every((reason) => {
      const code = String((reason as { code?: unknown } | null)?.code);
      return Object.hasOwn(blockedBy, code) || aboutFindings.has(code);
    })
  );
}

const aboutFindings: ReadonlySet<string> = new Set(['finding_blocked', 'findings_truncated']);
