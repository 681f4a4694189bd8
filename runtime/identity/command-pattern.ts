// Matches a command line against a pattern with bounded work and constant memory.

/**
 * True when `pattern` covers the whole of `text`; `*` stands for any run of characters.
 * Backtracks only to the last star, so the work is at most pattern length times text length.
 */
export function matchesCommand(pattern: string, text: string): boolean {
  let patternAt = 0;
  let textAt = 0;
  let starAt = -1;
  let resumeAt = 0;
  while (textAt < text.length) {
    if (pattern[patternAt] === '*') {
      starAt = patternAt;
      resumeAt = textAt;
      patternAt += 1;
    } else if (patternAt < pattern.length && pattern[patternAt] === text[textAt]) {
      patternAt += 1;
      textAt += 1;
    } else if (starAt >= 0) {
      resumeAt += 1;
      textAt = resumeAt;
      patternAt = starAt + 1;
    } else {
      return false;
    }
  }
  while (pattern[patternAt] === '*') patternAt += 1;
  return patternAt === pattern.length;
}
