// The policy service's external authorization on a Unix socket, over the pair of bundles in a folder.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { JWK } from 'jose';
import { loadPair } from '../../runtime/bundle/load.ts';
import { createLocalDecider, loadModules } from '../../runtime/decide/local.ts';
import { SAMPLE_TRUST_DOMAIN } from '../../runtime/testing/sample-data.ts';
import { createCheck } from '../../services/policy/ext-authz.ts';
import { startExtAuthz } from '../../services/policy/ext-authz-server.ts';
import { extAuthzRoutes } from '../../services/policy/ext-authz-wire.ts';

const [folder = '', socket = ''] = process.argv.slice(2);
const keys = JSON.parse(readFileSync(join(folder, 'keys.json'), 'utf8')) as JWK[];
const pair = await loadPair(folder, keys);
const modules = loadModules();
const decider = createLocalDecider({ current: () => pair }, modules);
const engine = { decider, current: () => pair };
const check = createCheck({ engine, modules, trustDomain: SAMPLE_TRUST_DOMAIN });
await startExtAuthz({ listen: { path: socket }, routes: extAuthzRoutes(check) });
