// `npm run parity:kit`: checks the conformance kit against this checkout, or makes a new version of it.
import { existsSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { KIT } from './parity/kit/context.ts';
import { checkKit, makeKit } from './parity/kit/kit.ts';

const { values } = parseArgs({
  options: {
    version: { type: 'string', default: 'v1' },
    make: { type: 'boolean', default: false },
    force: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
});
if (values.help || !/^v[0-9]+$/.test(values.version)) {
  console.error(`usage: npm run parity:kit -- [--version v1] [--make [--force]]
Checks every vector of conformance/VERSION with the modules that are frozen in it; ends with 1 when one differs.
--make writes a new version from the modules and policies of this checkout; one that is published does not
change, so an existing one is replaced with --force only.`);
  process.exit(values.help ? 0 : 2);
}

const folder = join(KIT, values.version);
if (values.make) {
  if (existsSync(join(folder, 'manifest.json')) && !values.force) {
    console.error(
      `${values.version} is there already: others hold themselves to it; make the next one`,
    );
    process.exit(2);
  }
  await mkdir(folder, { recursive: true });
  await makeKit(folder);
}
const wrong = await checkKit(folder);
for (const one of wrong) console.error(one);
console.log(`${values.version}: ${wrong.length} vectors or files differ`);
process.exitCode = wrong.length === 0 ? 0 : 1;
