// `node test/conformance/vendor.ts [--digest]`: makes the fixture of OPA's conformance cases again; needs Go.
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { brotliCompressSync, constants } from 'node:zlib';

const compilerFolder = fileURLToPath(new URL('../../wasm/rego', import.meta.url));
const fixtures = new URL('fixtures/', import.meta.url);

/** The cases as JSON, read by OPA's loader from the OPA module that the compiler is built from. */
export function exportCases(): Buffer {
  const go = (...args: string[]) =>
    execFileSync('go', args, { cwd: compilerFolder, maxBuffer: 64 << 20 });
  const module = go('list', '-m', '-f', '{{.Dir}}', 'github.com/open-policy-agent/opa');
  return go('run', './cases', join(module.toString().trim(), 'v1/test/cases/testdata/v1'));
}

/** The digest that cases.sha256 pins. */
export function digestOf(cases: Buffer): string {
  return createHash('sha256').update(cases).digest('hex');
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const cases = exportCases();
  if (!process.argv.includes('--digest')) {
    const params = {
      [constants.BROTLI_PARAM_QUALITY]: 11,
      [constants.BROTLI_PARAM_LGWIN]: 24,
      [constants.BROTLI_PARAM_SIZE_HINT]: cases.length,
    };
    writeFileSync(new URL('cases.json.br', fixtures), brotliCompressSync(cases, { params }));
    writeFileSync(new URL('cases.sha256', fixtures), `${digestOf(cases)}\n`);
  }
  console.log(digestOf(cases));
}
