// The plugin's configuration: whose peers, which service, which bundles, and the policy's data, read once.

import { alloc, persist, resetArena } from '../common/arena';
import { Kind, kindOf, numberValue, parseJson, stringLength, stringPointer } from '../common/json';
import { proxy_get_buffer_bytes } from './env';
import { entrypointOf, loadPolicy, MISSING } from './policy';
import { prepareSchemas } from './schema';
import { memberSpan, spanLength } from './span';
import { ascii } from './text';

const PLUGIN_CONFIGURATION: i32 = 7;
/** What the record module reads; the default. */
const BODY_BYTES_MOST: u32 = 1024 * 1024;

/** Whether the configuration was taken; without it every request is denied. */
export let configured: bool = false;
export let trustDomain: u32 = 0;
export let trustDomainLength: u32 = 0;
export let service: u32 = 0;
export let serviceLength: u32 = 0;
export let policyRevision: u32 = 0;
export let policyRevisionLength: u32 = 0;
export let dataRevision: u32 = 0;
export let dataRevisionLength: u32 = 0;
/** Whether the filter itself answers, with the decisions that peers ask for (point.ts). */
export let isDecisionPoint: bool = false;
/** The largest body that is read; a larger one is refused. */
export let bodyBytesMax: u32 = BODY_BYTES_MOST;

let foundLength: u32 = 0;

/**
 * Reads `{"trust_domain","service","policy_revision","data_revision","data","decide"?,"body_bytes_max"?}`. A VM takes one
 * configuration: the policy's data cannot be replaced, and a second one would judge by the first's.
 */
export function configure(length: u32): bool {
  if (configured) return false;
  resetArena();
  configured = read(length);
  if (configured) {
    persist();
  } else {
    trustDomainLength = serviceLength = policyRevisionLength = dataRevisionLength = 0;
  }
  return configured;
}

function read(length: u32): bool {
  const slot = alloc(8);
  if (proxy_get_buffer_bytes(PLUGIN_CONFIGURATION, 0, length, slot, slot + 4) != 0) return false;
  const text = load<u32>(slot);
  const end = text + load<u32>(slot, 4);
  trustDomain = stringMember(text, end, 'trust_domain');
  trustDomainLength = foundLength;
  service = stringMember(text, end, 'service');
  serviceLength = foundLength;
  policyRevision = stringMember(text, end, 'policy_revision');
  policyRevisionLength = foundLength;
  dataRevision = stringMember(text, end, 'data_revision');
  dataRevisionLength = foundLength;
  if (trustDomain == 0 || service == 0 || policyRevision == 0 || dataRevision == 0) return false;
  if (trustDomainLength == 0 || serviceLength == 0) return false;
  const point = booleanMember(text, end, 'decide');
  if (point < 0) return false;
  isDecisionPoint = point > 0;
  if (!readBodyBytesMax(text, end)) return false;
  const source = memberSpan(text, end, 'data');
  if (source == 0 || !loadPolicy(source, spanLength)) return false;
  if (entrypointOf(ascii('mesh'), 4) == MISSING) return false;
  prepareSchemas();
  return true;
}

function stringMember(text: u32, end: u32, name: string): u32 {
  foundLength = 0;
  const span = memberSpan(text, end, name);
  if (span == 0) return 0;
  const node = parseJson(span, spanLength);
  if (node == 0 || kindOf(node) != Kind.String) return 0;
  foundLength = stringLength(node);
  return stringPointer(node);
}

/** A whole number from 1 to what the record module reads, or absent. */
function readBodyBytesMax(text: u32, end: u32): bool {
  const span = memberSpan(text, end, 'body_bytes_max');
  if (span == 0) return true;
  let stated: u32 = 0;
  for (let p = span; p < span + spanLength; p++) {
    const digit = <u32>load<u8>(p) - 0x30;
    if (digit > 9) return false;
    stated = stated * 10 + digit;
    if (stated > BODY_BYTES_MOST) return false;
  }
  bodyBytesMax = stated;
  return stated > 0 && load<u8>(span) != 0x30;
}

/** 1 or 0, which is also that of an absent member; -1 for anything else. */
function booleanMember(text: u32, end: u32, name: string): i32 {
  const span = memberSpan(text, end, name);
  if (span == 0) return 0;
  const node = parseJson(span, spanLength);
  if (node == 0) return -1;
  if (kindOf(node) == Kind.True) return 1;
  return kindOf(node) == Kind.False ? 0 : -1;
}
