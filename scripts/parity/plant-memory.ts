// Plants a fault of one bit into the memory of every module that is instantiated, in Node and in a browser.

/**
 * Wraps WebAssembly.Instance: in a fresh instance's memory, the lowest bit of the last byte of `text` is
 * flipped wherever it stands, in UTF-8 or UTF-16. It uses nothing from outside, so that a page can be given it.
 */
export function plantMemory(text: string): void {
  const encodings = [1, 2].map((width) => {
    const bytes = new Uint8Array(text.length * width);
    for (let index = 0; index < text.length; index++) bytes[index * width] = text.charCodeAt(index);
    return { bytes, last: (text.length - 1) * width };
  });
  const flip = (memory: Uint8Array) => {
    for (const { bytes, last } of encodings) {
      for (let at = memory.indexOf(bytes[0]!); at >= 0; at = memory.indexOf(bytes[0]!, at + 1)) {
        if (bytes.every((byte, index) => memory[at + index] === byte)) memory[at + last]! ^= 1;
      }
    }
  };
  const { Instance } = WebAssembly;
  WebAssembly.Instance = new Proxy(Instance, {
    construct(target, given) {
      const { exports } = new target(...(given as [WebAssembly.Module]));
      const { memory, start } = exports;
      const plant = () => flip(new Uint8Array((memory as WebAssembly.Memory).buffer));
      if (memory instanceof WebAssembly.Memory) plant();
      if (typeof start !== 'function') return { exports };
      // The compiled policy fills its memory when it is started.
      const begun = () => {
        start();
        plant();
      };
      return { exports: { ...exports, start: begun } };
    },
  });
}
