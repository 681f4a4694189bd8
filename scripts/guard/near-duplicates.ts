// Finds texts of the training sets that are nearly a text of a held-out set, so that nothing is judged on what it has seen.

/** Words of a shingle. */
const SHINGLE = 4;
/** From this share of common shingles on two texts are the same (Jaccard). */
export const SAME = 0.5;
/** From this share of a held-out text's shingles on it stands within the other. */
export const CONTAINED = 0.8;

function hash(text: string): number {
  let value = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) value = Math.imul(value ^ text.charCodeAt(i), 0x01000193);
  return value >>> 0;
}

/** The hashed shingles of a text: four words in a row, case and signs aside; characters are words in Chinese and Japanese. */
export function shingles(text: string): Set<number> {
  const plain = text.normalize('NFKD').toLowerCase().replaceAll(/\p{M}/gu, '');
  const words = plain.match(/[\p{scx=Han}\p{scx=Hira}\p{scx=Kana}]|[\p{L}\p{N}]+/gu) ?? [];
  const found = new Set<number>();
  if (words.length < SHINGLE) return found.add(hash(words.join(' ')));
  for (let i = 0; i + SHINGLE <= words.length; i++) {
    found.add(hash(words.slice(i, i + SHINGLE).join(' ')));
  }
  return found;
}

/** The held-out texts, by their shingles. */
export class HeldOut {
  readonly #sizes: number[] = [];
  readonly #texts = new Map<number, number[]>();

  constructor(texts: Iterable<string>) {
    for (const text of texts) {
      const found = shingles(text);
      const index = this.#sizes.push(found.size) - 1;
      for (const shingle of found) {
        const known = this.#texts.get(shingle);
        if (known === undefined) this.#texts.set(shingle, [index]);
        else known.push(index);
      }
    }
  }

  /** Whether the text is nearly one of them, or holds nearly all of one. */
  has(text: string): boolean {
    const found = shingles(text);
    const common = new Map<number, number>();
    for (const shingle of found) {
      for (const index of this.#texts.get(shingle) ?? []) {
        common.set(index, (common.get(index) ?? 0) + 1);
      }
    }
    for (const [index, count] of common) {
      const size = this.#sizes[index]!;
      if (count / (size + found.size - count) >= SAME || count / size >= CONTAINED) return true;
    }
    return false;
  }
}
