// Finds out whose scopes a request is about, and refuses those that do not cover the caller.
import type { Decision } from '../../runtime/decide/decision.ts';
import type { Caller } from '../common/caller.ts';
import type { Action, DeniedError } from '../common/ledger.ts';
import type { SecretAction } from './judge.ts';
import { scopesOf } from './names.ts';
import type { Parts } from './parts.ts';

/** The caller, and where it may look: an operator names one scope, an agent has its three. */
export interface Asker extends Caller {
  scopes: readonly string[];
  isOperator: boolean;
}

/**
 * An agent as asker, whether it asks itself or a service does for it. Where a service does, to act with
 * the secret, the widest scope counts first: an agent may write its own narrower ones, and could
 * otherwise put an account of somebody else's in the place of the tenant's.
 */
export function agentAsker(caller: Caller): Asker {
  const scopes = scopesOf(caller.identity);
  if (caller.actor !== undefined) scopes.reverse();
  return { ...caller, scopes, isOperator: false };
}

/** Said alike of what is not there and of what is out of scope. */
const notInScope = {
  code: 'secret_denied',
  message: 'no secret of this name is in a scope of the caller',
};

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
  const authorized = parts.judge.authorize(asker, what, { key, scope });
  if (asker.isOperator) {
    if (!authorized.allow) throw await refused(parts, action, [authorized], authorized);
    return [authorized];
  }
  const [, agentWide] = scopesOf(asker.identity);
  const covers = asker.scopes.includes(scope)
    ? parts.judge.covers(asker, scope, asker.identity.spiffe_id)
    : parts.judge.covers(asker, agentWide, scope);
  const decisions = [authorized, covers];
  const refusing = [covers, authorized].find((decision) => !decision.allow);
  if (refusing !== undefined) throw await refused(parts, action, decisions, refusing);
  return decisions;
}

/** The decision on a stored secret's scope; of an absent one the narrowest is asked about instead. */
export function coverage(parts: Parts, asker: Asker, scope: string | undefined): Decision[] {
  if (asker.isOperator) return [];
  const [own] = scopesOf(asker.identity);
  return [parts.judge.covers(asker, scope ?? own, asker.identity.spiffe_id)];
}
