// One line on standard error that says how far a long command is, where a person looks at it.

/** Says lines over each other at a terminal, at most ten a second; elsewhere nothing. */
export function progress(isWanted: boolean): { say(line: string): void; end(): void } {
  const isShown = isWanted && process.stderr.isTTY === true;
  let saidAt = 0;
  return {
    say(line) {
      if (!isShown || performance.now() - saidAt < 100) return;
      saidAt = performance.now();
      process.stderr.write(`\r\u001b[K${line}`);
    },
    end() {
      if (isShown && saidAt > 0) process.stderr.write('\r\u001b[K');
    },
  };
}
