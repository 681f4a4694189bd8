// Waits for what must come to pass, and fails when it does not in good time.

/** Resolves once `holds` returns true; rejects after `timeoutMs` (5 s), for what takes no event. */
export async function eventually(
  holds: () => boolean | Promise<boolean>,
  timeoutMs = 5000,
): Promise<void> {
  const end = performance.now() + timeoutMs;
  while (!(await holds())) {
    if (performance.now() > end) throw new Error(`it was not so within ${timeoutMs} ms: ${holds}`);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}
