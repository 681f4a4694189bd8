// The host of the token modules: how many tokens a text is, exactly, in the encodings of OpenAI's models.

import { InputError, ModuleError } from '../errors.ts';
import { ModuleInstance } from './instantiate.ts';
import { type ModuleName, moduleBytes } from './source.ts';

/** The encodings that are counted: of GPT-4 and GPT-3.5, and of GPT-4o and later. */
export type TokenEncoding = 'cl100k_base' | 'o200k_base';

/** The module that counts each encoding; each is loaded only when it is asked for. */
export const tokenModules: Readonly<Record<TokenEncoding, ModuleName>> = {
  cl100k_base: 'tokens-cl100k',
  o200k_base: 'tokens-o200k',
};

/** The longest text that is counted, in bytes of UTF-8. */
export const tokenTextBytesMax = 4 * 1024 * 1024;

const decoder = new TextDecoder();
const loaded = new Map<TokenEncoding, TokenCounter>();

/**
 * Counts as js-tiktoken does with special tokens neither allowed nor refused: their names in a text count as the
 * text that they are.
 */
export class TokenCounter {
  readonly encoding: TokenEncoding;
  readonly #module: ModuleInstance<'count'>;

  private constructor(encoding: TokenEncoding, module: ModuleInstance<'count'>) {
    this.encoding = encoding;
    this.#module = module;
  }

  /** The counter of the built module, made once in a process. @throws InputError for an unknown encoding */
  static load(encoding: TokenEncoding): TokenCounter {
    const present = loaded.get(encoding);
    if (present !== undefined) return present;
    if (!Object.hasOwn(tokenModules, encoding)) {
      throw new InputError('input_invalid', `no encoding is called ${JSON.stringify(encoding)}`);
    }
    const counter = TokenCounter.create(encoding, moduleBytes(tokenModules[encoding]));
    loaded.set(encoding, counter);
    return counter;
  }

  /** A counter from the bytes of a module; throws a ModuleError when they are no token module. */
  static create(encoding: TokenEncoding, bytes: Uint8Array): TokenCounter {
    return new TokenCounter(encoding, new ModuleInstance(tokenModules[encoding], bytes, ['count']));
  }

  /**
   * How many tokens the text is. Throws an InputError: `input_too_large` (over 4 MiB of UTF-8),
   * `input_lone_surrogate`.
   */
  count(text: string): number {
    // A text of this many UTF-16 units has at least as many bytes.
    if (text.length > tokenTextBytesMax) {
      throw new InputError('input_too_large', 'the text is longer than 4 MiB');
    }
    if (!text.isWellFormed()) {
      throw new InputError('input_lone_surrogate', 'the text holds half of a surrogate pair');
    }
    const { pointer, length } = this.#module.writeText(text);
    const answer = decoder.decode(this.#module.call('count', pointer, length));
    const count = Number(answer);
    if (answer === '' || !Number.isSafeInteger(count)) {
      throw new ModuleError('module_output_invalid', `a token module counted ${answer}`);
    }
    return count;
  }
}
