// Compiles policies/ at set-up to policies/build/: an unsigned policy bundle that `platform up` signs.
import { rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { buildPolicyBundle } from '../runtime/bundle/build.ts';
import { compilePolicies } from '../runtime/bundle/compile.ts';
import { writeBundle } from '../runtime/bundle/write.ts';

const policies = join(dirname(fileURLToPath(import.meta.url)), '..', 'policies');
const target = join(policies, 'build', 'bundle');

rmSync(target, { recursive: true, force: true });
const { revision, files } = buildPolicyBundle(await compilePolicies(policies));
await writeBundle(files, target);
console.log(`policy bundle ${revision}: ${files.size} files`);
