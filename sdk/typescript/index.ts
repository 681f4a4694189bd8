// The SDK's core; the gateway client and the decision modules load at their first use.

import { createRequire } from 'node:module';

export type { Agent, AgentContext, AgentOptions } from './agent.ts';
export { currentAgent, platformAgent } from './agent.ts';
export type { ErrorCode, ScannerReport } from './errors.ts';
export {
  AuthenticationError,
  ConfigurationError,
  CredentialError,
  GuardrailError,
  InputError,
  ModuleError,
  PlatformError,
  SchemaError,
} from './errors.ts';
export type {
  CallOptions,
  GatewayOptions,
  PendingApproval,
  Registered,
  RegisterOptions,
  SearchResult,
  Tool,
  ToolError,
  ToolParameter,
  ToolResult,
} from './gateway.ts';
export type { ScanOptions, ScanResult } from './guard.ts';
export type { LlmOptions, ToolCall } from './llm/index.ts';
export type { PutOptions, Secret, SecretVersion, StoredSecret, VaultOptions } from './vault.ts';

/** `.ts` in the repository, `.js` in the packed SDK. */
const extension = import.meta.url.slice(import.meta.url.lastIndexOf('.'));
const require = createRequire(import.meta.url);

function load(name: string): object {
  return require(`./${name}${extension}`);
}

/** Stands for a module that is loaded when one of its members is asked for. */
function lazily<Module extends object>(name: string): Module {
  const handler = { get: (_: object, key: string) => Reflect.get(load(name), key) };
  return new Proxy({}, handler) as Module;
}

/** Prompt and response scanners, see guard.ts. */
export const guard = lazily<typeof import('./guard.ts')>('guard');
/**
 * Wraps a client of OpenAI, Anthropic, Google or Mistral so that its calls are observed and guarded, see
 * llm/index.ts.
 */
export const platformLlm: typeof import('./llm/index.ts').platformLlm = (client, options) =>
  (load('llm/index') as typeof import('./llm/index.ts')).platformLlm(client, options);
/** SPIFFE IDs and scopes, see scope.ts. */
export const scope = lazily<typeof import('./scope.ts')>('scope');
/** Validation of tool arguments, see arguments.ts. */
export const toolArguments = lazily<typeof import('./arguments.ts')>('arguments');

/** Secrets of the agent, see vault.ts. */
export const vault = lazily<typeof import('./vault.ts')>('vault');

export type GatewayClient = import('./gateway.ts').GatewayClient;
export type VaultClient = import('./vault.ts').VaultClient;

/** Stands for a class that is loaded when it is constructed. */
function lazyClass<Class extends object>(module: string, name: string): Class {
  const loadClass = () => Reflect.get(load(module), name);
  return new Proxy(function Lazy() {}, {
    construct: (_, parameters) => Reflect.construct(loadClass(), parameters),
    get: (_, key) => Reflect.get(loadClass(), key),
  }) as unknown as Class;
}

/** The client of the tool gateway, see gateway.ts. */
export const GatewayClient = lazyClass<typeof import('./gateway.ts').GatewayClient>(
  'gateway',
  'GatewayClient',
);
/** The client of the vault, see vault.ts. */
export const VaultClient = lazyClass<typeof import('./vault.ts').VaultClient>(
  'vault',
  'VaultClient',
);

/** Gives a function a secret as its first parameter, see vault.ts. */
export const secret: typeof import('./vault.ts').secret = (...parameters) =>
  vault.secret(...parameters);
/** Gives a function several secrets as its first parameter, see vault.ts. */
export const secretsBatch: typeof import('./vault.ts').secretsBatch = (...parameters) =>
  vault.secretsBatch(...parameters);
