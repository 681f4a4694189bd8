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
  const pair = await meshPair(folder, ['web', 'grpc', 'open']);
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
      'refuses duplicates of headers that have one value': 'it passes them on',
      'refuses two hosts, none, and one that is no host': 'it takes the first host',
      'refuses a target with dot segments': 'it passes them, or rewrites them to another path',
      'refuses a target with encoded separators': 'it passes %00',
      'refuses a target with empty segments': 'it passes them, or merges the slashes',
      'refuses a target with a letter in code': 'it passes it',
      'refuses a target with broken escapes': 'it passes them',
      'refuses a target with characters outside RFC 3986': 'it passes them',
      'refuses a target with other forms of a target': 'it takes the absolute form',
      'refuses methods that would change what the connection is': 'it passes TRACE',
      'refuses a body over the limit by its length, before it arrives':
        'its buffer filter counts what has arrived',
      'does not wait for a body that it will refuse': 'its buffer filter counts what has arrived',
      'bounds HTTP/2 requests as it does others': 'it passes targets and duplicates, as above',
      'takes a new CA while the old one is still in use':
        'it has files here; what it takes over SDS is tested in services/identity',
    },
  });
}
