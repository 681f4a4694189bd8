// Measures what the module cannot: exact tokens, and the verdict of a larger model. Both become inputs.
import type { GuardRequest } from '../../runtime/modules/guard.ts';
import { TokenCounter, type TokenEncoding } from '../../runtime/modules/tokens.ts';
import type { InjectionModel } from './model.ts';

interface Wanted {
  text: string;
  /** The encoding to count in; undefined where nobody wants to know. */
  encoding: TokenEncoding | undefined;
  model: InjectionModel | undefined;
}

/**
 * What is recorded as `observed`; undefined where nothing is to be measured. Rejects with what the counter or the
 * model says, and then nothing may pass.
 */
export async function measured(
  { text, encoding, model }: Wanted,
  signal: AbortSignal,
): Promise<GuardRequest['observed']> {
  if (encoding === undefined && model === undefined) return undefined;
  const observed: NonNullable<GuardRequest['observed']> = {};
  if (model !== undefined) {
    observed.injection = { model: model.name, score: await model.score(text, signal) };
  }
  if (encoding !== undefined) {
    observed.tokens = { count: TokenCounter.load(encoding).count(text), encoding };
  }
  return observed;
}
