// Matches a method and a raw path to a route; literal segments win over parameters.
import { PlatformError } from '../../../runtime/errors.ts';
import type { Route } from './port.ts';

export type Match =
  | { kind: 'route'; route: Route; params: Record<string, string> }
  | { kind: 'unknown' }
  | { kind: 'method'; allow: string[] };

interface Compiled {
  route: Route;
  segments: string[];
}

export class Router {
  readonly #routes: Compiled[];

  /**
   * Throws `configuration_invalid` when two routes would answer the same requests, and for a
   * published document that takes more than a plain GET.
   */
  constructor(routes: readonly Route[]) {
    const seen = new Set<string>();
    this.#routes = routes.map((route) => {
      const segments = route.path.split('/');
      const shape = `${route.method} ${segments.map((s) => (s.startsWith(':') ? ':' : s)).join('/')}`;
      if (seen.has(shape) || segments[0] !== '') {
        throw new PlatformError('configuration_invalid', `route ${shape} is not usable twice`);
      }
      seen.add(shape);
      if (route.boundary === 'published' && (route.method !== 'GET' || /\/[:*]/.test(shape))) {
        throw new PlatformError('configuration_invalid', `${shape} cannot be a published document`);
      }
      return { route, segments };
    });
  }

  list(): readonly Route[] {
    return this.#routes.map(({ route }) => route);
  }

  /** `path` is the raw path; a literal never matches its percent-encoded spelling. */
  match(method: string, path: string): Match {
    const segments = path.split('/');
    let best: { compiled: Compiled; params: Record<string, string> } | undefined;
    const allow = new Set<string>();
    for (const compiled of this.#routes) {
      const params = parametersOf(compiled.segments, segments);
      if (params === undefined) continue;
      allow.add(compiled.route.method);
      if (compiled.route.method !== method) continue;
      if (best === undefined || rankOf(compiled, params) < rankOf(best.compiled, best.params)) {
        best = { compiled, params };
      }
    }
    if (best !== undefined)
      return { kind: 'route', route: best.compiled.route, params: best.params };
    return allow.size > 0 ? { kind: 'method', allow: [...allow].sort() } : { kind: 'unknown' };
  }
}

/** The lower the more particular: fewer parameters, and any number of them before a whole rest. */
function rankOf({ segments }: Compiled, params: Record<string, string>): number {
  const literals = segments.length - Object.keys(params).length;
  return segments.at(-1) === '*' ? Number.MAX_SAFE_INTEGER - literals : Object.keys(params).length;
}

function parametersOf(pattern: string[], path: string[]): Record<string, string> | undefined {
  const hasRest = pattern.at(-1) === '*';
  // The rest is at least one segment, and is not decoded: its handler reads `request.path`.
  const segments = hasRest ? [...path.slice(0, pattern.length - 1), '*'] : path;
  if (pattern.length !== segments.length || (hasRest && path.length < pattern.length)) {
    return undefined;
  }
  // Most routes differ in a literal: nothing is decoded for those.
  if (!pattern.every((part, i) => part.startsWith(':') || part === segments[i])) return undefined;
  const params: Record<string, string> = Object.create(null);
  for (let i = 0; i < pattern.length; i++) {
    const part = pattern[i]!;
    if (!part.startsWith(':')) continue;
    const value = decodeSegment(segments[i]!);
    if (value === undefined) return undefined;
    params[part.slice(1)] = value;
  }
  return params;
}

/**
 * Decodes one path segment once (RFC 3986, section 2.1). Undefined when it is empty, badly encoded,
 * or decodes to something that a later reader could take for path syntax or a control character.
 */
function decodeSegment(segment: string): string | undefined {
  let value: string;
  try {
    value = decodeURIComponent(segment);
  } catch {
    return undefined;
  }
  if (value === '' || value === '.' || value === '..') return undefined;
  for (const char of value) {
    const code = char.codePointAt(0)!;
    if (code < 0x20 || code === 0x7f || char === '/' || char === '\\') return undefined;
  }
  return value;
}
