// Reads a module's output as runtime/decide/decide.ts does: whether it allows, by which rule, and why.

import {
  firstChild,
  Kind,
  kindOf,
  member,
  nextSibling,
  parseJson,
  stringLength,
  stringPointer,
} from '../common/json';
import { beginOutput, outputBytes, outputPointer, writeAscii, writeBytes } from '../common/writer';
import { Module, nameOf } from './module';
import { isHonoured } from './obligations';
import { ascii } from './text';

export let allowed: bool = false;
/** The rule that said so, or the module's name. */
export let rule: u32 = 0;
export let ruleLength: u32 = 0;
/** Code and sentence of the first reason. */
export let code: u32 = 0;
export let codeLength: u32 = 0;
export let message: u32 = 0;
export let messageLength: u32 = 0;
/** The obligations that come with an allow, an array node; 0 for none. */
export let obligations: u32 = 0;

/** Only `allow: true` whose every obligation the caller honours allows. The nodes point into the output. */
export function judge(module: Module, output: u32, length: u32, honours: string): void {
  allowed = false;
  obligations = 0;
  const name = nameOf(module);
  setRule(ascii(name), <u32>name.length);
  const root = parseJson(output, length);
  if (root == 0 || kindOf(root) != Kind.Object) return setReason('module_output_invalid', '');
  const answer = find(root, 'allow');
  const answered = answer != 0 && kindOf(answer) == Kind.True;
  const stated = find(root, 'obligations');
  if (stated != 0 && !areObligations(stated)) return setReason('module_output_invalid', '');
  const named = find(root, 'rule');
  if (named != 0 && kindOf(named) == Kind.String) {
    setRule(stringPointer(named), stringLength(named));
  }
  const ignored = stated == 0 ? 0 : firstIgnored(stated, honours);
  if (answered && ignored != 0) return setIgnored(ignored);
  allowed = answered;
  obligations = answered ? stated : 0;
  setDefault(module);
  readReason(root);
}

/** Denies what was allowed, for a reason that the module does not know. */
export function overrule(reason: string, sentence: string): void {
  allowed = false;
  setReason(reason, sentence);
}

/** The message of a reason that was read, in words that are not the module's. */
export function setMessage(text: string): void {
  message = ascii(text);
  messageLength = <u32>text.length;
}

function readReason(root: u32): void {
  let reason = find(root, 'reason');
  if (reason == 0 || kindOf(reason) != Kind.Object) {
    const reasons = find(root, 'reasons');
    reason = reasons != 0 && kindOf(reasons) == Kind.Array ? firstObject(reasons) : 0;
  }
  if (reason == 0) return;
  const stated = find(reason, 'code');
  if (stated == 0 || kindOf(stated) != Kind.String) return;
  code = message = stringPointer(stated);
  codeLength = messageLength = stringLength(stated);
  const said = find(reason, 'message');
  if (said == 0 || kindOf(said) != Kind.String) return;
  message = stringPointer(said);
  messageLength = stringLength(said);
}

/** What an answer says that gives no reason. */
function setDefault(module: Module): void {
  if (allowed) setReason('allowed', '');
  else if (module == Module.Arguments) {
    setReason('arguments_invalid', "the arguments do not fit the tool's schema");
  } else if (module == Module.Guard) {
    setReason('guard_blocked', 'the guard found something that must not pass');
  } else setReason('denied', 'no rule allows this');
}

function areObligations(node: u32): bool {
  if (kindOf(node) != Kind.Array) return false;
  for (let child = firstChild(node); child != 0; child = nextSibling(child)) {
    if (kindOf(child) != Kind.Object) return false;
    const kind = find(child, 'kind');
    if (kind == 0 || kindOf(kind) != Kind.String) return false;
  }
  return true;
}

/** The first obligation that the caller does not honour; 0 for none. */
function firstIgnored(stated: u32, honours: string): u32 {
  let child = firstChild(stated);
  while (child != 0 && isHonoured(child, honours)) child = nextSibling(child);
  return child;
}

function setIgnored(obligation: u32): void {
  const kind = find(obligation, 'kind');
  setReason('obligation_unknown', '');
  beginOutput();
  writeAscii('this caller cannot honour "');
  writeBytes(stringPointer(kind), stringLength(kind));
  writeAscii('"');
  message = outputPointer();
  messageLength = outputBytes();
}

function find(node: u32, name: string): u32 {
  return member(node, ascii(name), <u32>name.length);
}

function firstObject(array: u32): u32 {
  let child = firstChild(array);
  while (child != 0 && kindOf(child) != Kind.Object) child = nextSibling(child);
  return child;
}

function setRule(pointer: u32, length: u32): void {
  rule = pointer;
  ruleLength = length;
}

/** Without a sentence the code says all. */
function setReason(text: string, sentence: string): void {
  code = message = ascii(text);
  codeLength = messageLength = <u32>text.length;
  if (sentence.length > 0) setMessage(sentence);
}
