// `platform policy serve`: policies over OPA's REST API, so that OPA's clients work by changing a URL.
import { readFile } from 'node:fs/promises';
import { isIP } from 'node:net';
import { join } from 'node:path';
import type { JWK } from 'jose';
import pc from 'picocolors';
import { readBundleKeys } from '../../../runtime/bundle/keys.ts';
import { codeOf, PlatformError } from '../../../runtime/errors.ts';
import type { JsonObject } from '../../../runtime/json.ts';
import { createHttpServer } from '../../../services/common/http/port.ts';
import { sinkOf } from '../../../services/policy/log-sinks.ts';
import { startPolling } from '../../../services/policy/poll.ts';
import { createPolicyService, type PolicyService } from '../../../services/policy/service.ts';
import { readToken } from '../../../services/policy/token.ts';
import type { Command } from '../../command.ts';
import { parseOptions, UsageError } from '../../options.ts';
import { addressOf, isLoopback, type TcpAddress } from '../../policy/serve/address.ts';
import {
  bundleSource,
  dataSource,
  folderSource,
  type LocalSource,
  serveSource,
} from '../../policy/serve/local.ts';
import { reportPolicyError } from './findings.ts';
import { FOLDERS_MAX, isBundle, policyFolders, print, printJson } from './sources.ts';

const GRACE_MS = 3000;

const help = `Usage
  platform policy serve [FOLDER...|BUNDLE] [--data FILE] [options]
  platform policy serve --bundle URL --key FILE [--data URL] [options]

Answers OPA's REST API: POST and GET /v1/data, POST /v0/data, /health, /v1/policies, /v1/status and
/metrics. Decisions are made as everywhere in the platform and carry the same ids. Nothing can be
written: policies and data come from folders or bundles, and what changes there is in force within
seconds. A bundle that is bad changes nothing; /health?plugins and standard error say why.

FOLDER is a folder of operators' policies, compiled with the platform's own; BUNDLE is what build
made. Without either, the platform's own policies.

Options
  --data FILE            data.json, a data bundle, or its URL; without it there is no data
  --bundle URL           fetch the policy bundle, a signed .tar.gz, again and again
  --key FILE             public key that bundles must be signed with; needed for URLs
  --interval S           seconds between fetches, 1 to 3600 (default 30)
  --addr HOST:PORT       where to listen (default 127.0.0.1:8181; port 0 is any free one)
  --token-file FILE      what callers must send as their bearer token; needed beyond loopback
  --decision-logs WHERE  a file, console, or the URL of a server that takes them at URL/logs
  --default-decision P   what POST / asks for (default platform/tool/decision)
  --json                 print one JSON document once it listens

Exit codes
  0 stopped by a signal; 1 policies or bundles cannot be used, or the address; 2 wrong command line

Examples
  platform policy serve my-policies --data data.json
  curl -d '{"input": {"action": "call"}}' localhost:8181/v1/data/platform/tool/decision
  platform policy serve policy.tar.gz --key bundle-key.json.pub --decision-logs decisions.jsonl
  platform policy serve --bundle https://bundles.example.com/policy.tar.gz --key key.pub --json`;

/** Serves policies until a signal. */
export const serveVerb: Command = {
  name: 'serve',
  summary: "answer OPA's REST API with these policies",
  help,
  async run(argv) {
    const { values, positionals } = parseOptions(
      argv,
      {
        json: { type: 'boolean', default: false },
        data: { type: 'string' },
        bundle: { type: 'string' },
        key: { type: 'string' },
        interval: { type: 'string', default: '30' },
        addr: { type: 'string', default: '127.0.0.1:8181' },
        'token-file': { type: 'string' },
        'decision-logs': { type: 'string' },
        'default-decision': { type: 'string', default: 'platform/tool/decision' },
      },
      FOLDERS_MAX,
    );
    const seconds = Number(values.interval);
    if (!(seconds >= 1 && seconds <= 3600)) throw new UsageError('--interval is 1 to 3600 seconds');
    const address = addressOf(values.addr ?? '');
    const tokenFile = values['token-file'];
    if (!isLoopback(address) && tokenFile === undefined) {
      throw new UsageError(
        'beyond loopback, --token-file is needed: the API tells and decides all',
      );
    }
    const { bundle, data, key } = values;
    if (bundle !== undefined && positionals.length > 0) {
      throw new UsageError('give folders or a bundle here, or --bundle, not both');
    }
    const [archive] = positionals.filter(isBundle);
    if (archive !== undefined && positionals.length > 1) {
      throw new UsageError('one bundle, or folders');
    }
    for (const url of [bundle, data]) {
      if (url !== undefined && isUrl(url) && key === undefined) {
        throw new UsageError('what is fetched must be signed: give --key');
      }
    }
    if (bundle !== undefined && !isUrl(bundle)) throw new UsageError('--bundle is an http(s) URL');
    return serve({
      ...{ folders: positionals, archive, bundle, data, key, address },
      intervalMs: seconds * 1000,
      token: tokenFile === undefined ? undefined : await readToken(tokenFile),
      decisionLogs: values['decision-logs'],
      defaultDecision: (values['default-decision'] ?? '').replace(/^\/+/, ''),
      json: values.json === true,
    });
  },
};

interface ServeFlags {
  folders: string[];
  archive?: string;
  bundle?: string;
  data?: string;
  key?: string;
  address: TcpAddress;
  intervalMs: number;
  token?: string;
  decisionLogs?: string;
  defaultDecision: string;
  json: boolean;
}

async function serve(flags: ServeFlags): Promise<number> {
  const keys = flags.key === undefined ? undefined : await readBundleKeys(flags.key);
  const folders = policyFolders(flags.folders.filter((path) => !isBundle(path)));
  const capabilities = JSON.parse(
    await readFile(join(folders[0]!, 'capabilities.json'), 'utf8'),
  ) as JsonObject;
  const service = createPolicyService({
    bundles: flags.data === undefined ? ['policy'] : ['policy', 'data'],
    capabilities,
    ...{ defaultDecision: flags.defaultDecision, token: flags.token },
    decisionLogs: flags.decisionLogs === undefined ? undefined : sinkOf(flags.decisionLogs),
    onTrouble: tell,
  });
  const ends: (() => Promise<unknown>)[] = [() => service.close()];
  try {
    await serveLocal(service, sourcesOf(flags, folders, keys), ends);
    pollRemote(service, flags, keys ?? [], ends);
    const server = createHttpServer({ routes: service.routes });
    await server.listen(flags.address);
    ends.push(() => server.close(GRACE_MS));
    announce(service, server.address() as TcpAddress, flags.json);
    await signalled();
    return 0;
  } catch (error) {
    return reportPolicyError(error, flags.json);
  } finally {
    for (const end of ends.reverse()) await end();
  }
}

/** What is on this machine: data first, so that no decision is made without it. */
function sourcesOf(
  { archive, bundle, data, folders: given }: ServeFlags,
  folders: readonly string[],
  keys: readonly JWK[] | undefined,
): LocalSource[] {
  const sources: LocalSource[] = [];
  if (data !== undefined && !isUrl(data)) sources.push(dataSource(data, keys));
  if (archive !== undefined) sources.push(bundleSource('policy', archive, keys));
  else if (bundle === undefined) sources.push(folderSource(folders, given));
  return sources;
}

/** Follows the sources; throws what is wrong with one at the start, and tells of it later. */
async function serveLocal(
  service: PolicyService,
  sources: readonly LocalSource[],
  ends: (() => Promise<unknown>)[],
): Promise<void> {
  for (const source of sources) {
    let failure: unknown;
    let isServed = false;
    const onTrouble = (error: unknown) => {
      if (isServed) tell(error);
      else failure = error;
    };
    ends.push(await serveSource(service, source, onTrouble));
    isServed = true;
    if (failure !== undefined) throw failure;
  }
}

function pollRemote(
  { engine, bundles: board }: PolicyService,
  { bundle, data, intervalMs }: ServeFlags,
  keys: readonly JWK[],
  ends: (() => Promise<unknown>)[],
): void {
  for (const [kind, url] of [['data', data] as const, ['policy', bundle] as const]) {
    if (url === undefined || !isUrl(url)) continue;
    const config = { kind, url, keys, intervalMs, engine, board, onTrouble: tell };
    const polling = startPolling(config);
    ends.push(() => polling.close());
  }
}

function announce({ bundles }: PolicyService, { host, port }: TcpAddress, json: boolean): void {
  const url = `http://${isIP(host) === 6 ? `[${host}]` : host}:${port}`;
  if (json) {
    printJson({ url, bundles: bundles.status() });
    return;
  }
  print(`${pc.green('serving')} policies at ${url}`);
  for (const [kind, status] of Object.entries(bundles.status())) {
    const { active_revision: revision = 'not yet' } = status as JsonObject;
    print(`  ${kind.padEnd(7)}${String(revision)}`);
  }
  print(`  try: curl ${url}/v1/data/platform/tool/allow`);
}

function signalled(): Promise<void> {
  return new Promise((resolve) => {
    for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
      process.once(name, () => resolve());
  });
}

function isUrl(text: string): boolean {
  return URL.canParse(text) && /^https?:$/.test(new URL(text).protocol);
}

/** Something went wrong while serving; what is served stays. */
function tell(error: unknown): void {
  const message = error instanceof PlatformError ? error.message : 'something unexpected failed';
  process.stderr.write(`${pc.yellow('warning')} ${codeOf(error)}: ${message}\n`);
}
