// Finds the word that somebody who mistyped most likely meant.

/** The nearest of `words` at an edit distance of at most a third of its length, or undefined. */
export function suggest(typed: string, words: readonly string[]): string | undefined {
  let best: { word: string; distance: number } | undefined;
  for (const word of words) {
    const distance = editDistance(typed.slice(0, 64), word);
    if (distance > Math.max(1, Math.floor(word.length / 3))) continue;
    if (best === undefined || distance < best.distance) best = { word, distance };
  }
  return best?.word;
}

/** Levenshtein distance, one row at a time. */
function editDistance(a: string, b: string): number {
  let previous = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let row = 1; row <= a.length; row += 1) {
    const current = [row];
    for (let column = 1; column <= b.length; column += 1) {
      const changed = (previous[column - 1] ?? 0) + (a[row - 1] === b[column - 1] ? 0 : 1);
      const added = (current[column - 1] ?? 0) + 1;
      const removed = (previous[column] ?? 0) + 1;
      current.push(Math.min(changed, added, removed));
    }
    previous = current;
  }
  return previous[b.length] ?? 0;
}
