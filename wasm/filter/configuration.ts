// The plugin's configuration: whose peers, which service, which bundles, and the policy's data, read once.

import { alloc, persist, resetArena } from '../common/arena';
import {
  childCount,
  Kind,
  kindOf,
  member,
  numberValue,
  parseJson,
  stringLength,
  stringPointer,
} from '../common/json';
import { proxy_get_buffer_bytes } from './env';
import { copyIn } from './opa';
import { entrypoints, opa_heap_ptr_get, opa_json_dump, opa_json_parse, opa_malloc } from './policy';
import { textLength, textOf } from './result';
import { memberSpan, spanLength } from './span';
import { ascii } from './text';

const PLUGIN_CONFIGURATION: i32 = 7;

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

/** The policy's number of the mesh decision, its parsed data, and where each evaluation's heap begins. */
export let entrypoint: u32 = 0;
export let data: u32 = 0;
export let heap: u32 = 0;

let foundLength: u32 = 0;

/**
 * Reads `{"trust_domain","service","policy_revision","data_revision","data"}`. A VM takes one
 * configuration: the policy's data cannot be replaced, and a second one would judge by the first's.
 * Traps where the data does not fit the policy's memory.
 */
export function configure(length: u32): bool {
  if (configured) return false;
  resetArena();
  configured = read(length);
  if (configured) {
    heap = opa_heap_ptr_get();
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
  const source = memberSpan(text, end, 'data');
  return source != 0 && loadData(source, spanLength) && findEntrypoint();
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

function loadData(source: u32, length: u32): bool {
  const target = opa_malloc(length);
  copyIn(target, source, length);
  data = opa_json_parse(target, length);
  return data != 0;
}

/** The number of the rule that decides, from the policy's own table. */
function findEntrypoint(): bool {
  const table = textOf(opa_json_dump(entrypoints()));
  const root = parseJson(table, textLength);
  if (root == 0 || kindOf(root) != Kind.Object || childCount(root) == 0) return false;
  const name = 'platform/mesh/decision';
  const found = member(root, ascii(name), <u32>name.length);
  if (found == 0 || kindOf(found) != Kind.Number) return false;
  entrypoint = <u32>numberValue(found);
  return true;
}
