// A turn of the event loop, as setImmediate of node:timers/promises gives it.

/** Resolves after whatever waits has run; a timer would wait four milliseconds once it is nested. */
export function setImmediate(): Promise<void> {
  return new Promise((resolve) => {
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = () => {
      port1.close();
      resolve();
    };
    port2.postMessage(null);
  });
}
