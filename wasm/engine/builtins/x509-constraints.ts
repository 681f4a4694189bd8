// Name constraints (RFC 5280 section 4.2.1.10).

import {
  atEnd,
  content,
  contentLength,
  enter,
  present,
  read,
  readAny,
  readOptional,
  Tag,
  tag,
} from '../../crypto/der';
import { insert, newObject } from '../object';
import { asciiString, boolean, stringOf } from '../value';
import { addressValue, addTo, bytesValue } from './crypto-values';
import { readAddress } from './net-address';
import { isAsciiText, isDomain } from './x509-alternative';
import { Read } from './x509-extensions';
import { hasAt, parseMailbox } from './x509-mailbox';

/** Reads permitted and excluded subtrees; unknown to Go when one is of a kind that it does not check. */
export function readNameConstraints(cursor: u32, fields: u32, critical: bool): Read {
  if (!read(cursor, Tag.Sequence) || !atEnd(cursor)) return Read.Broken;
  const inner = enter();
  if (!readOptional(inner, Tag.ContextConstructed)) return Read.Broken;
  const permittedLength: u32 = present ? contentLength : 0;
  const permitted: u32 = present ? enter() : 0;
  if (!readOptional(inner, Tag.ContextConstructed + 1)) return Read.Broken;
  const excludedLength: u32 = present ? contentLength : 0;
  const excluded: u32 = present ? enter() : 0;
  if (!atEnd(inner) || permittedLength + excludedLength == 0) return Read.Broken;
  let outcome = Read.Done;
  for (let i = 0; i < 2; i++) {
    const subtrees = i == 0 ? permitted : excluded;
    while (subtrees != 0 && !atEnd(subtrees)) {
      if (!read(subtrees, Tag.Sequence) || !readAny(enter())) return Read.Broken;
      const one = readBase(fields, i == 0);
      if (one == Read.Broken) return Read.Broken;
      if (one == Read.Unknown) outcome = Read.Unknown;
    }
  }
  insert(fields, asciiString('PermittedDNSDomainsCritical'), boolean(critical));
  return outcome;
}

/** Reads the name that was read last as the base of a subtree. */
function readBase(fields: u32, permitted: bool): Read {
  if (tag == Tag.Context + 7) return readRange(fields, permitted);
  if (tag != Tag.Context + 1 && tag != Tag.Context + 2 && tag != Tag.Context + 6)
    return Read.Unknown;
  if (!isAsciiText(content, contentLength)) return Read.Broken;
  const text = stringOf(content, contentLength);
  if (tag == Tag.Context + 1) {
    const valid = hasAt(text) ? parseMailbox(text) : isDomain(content, contentLength, true);
    if (!valid) return Read.Broken;
    addTo(fields, permitted ? 'PermittedEmailAddresses' : 'ExcludedEmailAddresses', text);
    return Read.Done;
  }
  if (!isDomain(content, contentLength, true)) return Read.Broken;
  if (tag == Tag.Context + 2) {
    addTo(fields, permitted ? 'PermittedDNSDomains' : 'ExcludedDNSDomains', text);
    return Read.Done;
  }
  if (readAddress(content, content + contentLength)) return Read.Broken;
  addTo(fields, permitted ? 'PermittedURIDomains' : 'ExcludedURIDomains', text);
  return Read.Done;
}

/** Reads an address and its mask, whose ones come first. */
function readRange(fields: u32, permitted: bool): Read {
  if (contentLength != 8 && contentLength != 32) return Read.Broken;
  const half = contentLength >> 1;
  const mask = content + half;
  let ended = false;
  for (let i: u32 = 0; i < half; i++) {
    const byte = <u32>load<u8>(mask + i);
    const zeros = ~byte & 0xff;
    if (((zeros + 1) & zeros) != 0 || (ended && byte != 0)) return Read.Broken;
    ended = ended || zeros != 0;
  }
  const range = newObject(2);
  insert(range, asciiString('IP'), addressValue(content, half));
  insert(range, asciiString('Mask'), bytesValue(mask, half));
  addTo(fields, permitted ? 'PermittedIPRanges' : 'ExcludedIPRanges', range);
  return Read.Done;
}
