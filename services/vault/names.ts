// What a secret may be called, and the scopes that it may have: both judged before anything is looked up.
import { codeOf, PlatformError } from '../../runtime/errors.ts';
import type { Scope } from '../../runtime/modules/scope.ts';
import type { Identity } from '../common/caller.ts';

const keyBytesMax = 256;
const keyCharacters = new Set('ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._-');
// Names that the wire gives to something else, or that a path would drop.
const reserved = new Set(['.', '..', 'rotation', 'batch', 'rotate-master-key']);

/** The key, when it is one: 1 to 256 of `A-Z a-z 0-9 . _ -`. Throws `secret_invalid`. */
export function requireKey(key: unknown): string {
  if (typeof key !== 'string' || key.length === 0 || key.length > keyBytesMax) {
    throw invalid(`a key has 1 to ${keyBytesMax} characters`);
  }
  if (!isKeyText(key)) throw invalid('a key is made of A-Z a-z 0-9 . _ - only');
  if (reserved.has(key)) throw invalid('this name is not for secrets');
  return key;
}

/** What keys may begin with; empty for all. Throws `secret_invalid`. */
export function requirePrefix(prefix: string): string {
  if (prefix.length <= keyBytesMax && isKeyText(prefix)) return prefix;
  throw invalid('a prefix is made of the characters of keys');
}

function isKeyText(text: string): boolean {
  for (const character of text) if (!keyCharacters.has(character)) return false;
  return true;
}

/**
 * The three scopes that cover an agent's process, the most specific first. Only secrets in these are
 * ever looked at for it.
 */
export function scopesOf(identity: Identity): [process: string, agent: string, tenant: string] {
  const { spiffe_id, trust_domain, tenant, agent } = identity;
  const path = `spiffe://${trust_domain}/agent/${tenant}`;
  return [spiffe_id, `${path}/${agent}/*`, `${path}/*`];
}

/** The scope that an agent names: a role of its own, a whole scope, or nothing for agent-wide. */
export function namedScope(named: unknown, identity: Identity): string {
  const agentWide = scopesOf(identity)[1];
  if (named === undefined || named === null) return agentWide;
  if (typeof named !== 'string') throw invalid('`scope` is a text');
  return named.includes('/') ? named : `${agentWide.slice(0, -1)}${named}`;
}

/**
 * The scope, when it has one of the three shapes: a process's SPIFFE ID, an agent's or a tenant's
 * followed by `/*`, in this trust domain. Throws `secret_invalid`.
 */
export function requireScope(
  scope: unknown,
  module: Pick<Scope, 'parse'>,
  trustDomain: string,
): string {
  if (typeof scope !== 'string' || scope.length > 2048) throw invalid('`scope` is missing');
  const isWide = scope.endsWith('/*');
  const { trustDomain: domain, path } = parse(isWide ? scope.slice(0, -2) : scope, module);
  const lengths = isWide ? [2, 3] : [4];
  if (domain !== trustDomain || path[0] !== 'agent' || !lengths.includes(path.length)) {
    throw invalid('a scope is that of a process, an agent or a tenant of this trust domain');
  }
  return scope;
}

function parse(spiffeId: string, module: Pick<Scope, 'parse'>): ReturnType<Scope['parse']> {
  try {
    return module.parse(spiffeId);
  } catch (cause) {
    throw new PlatformError('secret_invalid', 'the scope is not made of a SPIFFE ID', {
      cause,
      data: { rule: codeOf(cause) },
    });
  }
}

function invalid(message: string): PlatformError {
  return new PlatformError('secret_invalid', message);
}
