// The request's headers: what the peer says in the platform's name is removed, what the platform says is set.

import { alloc } from '../common/arena';
import {
  proxy_get_header_map_pairs,
  proxy_remove_header_map_value,
  proxy_replace_header_map_value,
} from './env';
import { adoptRequestId, adoptSalt, adoptTime } from './facts';
import { isAgentId, peerIsService } from './peer';
import { ascii, equals, startsWith } from './text';

export const REQUEST_HEADERS: i32 = 0;
export const REQUEST_TRAILERS: i32 = 1;

const PREFIX = 'x-platform-';
const APPROVAL = 'x-platform-approval';
const REQUEST_ID = 'x-platform-request-id';
const TIME = 'x-platform-time';
const SALT = 'x-platform-salt';
const ON_BEHALF_OF = 'x-platform-on-behalf-of';

/**
 * Removes every header that is `x-platform-*`, in any case and with underscores for hyphens, but the
 * approval, and who a service acts for. The facts that a service says are kept aside: its request goes
 * on where another one was let in, and is the same one. False when one of all these is there twice,
 * when a fact is malformed, or when it acts for what is no agent of this trust domain: two readers
 * could each believe another one.
 */
export function cleanHeaders(map: i32): bool {
  const slot = alloc(8);
  if (proxy_get_header_map_pairs(map, slot, slot + 4) != 0) return false;
  const pairs = load<u32>(slot);
  if (load<u32>(slot, 4) < 4) return true;
  const count = load<u32>(pairs);
  let name = pairs + 4 + (count << 3);
  let approvals: u32 = 0;
  let behalves: u32 = 0;
  let isSound = true;
  for (let i: u32 = 0; i < count; i++) {
    const nameLength = load<u32>(pairs + 4 + (i << 3));
    const valueLength = load<u32>(pairs + 4 + (i << 3), 4);
    const value = name + nameLength + 1;
    if (isPlatformName(name, nameLength)) {
      const lower = lowerCase(name, nameLength);
      if (map == REQUEST_HEADERS && equals(lower, nameLength, APPROVAL)) approvals += 1;
      else if (map == REQUEST_HEADERS && peerIsService && equals(lower, nameLength, ON_BEHALF_OF)) {
        behalves += 1;
        if (!isAgentId(value, valueLength)) return false;
      } else {
        if (map == REQUEST_HEADERS && peerIsService) {
          if (equals(lower, nameLength, REQUEST_ID)) {
            if (!adoptRequestId(value, valueLength)) isSound = false;
          } else if (equals(lower, nameLength, TIME)) {
            if (!adoptTime(value, valueLength)) isSound = false;
          } else if (equals(lower, nameLength, SALT)) {
            if (!adoptSalt(value, valueLength)) isSound = false;
          }
        }
        if (proxy_remove_header_map_value(map, name, nameLength) != 0) return false;
      }
    }
    name = value + valueLength + 1;
  }
  return isSound && approvals <= 1 && behalves <= 1;
}

/** Sets one header of the request to one value; traps when the proxy refuses, so that nothing passes without it. */
export function setHeader(name: string, value: u32, length: u32): void {
  const key = ascii(name);
  const status = proxy_replace_header_map_value(
    REQUEST_HEADERS,
    key,
    <u32>name.length,
    value,
    length,
  );
  if (status != 0) unreachable();
}

/** Whether some reader could take the name for one of the platform's. */
function isPlatformName(name: u32, length: u32): bool {
  const prefix = <u32>PREFIX.length;
  if (length < prefix) return false;
  const folded = lowerCase(name, prefix);
  for (let p = folded; p < folded + prefix; p++) {
    if (load<u8>(p) == 0x5f) store<u8>(p, 0x2d);
  }
  return startsWith(folded, prefix, PREFIX);
}

function lowerCase(pointer: u32, length: u32): u32 {
  const copy = alloc(length);
  for (let i: u32 = 0; i < length; i++) {
    const byte = <u32>load<u8>(pointer + i);
    store<u8>(copy + i, byte >= 0x41 && byte <= 0x5a ? byte | 0x20 : byte);
  }
  return copy;
}
