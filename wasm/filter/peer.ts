// Who the peer is: the one SPIFFE ID of its certificate, judged by the scope module's own rules.

import { alloc } from '../common/arena';
import { OK } from '../common/errors';
import { codeOf } from '../scope/reasons';
import { checkSpiffeId, pathStart, trustDomainStart } from '../scope/spiffe-id';
import { trustDomain, trustDomainLength } from './configuration';
import { proxy_get_property } from './env';
import { ascii, startsWith } from './text';

/** The peer's SPIFFE ID; empty until `readPeer` has accepted one. */
export let peer: u32 = 0;
export let peerLength: u32 = 0;
/** Whether the peer is a service of the platform: `/service/` and one segment. */
export let peerIsService: bool = false;

/** Tenant, agent and role of an agent's ID, three pointers and lengths; empty for every other. */
const names: u32 = <u32>memory.data(24, 8);

/** Pointer of the part: 0 tenant, 1 agent, 2 role. */
export function namePointer(part: u32): u32 {
  return load<u32>(names + (part << 3));
}

export function nameLength(part: u32): u32 {
  return load<u32>(names + (part << 3), 4);
}

/** Reads and judges the peer's identity; returns the code of what is wrong with it, or ''. */
export function readPeer(): string {
  peer = 0;
  peerLength = 0;
  peerIsService = false;
  memory.fill(names, 0, 24);
  // It is there where the peer presented a certificate, which is all that `connection.mtls` says; a read costs
  // Envoy as much as a policy's answer.
  const found = property('connection\0uri_san_peer_certificate');
  if (found == 0 || load<u32>(found, 4) == 0) return 'svid_missing';
  const id = load<u32>(found);
  const length = load<u32>(found, 4);
  const error = checkSpiffeId(id, length);
  if (error != OK) return codeOf(error);
  if (!isOfTrustDomain(id)) return 'svid_foreign';
  peer = id;
  peerLength = length;
  const path = pathStart;
  const rest = id + length - path;
  const end = id + length;
  peerIsService = startsWith(path, rest, '/service/') && segmentEnd(path + 9, end) == end;
  if (startsWith(path, rest, '/agent/')) readNames(path + 7, end);
  return '';
}

/** Whether a header's value names an agent of this trust domain: `/agent/` and three segments. */
export function isAgentId(id: u32, length: u32): bool {
  if (checkSpiffeId(id, length) != OK || !isOfTrustDomain(id)) return false;
  const path = pathStart;
  const end = id + length;
  if (!startsWith(path, end - path, '/agent/')) return false;
  let slashes: u32 = 0;
  for (let p = path; p < end; p++) slashes += <u32>(load<u8>(p) == 0x2f);
  return slashes == 4;
}

/** Right behind `checkSpiffeId` only, which leaves where the path begins. */
function isOfTrustDomain(id: u32): bool {
  const start = trustDomainStart(id);
  return (
    pathStart - start == trustDomainLength &&
    memory.compare(start, trustDomain, trustDomainLength) == 0
  );
}

/** Takes three segments as tenant, agent and role; fewer or more are no agent's ID. */
function readNames(start: u32, end: u32): void {
  let p = start;
  for (let part: u32 = 0; part < 3; part++) {
    const stop = segmentEnd(p, end);
    store<u32>(names + (part << 3), p);
    store<u32>(names + (part << 3), stop - p, 4);
    if (stop == end && part == 2) return;
    if (stop == end) break;
    p = stop + 1;
  }
  memory.fill(names, 0, 24);
}

function segmentEnd(start: u32, end: u32): u32 {
  let p = start;
  while (p < end && load<u8>(p) != 0x2f) p += 1;
  return p;
}

/** Where the proxy put pointer and length of a property, its path's parts separated by NUL; 0 if it has none. */
export function property(path: string): u32 {
  const slot = alloc(8);
  const status = proxy_get_property(ascii(path), <u32>path.length, slot, slot + 4);
  return status == 0 ? slot : 0;
}
