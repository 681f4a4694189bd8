// Counts the tokens of a text exactly; the module of an encoding is loaded when it is first asked for.

import { TokenCounter, type TokenEncoding, tokenModules } from '../../runtime/modules/tokens.ts';
import { sdkModule } from './modules.ts';

export type { TokenEncoding } from '../../runtime/modules/tokens.ts';

const counters = new Map<TokenEncoding, TokenCounter>();

/**
 * How many tokens `text` is. Throws an InputError: `input_too_large` (over 4 MiB of UTF-8), `input_lone_surrogate`.
 * @example countTokens('Hello, world', 'o200k_base') // 3
 */
export function countTokens(text: string, encoding: TokenEncoding): number {
  let counter = counters.get(encoding);
  if (counter === undefined) {
    counter = TokenCounter.create(encoding, sdkModule(tokenModules[encoding]));
    counters.set(encoding, counter);
  }
  return counter.count(text);
}
