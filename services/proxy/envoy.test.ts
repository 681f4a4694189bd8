// The contract on Envoy 1.40 in place of our proxy, with the same merged filter; says what it cannot do.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { needs } from '../../runtime/testing/needs.ts';
import { meshContract } from './contract.ts';
import { envoyConfiguration, startEnvoy } from './testing/envoy.ts';
import { meshPair } from './testing/policy.ts';

if (needs('envoy')) {
  const folder = mkdtempSync(join(tmpdir(), 'mesh-policy-'));
  const pair = await meshPair(folder, ['web', 'grpc', 'open', 'mcp']);
  rmSync(folder, { recursive: true });
  meshContract({
    name: 'envoy',
    start: (world) => startEnvoy(world.folder, envoyConfiguration(world, pair)),
    cannot: {
      'refuses an identity that was taken away': 'it knows no deny-list',
      'closes the connections of an identity that is taken away': 'it knows no deny-list',
      'closes a connection when its SVID expires': 'it looks at certificates in handshakes only',
      'refuses certificates that are no SVIDs':
        'its SPIFFE validator takes a certificate with two URI names for the first of them',
      'refuses a folded header': 'it joins the lines as RFC 9112 allows, and waits for the body',
      'refuses duplicates of headers that have one value': 'it passes two traceparent headers on',
      'refuses methods that would change what the connection is':
        'it does not close the connection after each of them',
      'does not wait for a body that it will refuse': 'its first answer is not the 413',
      'bounds HTTP/2 requests as it does others': 'it answers one of them with 403 in place of 400',
      'takes a new CA while the old one is still in use':
        'it has files here; what it takes over SDS is tested in services/identity',
    },
  });
}
