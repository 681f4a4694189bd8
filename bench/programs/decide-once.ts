// What `npm run bench -- start` starts: loads the bundles below a folder, decides once, and prints its times.
import { readFileSync } from 'node:fs';

const begun = performance.now();
const { loadPair } = await import('../../runtime/bundle/load.ts');
const { createLocalDecider } = await import('../../runtime/decide/local.ts');
const imported = performance.now();
const [folder = '', keys = '', input = ''] = process.argv.slice(2);
const pair = await loadPair(folder, JSON.parse(readFileSync(keys, 'utf8')));
const decider = createLocalDecider({ current: () => pair });
const loaded = performance.now();
const decision = decider.decide({
  ...{ boundary: 'tool', module: 'authorization' },
  ...{ input: JSON.parse(input), salt: new Uint8Array(32) },
});
const decided = performance.now();
console.log(
  JSON.stringify({
    rule: decision.rule,
    ...{ import: imported - begun, pair: loaded - imported, first: decided - loaded },
  }),
);
