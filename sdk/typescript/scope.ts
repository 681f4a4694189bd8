// SPIFFE IDs and whether a scope covers one, decided in process by the scope module.

import type { ScopeDecision, SpiffeId } from '../../runtime/modules/scope.ts';
import { Scope } from '../../runtime/modules/scope.ts';
import { sdkModule } from './modules.ts';

export type { ScopeDecision, SpiffeId } from '../../runtime/modules/scope.ts';

let scope: Scope | undefined;

function loaded(): Scope {
  scope ??= Scope.create(sdkModule('scope'));
  return scope;
}

/** Whether a scope such as `spiffe://<td>/agent/<tenant>/*` covers a SPIFFE ID, and by which rule. */
export function decide(scope: string, spiffeId: string): ScopeDecision {
  return loaded().decide(scope, spiffeId);
}

/** Takes a SPIFFE ID apart; throws an InputError with a code of its own for each rule that it breaks. */
export function parse(spiffeId: string): SpiffeId {
  return loaded().parse(spiffeId);
}
