// `platform policy serve`: policies over OPA's REST API, so that OPA's clients work by changing a URL.
import { readFile } from 'node:fs/promises';
import { isIP } from 'node:net';
import { join } from 'node:path';
import pc from 'picocolors';
import { readBundleKeys } from '../../../runtime/bundle/keys.ts';
import { codeOf, PlatformError } from '../../../runtime/errors.ts';
import type { JsonObject } from '../../../runtime/json.ts';
import type { RegoFinding } from '../../../runtime/modules/rego.ts';
import { createHttpServer } from '../../../services/common/http/port.ts';
import { sinkOf } from '../../../services/policy/log-sinks.ts';
import { type Polling, startPolling } from '../../../services/policy/poll.ts';
import { createPolicyService } from '../../../services/policy/service.ts';
import type { Command } from '../../command.ts';
import { EXIT_FAILED } from '../../failure.ts';
import { parseOptions, UsageError } from '../../options.ts';
import { addressOf, isLoopback, type TcpAddress } from '../../policy/serve/address.ts';
import {
  bundleSource,
  dataSource,
  folderSource,
  type LocalSource,
  serveSource,
} from '../../policy/serve/local.ts';
import { describeFindings } from './findings.ts';
import { FOLDERS_MAX, isBundle, policyFolders, print, printJson } from './sources.ts';

const GRACE_MS = 3000;
const TOKEN_BYTES_MIN = 16;

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
  const { bundle, data, intervalMs, json } = flags;
  const keys = flags.key === undefined ? undefined : await readBundleKeys(flags.key);
  const folders = policyFolders(flags.folders.filter((path) => !isBundle(path)));
  const capabilities = JSON.parse(
    await readFile(join(folders[0]!, 'capabilities.json'), 'utf8'),
  ) as JsonObject;
  const service = createPolicyService({
    bundles: data === undefined ? ['policy'] : ['policy', 'data'],
    capabilities,
    ...{ defaultDecision: flags.defaultDecision, token: flags.token },
    decisionLogs: flags.decisionLogs === undefined ? undefined : sinkOf(flags.decisionLogs),
    onTrouble: tell,
  });
  const { engine, bundles } = service;
  const ends: (() => Promise<unknown>)[] = [() => service.close()];
  const stop = async () => {
    for (const end of ends.reverse()) await end();
  };
  const local: LocalSource[] = [];
  if (data !== undefined && !isUrl(data)) local.push(dataSource(data, keys));
  if (flags.archive !== undefined) local.push(bundleSource('policy', flags.archive, keys));
  else if (bundle === undefined) local.push(folderSource(folders, flags.folders));
  const failures: unknown[] = [];
  for (const source of local) {
    let isFirst = true;
    ends.push(
      await serveSource(service, source, (error) => {
        if (isFirst) failures.push(error);
        else tell(error);
      }),
    );
    isFirst = false;
  }
  if (failures.length > 0) {
    await stop();
    return explain(failures[0], json);
  }
  const remote: Polling[] = [];
  for (const [kind, url] of [['data', data] as const, ['policy', bundle] as const]) {
    if (url === undefined || !isUrl(url)) continue;
    const polling = startPolling({
      ...{ kind, url, keys: keys ?? [], intervalMs, engine },
      ...{ board: bundles, onTrouble: tell },
    });
    remote.push(polling);
    ends.push(() => polling.close());
  }
  const server = createHttpServer({ routes: service.routes });
  try {
    await server.listen(flags.address);
  } catch (error) {
    await stop();
    throw error;
  }
  ends.push(() => server.close(GRACE_MS));
  const { host, port } = server.address() as TcpAddress;
  const url = `http://${isIP(host) === 6 ? `[${host}]` : host}:${port}`;
  if (json) printJson({ url, bundles: bundles.status() });
  else {
    print(`${pc.green('serving')} policies at ${url}`);
    for (const [kind, status] of Object.entries(bundles.status())) {
      const { active_revision: revision = 'not yet' } = status as JsonObject;
      print(`  ${kind.padEnd(7)}${String(revision)}`);
    }
    print(`  try: curl ${url}/v1/data/platform/tool/allow`);
  }
  await signalled();
  await stop();
  return 0;
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

function explain(error: unknown, json: boolean): number {
  const errors = error instanceof PlatformError ? error.data.errors : undefined;
  if (!Array.isArray(errors)) throw error;
  if (json) printJson({ ok: false, errors });
  else print(describeFindings(errors as RegoFinding[]));
  return EXIT_FAILED;
}

async function readToken(path: string): Promise<string> {
  let token: string;
  try {
    token = (await readFile(path, 'utf8')).trim();
  } catch (cause) {
    throw new PlatformError('configuration_invalid', `cannot read ${path}`, { cause });
  }
  if (Buffer.byteLength(token) >= TOKEN_BYTES_MIN && !/\s/.test(token)) return token;
  throw new PlatformError('configuration_invalid', `${path} holds no token of 16 bytes or more`);
}
