// Leaves out of a module what no export reaches.
import binaryen from 'binaryen';
import { BundleError } from '../errors.ts';

/** The module without functions, globals and types that are not used. */
export async function trim(wasm: Uint8Array): Promise<Uint8Array> {
  const module = binaryen.readBinary(wasm);
  try {
    module.setFeatures(binaryen.Features.All);
    module.runPasses(['remove-unused-module-elements']);
    return module.emitBinary();
  } catch (cause) {
    throw new BundleError('compiler_failed', 'the plan of the policy gives no valid module', {
      cause,
    });
  } finally {
    module.dispose();
  }
}
