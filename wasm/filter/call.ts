// The decisions about a message: what the policy says of it, then its arguments and its text where the answer demands it.

import { alloc } from '../common/arena';
import { firstChild, member, nextSibling, stringLength, stringPointer } from '../common/json';
import { sha256Begin, sha256End, sha256Update } from '../common/sha256';
import {
  beginOutput,
  outputBytes,
  outputPointer,
  writeAscii,
  writeByte,
  writeJsonString,
  writeU32,
} from '../common/writer';
import { writeNode, writeTextOf } from './call-text';
import { beginInput, endInput } from './decide';
import {
  allowed,
  beginDecision,
  decide,
  decideCanonical,
  obligations,
  useSchema,
} from './decision';
import { salt } from './facts';
import { overrule } from './judge';
import { noteDecision } from './log';
import { Module } from './module';
import { argumentsNode, content, kind, method, prompt, skill, tool } from './rpc';
import { ascii, equals, hex } from './text';

const HASH_BYTES: u32 = 32;

/** The request that carries the message. */
let httpMethod: u32 = 0;
let httpMethodLength: u32 = 0;
let path: u32 = 0;
let pathLength: u32 = 0;

/** Says which request carries the message: its method, and its path without the query. */
export function carriedBy(verb: u32, verbLength: u32, at: u32, length: u32): void {
  httpMethod = verb;
  httpMethodLength = verbLength;
  path = at;
  pathLength = length;
}

/**
 * Decides on the message that was read (rpc.ts), whose body has `bytes`; with an `error`, on one that
 * could not be read. Whether it may go on stands in `allowed`.
 */
export function decideCall(protocol: string, bytes: u32, error: string): void {
  beginDecision(ascii('mesh'), 4, Module.Authorization, salt);
  writeCall(protocol, bytes, error);
  decideCanonical(outputPointer(), outputBytes(), '', 'validate_arguments scan');
  noteDecision();
  // A policy that allows what could not be read does not know what it allows.
  if (allowed && error.length > 0) return overrule(error, 'the message cannot be read');
  // Schemas first: what does not fit costs no scan.
  const demanded = obligations;
  if (allowed) validateEach(demanded);
  if (allowed) scanEach(demanded);
}

/** Canonical JSON (RFC 8785) of the input: every text in it was read strictly before. */
function writeCall(protocol: string, bytes: u32, error: string): void {
  beginInput('call');
  writeAscii(',"message":{');
  if (error.length > 0) {
    writeAscii('"error":"');
    writeAscii(error);
    writeAscii('"');
  } else {
    writeAscii('"bytes":');
    writeU32(bytes);
    writeAscii(',"http_method":');
    writeJsonString(httpMethod, httpMethodLength);
    writeAscii(',"kind":"');
    writeAscii(kind);
    writeAscii('"');
    writeNamed('method', method);
    writeAscii(',"path":');
    writeJsonString(path, pathLength);
    writeNamed('prompt', prompt);
  }
  writeAscii(',"protocol":"');
  writeAscii(protocol);
  writeAscii('"');
  if (error.length == 0) {
    writeNamed('skill', skill);
    writeNamed('tool', tool);
  }
  writeAscii('}');
  endInput();
}

function writeNamed(name: string, node: u32): void {
  if (node == 0) return;
  writeAscii(',"');
  writeAscii(name);
  writeAscii('":');
  writeJsonString(stringPointer(node), stringLength(node));
}

function validateEach(demanded: u32): void {
  for (let one = first(demanded); one != 0 && allowed; one = nextSibling(one)) {
    if (!isKind(one, 'validate_arguments')) continue;
    beginOutput();
    writeNode(find(one, 'schema'));
    const schema = outputPointer();
    const schemaLength = outputBytes();
    const digest = alloc(HASH_BYTES);
    sha256Begin();
    sha256Update(schema, schemaLength);
    sha256End(digest);
    beginOutput();
    writeAscii('{"arguments":');
    if (argumentsNode == 0) writeAscii('{}');
    else writeNode(argumentsNode);
    writeAscii(',"schema":"sha256:');
    writeDigits(digest);
    writeAscii('"}');
    beginDecision(ascii('mesh'), 4, Module.Arguments, salt);
    useSchema(schema, schemaLength);
    decide(outputPointer(), outputBytes(), '');
    noteDecision();
  }
}

function scanEach(demanded: u32): void {
  for (let one = first(demanded); one != 0 && allowed; one = nextSibling(one)) {
    if (!isKind(one, 'scan')) continue;
    beginOutput();
    writeAscii('{"direction":"input","scanners":');
    writeNode(find(one, 'scanners'));
    writeAscii(',"text":');
    writeTextOf(content);
    writeAscii(',"thresholds":');
    writeNode(find(one, 'thresholds'));
    writeAscii('}');
    beginDecision(ascii('mesh'), 4, Module.Guard, salt);
    decide(outputPointer(), outputBytes(), '');
    noteDecision();
  }
}

function writeDigits(digest: u32): void {
  const digits = hex(digest, HASH_BYTES);
  for (let i: u32 = 0; i < HASH_BYTES << 1; i++) writeByte(load<u8>(digits + i));
}

function first(demanded: u32): u32 {
  return demanded == 0 ? 0 : firstChild(demanded);
}

function isKind(obligation: u32, wanted: string): bool {
  const kind = find(obligation, 'kind');
  return equals(stringPointer(kind), stringLength(kind), wanted);
}

function find(node: u32, name: string): u32 {
  return member(node, ascii(name), <u32>name.length);
}
