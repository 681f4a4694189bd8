// The guard's environment variables as a typed configuration; all that is wrong is told at once.
import { isAbsolute } from 'node:path';
import { unknownScanners } from '../../runtime/guard/pipeline.ts';
import { scanners as builtScanners, type ScannerName } from '../../runtime/modules/guard.ts';
import { type TokenEncoding, tokenModules } from '../../runtime/modules/tokens.ts';
import { type DecidingEnvironment, unixPath, Variables } from '../common/config.ts';
import type { ListenAddress } from '../common/http/port.ts';
import { defaultSettings, type Enforcement, type GuardSettings } from './settings.ts';

/** Where a larger model of prompt injection is asked, besides the built-in one. */
export type ModelPlace = { url: string } | { file: string };

export interface GuardEnvironment extends DecidingEnvironment {
  /** Where only the inbound proxy may reach the guard, which believes the proxy's headers. */
  listen: ListenAddress;
  settings: GuardSettings;
  /** Undefined: the built-in one alone. */
  injectionModel: ModelPlace | undefined;
  /** What clients of the llm-guard API show as a bearer token. */
  authToken: string | undefined;
}

/** Reads the environment. Throws `configuration_invalid` with every problem in `data.problems`. */
export function readConfig(environment: NodeJS.ProcessEnv): GuardEnvironment {
  const variables = new Variables(environment);
  return variables.finish({
    listen: listenAddress(variables),
    settings: settingsOf(variables),
    injectionModel: modelOf(variables),
    authToken: variables.optional('AUTH_TOKEN'),
    ...variables.deciding(),
  });
}

function listenAddress(variables: Variables): ListenAddress {
  const value = variables.optional('LISTEN_ADDRESS') ?? ':8000';
  const path = unixPath(value);
  if (path !== undefined) return { path };
  const port = value.startsWith(':') && /^\d{1,5}$/.test(value.slice(1)) ? +value.slice(1) : -1;
  // Loopback only: in a pod that is the proxy beside the guard, and nobody else.
  if (port >= 0 && port <= 65_535) return { host: '127.0.0.1', port };
  variables.problem('LISTEN_ADDRESS is neither :port nor unix:/absolute/path');
  return { path: '' };
}

function settingsOf(variables: Variables): GuardSettings {
  const piiThreshold = thousandthsOf(variables, 'PII_DETECTION_THRESHOLD');
  const tokensMax = wholeOf(variables, 'TOKEN_LIMIT');
  const allowed = listOf(variables, 'ALLOWED_TOPICS');
  const forbidden = listOf(variables, 'FORBIDDEN_TOPICS');
  return {
    enabled: enabledOf(variables),
    enforcement: enforcementOf(variables),
    thresholds: piiThreshold === undefined ? {} : { PII: piiThreshold },
    ...(allowed.length + forbidden.length > 0 ? { topics: { allowed, forbidden } } : {}),
    ...(tokensMax === undefined ? {} : { tokensMax }),
    tokenEncoding: encodingOf(variables),
  };
}

function enabledOf(variables: Variables): 'all' | ScannerName[] {
  const value = variables.optional('ENABLED_SCANNERS') ?? 'all';
  if (value === 'all') return 'all';
  const names = value.split(',').map((name) => name.trim());
  const unknown = unknownScanners(names);
  if (unknown.length > 0) {
    const built = builtScanners.map(({ name }) => name).join(', ');
    variables.problem(`ENABLED_SCANNERS has no scanner "${unknown.join('", "')}"; it has ${built}`);
  }
  return names as ScannerName[];
}

/** `true` and `block`, `false` and `warn`. */
function enforcementOf(variables: Variables): Enforcement {
  const value = variables.optional('BLOCK_ON_DETECTION') ?? 'true';
  if (value === 'false' || value === 'warn') return 'warn';
  if (value !== 'true' && value !== 'block') {
    variables.problem('BLOCK_ON_DETECTION is neither true (block) nor false (warn)');
  }
  return 'block';
}

/** A score from 0.001 to 1 as thousandths. */
function thousandthsOf(variables: Variables, name: string): number | undefined {
  const value = variables.optional(name);
  if (value === undefined) return undefined;
  const score = /^[01](\.\d{1,9})?$/.test(value) ? Math.round(Number(value) * 1000) : 0;
  if (score >= 1 && score <= 1000) return score;
  variables.problem(`${name} is not a score from 0.001 to 1`);
  return undefined;
}

function wholeOf(variables: Variables, name: string): number | undefined {
  const value = variables.optional(name);
  if (value === undefined) return undefined;
  if (/^[1-9]\d{0,8}$/.test(value)) return Number(value);
  variables.problem(`${name} is not a whole number`);
  return undefined;
}

function encodingOf(variables: Variables): TokenEncoding {
  const value = variables.optional('TOKEN_ENCODING') ?? defaultSettings.tokenEncoding;
  const names = Object.keys(tokenModules) as TokenEncoding[];
  const known = names.find((name) => name === value);
  if (known === undefined) variables.problem(`TOKEN_ENCODING is none of ${names.join(', ')}`);
  return known ?? defaultSettings.tokenEncoding;
}

const topicsMax = 64;

function listOf(variables: Variables, name: string): string[] {
  const value = variables.optional(name);
  const topics = value?.split(',').map((topic) => topic.trim()) ?? [];
  if (topics.includes('') || topics.length > topicsMax) {
    variables.problem(`${name} is a list of at most ${topicsMax} topics, with commas between them`);
  }
  return topics;
}

function modelOf(variables: Variables): ModelPlace | undefined {
  const name = 'INJECTION_DETECTION_MODEL';
  const value = variables.optional(name) ?? 'built-in';
  if (value === 'built-in') return undefined;
  if (/^https?:/.test(value)) {
    const url = variables.url(name, value, ['http:', 'https:']);
    return url === undefined ? undefined : { url };
  }
  if (isAbsolute(value) && value.endsWith('.onnx')) return { file: value };
  variables.problem(
    `${name} is neither built-in, nor an http(s) URL, nor the path of an .onnx file`,
  );
  return undefined;
}
