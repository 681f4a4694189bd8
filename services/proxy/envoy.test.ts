// The contract on Envoy 1.40 in place of our proxy, with the same merged filter; says what it cannot do.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { needs } from '../../runtime/testing/needs.ts';
import { meshContract } from './contract.ts';
import { envoyConfiguration, startEnvoy } from './testing/envoy.ts';
import { meshPair } from './testing/policy.ts';

if (needs('python')) {
  const folder = mkdtempSync(join(tmpdir(), 'mesh-policy-'));
  const pair = await meshPair(folder, ['web', 'grpc', 'open']);
  rmSync(folder, { recursive: true });
  meshContract({
    name: 'envoy',
    start: (world) => startEnvoy(world.folder, envoyConfiguration(world, pair)),
    cannot: {
      'refuses an identity that was taken away': 'it knows no deny-list',
      'closes the connections of an identity that is taken away': 'it knows no deny-list',
      'closes a connection when its SVID expires': 'it looks at certificates in handshakes only',
      'takes a new CA while the old one is still in use':
        'it has files here; what it takes over SDS is tested in services/identity',
    },
  });
}
