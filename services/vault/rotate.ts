// The operator's change of the master key: decided and evidenced like every other change.
import type { Decision } from '../../runtime/decide/decision.ts';
import { codeOf, PlatformError } from '../../runtime/errors.ts';
import type { JsonObject } from '../../runtime/json.ts';
import type { Caller } from '../common/caller.ts';
import { DeniedError } from '../common/ledger.ts';
import type { Parts } from './parts.ts';
import { refused } from './target.ts';

interface Rotated {
  progress: JsonObject;
  decision: Decision;
}

/**
 * Puts a new master key in force and begins to rewrap in the background. The rows name both keys by
 * their ids, which tell nothing of the keys. Throws `configuration_invalid` without another key.
 */
export async function rotateMasterKey(parts: Parts, caller: Caller): Promise<Rotated> {
  const { ledger, rotation } = parts;
  const action = ledger.begin(caller, 'secret', { vault: 'master key' });
  const decision = await parts.judge.authorize(caller, 'rotate', {});
  if (!decision.allow) throw await refused(parts, action, [decision], decision);
  await ledger.intent(action, [decision]);
  let keys: { from: string; to: string };
  try {
    keys = await rotation.rotate();
  } catch (error) {
    const code = codeOf(error);
    const message = error instanceof PlatformError ? error.message : 'the key was not changed';
    const outcome = code.startsWith('database_') ? 'unknown' : 'error';
    await ledger.outcome(action, [], { outcome, reason: { code, message } });
    throw new DeniedError(code, { code, message });
  }
  await ledger.outcome(action, [], { outcome: 'ok', detail: keys });
  return { progress: await rotation.progress(), decision };
}

/** How far the change has come. */
export async function rotationProgress(parts: Parts, caller: Caller): Promise<Rotated> {
  const action = parts.ledger.begin(caller, 'secret', { vault: 'rotation' });
  const decision = await parts.judge.authorize(caller, 'rotate', {});
  if (!decision.allow) throw await refused(parts, action, [decision], decision);
  const progress = await parts.rotation.progress();
  await parts.ledger.event(action, [decision], {});
  return { progress, decision };
}
