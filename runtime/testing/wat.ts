// Wasm modules that tests write as text.
import binaryen from 'binaryen';

/** The module of a text (WAT), with every feature allowed. */
export function assembled(text: string): Uint8Array {
  const module = binaryen.parseText(text);
  try {
    module.setFeatures(binaryen.Features.All);
    return module.emitBinary();
  } finally {
    module.dispose();
  }
}
