// Finds out whose scopes a request is about, and refuses those that do not cover the caller.
import type { Decision } from '../../runtime/decide/decision.ts';
import type { Caller } from '../common/caller.ts';
import type { Action, DeniedError } from '../common/ledger.ts';
import type { SecretAction } from './judge.ts';
import { scopesOf } from './names.ts';
import type { Parts } from './parts.ts';
import type { StoredVersion } from './schema.ts';

/** The caller, and where it may look: an operator names one scope, an agent has its three. */
export interface Asker extends Caller {
  scopes: readonly string[];
  isOperator: boolean;
}

/** An agent as asker, whether it asks itself or a service does for it. */
export function agentAsker(caller: Caller): Asker {
  return { ...caller, scopes: scopesOf(caller.identity), isOperator: false };
}

/**
 * The versions that count for the asker. A service that acts for an agent gets only what an operator
 * wrote: an agent writes scopes of its own, and could otherwise have the service act on an account of
 * the agent's, also once the operator's secret has expired or is deleted. The seal binds the writer.
 */
export function usable(
  parts: Parts,
  asker: Asker,
  found: readonly StoredVersion[],
): readonly StoredVersion[] {
  if (asker.actor === undefined) return found;
  const operators = `spiffe://${parts.trustDomain}/operator/`;
  return found.filter(({ writtenBy }) => writtenBy.startsWith(operators));
}

/** Said alike of what is not there and of what is out of scope. */
const notInScope = {
  code: 'secret_denied',
  message: 'no secret of this name is in a scope of the caller',
};

/** Said of a scope that the caller named itself, so that it tells nothing about what is there. */
const notYours = { code: 'secret_denied', message: 'this scope is not yours' };

/** Leaves the row of an absent secret, then returns the error to throw. */
export function absent(
  parts: Parts,
  action: Action,
  decisions: readonly Decision[],
): Promise<DeniedError> {
  return parts.ledger.denial(action, decisions, 'secret_denied', notInScope);
}

/** Leaves the row of what policy refuses, then returns the error to throw. */
export function refused(
  parts: Parts,
  action: Action,
  decisions: readonly Decision[],
  decision: Decision,
): Promise<DeniedError> {
  const code = decision.module === 'scope' ? 'secret_denied' : 'denied';
  return parts.ledger.denial(action, decisions, code, decision.reason);
}

/**
 * Asks both about a change in a scope. An agent writes into a scope that covers it, or, where policy
 * lets it, into that of another role of its own. Throws a DeniedError that has its row.
 */
export async function mayChange(
  parts: Parts,
  asker: Asker,
  action: Action,
  what: SecretAction,
  key: string,
  scope: string,
): Promise<Decision[]> {
  const authorized = await parts.judge.authorize(asker, what, { key, scope });
  if (asker.isOperator) {
    if (!authorized.allow) throw await refused(parts, action, [authorized], authorized);
    return [authorized];
  }
  const covers = judgeScope(parts, asker, scope);
  const decisions = [authorized, covers];
  const refusing = [covers, authorized].find((decision) => !decision.allow);
  if (covers.reason.code === 'scope_does_not_cover') {
    throw await parts.ledger.denial(action, decisions, 'secret_denied', notYours);
  }
  if (refusing !== undefined) throw await refused(parts, action, decisions, refusing);
  return decisions;
}

/**
 * Whether the scope is the caller's: one that covers it, or that of a role of the same agent. A scope that
 * ends in `/*` is no SPIFFE ID, so of that one only the first can be asked.
 */
function judgeScope(parts: Parts, asker: Asker, scope: string): Decision {
  const { identity } = asker;
  const [, agentWide] = scopesOf(identity);
  return scope.endsWith('/*') || asker.scopes.includes(scope)
    ? parts.judge.covers(asker, scope, identity.spiffe_id)
    : parts.judge.covers(asker, agentWide, scope);
}

/** The decision on a stored secret's scope; of an absent one the narrowest is asked about instead. */
export function coverage(parts: Parts, asker: Asker, scope: string | undefined): Decision[] {
  if (asker.isOperator) return [];
  const [own] = scopesOf(asker.identity);
  return [parts.judge.covers(asker, scope ?? own, asker.identity.spiffe_id)];
}
