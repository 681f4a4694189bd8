// `platform up`: runs the whole platform on this machine until it is told to stop.
import pc from 'picocolors';
import type { PlatformError } from '../../runtime/errors.ts';
import { secondsOf, svidTtlBounds } from '../../services/identity/ttl.ts';
import type { Command } from '../command.ts';
import { reportFailure } from '../failure.ts';
import { parseOptions, UsageError } from '../options.ts';
import { stateFolder } from '../state-folder.ts';
import type { RunningPlatform } from '../up/platform.ts';

const help = `Usage
  platform up [options]

Starts everything on this machine: identity, mutual TLS with one proxy an agent, gateway, vault,
guard, evidence, the local page. Nothing listens beyond this machine; services listen only on Unix sockets,
behind the inbound proxy on 15006 (metrics 15090, health 15021; free ports where these are taken).
Stops on Ctrl-C.

Options
  --policies DIR     your own policies and data.json, beside the platform's; may be given again.
                     A change is live within seconds; a bad one is shown and the last good serves
  --guarded          compare a changed policy or data.json with what is in force first, and refuse
                     what lets through more, unless accepted-flips.json in DIR names it
                     (see platform policy diff --help)
  --demo             also run the sample tool server and the sample agent
  --port N           port of the local page and of /health on 127.0.0.1; default 7447
  --trust-domain D   default platform.local
  --oidc-issuer URL  where relying parties fetch the keys of JWT-SVIDs, when you publish
                     /.well-known/openid-configuration and /keys of the local port there
  --svid-ttl TIME    how long an X.509-SVID is good, 5m to 24h; default 1h
  --state DIR        where state is kept; default PLATFORM_STATE, else .platform-state here

Exit codes
  0 stopped as told, 1 could not start, 2 wrong command line

Examples
  platform up
  platform up --policies my-policies
  platform up --policies my-policies --guarded
  platform up --demo --port 0`;

const defaultPort = 7447;
/** Beyond this, what still hangs is left behind: recovery takes care of it at the next start. */
const stopMs = 4500;

export const up: Command = {
  name: 'up',
  summary: 'run the platform on this machine until Ctrl-C',
  help,
  async run(argv) {
    const { values } = parseOptions(argv, {
      policies: { type: 'string', multiple: true },
      guarded: { type: 'boolean' },
      demo: { type: 'boolean' },
      port: { type: 'string' },
      'trust-domain': { type: 'string' },
      'oidc-issuer': { type: 'string' },
      'svid-ttl': { type: 'string' },
      state: { type: 'string' },
    });
    const state = stateFolder(values.state);
    const port = portOf(values.port);
    const svidTtlMs = svidTtlOf(values['svid-ttl']);
    const stopped = stopSignal();
    // Loaded only now: `platform --help` needs none of it.
    const { startPlatform } = await import('../up/platform.ts');
    const demo = values.demo ? await (await import('../up/demo.ts')).prepareDemo() : undefined;
    const started = Date.now();
    const policies = [...(values.policies ?? []), ...(demo?.policies ?? [])];
    const platform = await startPlatform({
      ...{ state, port, policies, trustDomain: values['trust-domain'] },
      ...{ oidcIssuer: values['oidc-issuer'], svidTtlMs, guarded: values.guarded },
      onPolicyError: (error) => print(policyProblem(error)),
      onPolicyChange: (revision) => print(`${pc.green('policy in force')} ${short(revision)}`),
      onPartialGuard: (what) => print(`${pc.yellow('compared in part')} ${what}`),
      onTrouble: (error) => void reportFailure(error, 'up', false),
    }).catch(async (error: unknown) => {
      // A sample tool server that still listens would keep this process from ending.
      await demo?.close();
      throw error;
    });
    print(`${pc.green('up')} in ${((Date.now() - started) / 1000).toFixed(1)} s`);
    let code = 0;
    try {
      if (!stopped.signal.aborted) await demo?.show(state, stopped.signal);
      if (!stopped.signal.aborted) printAddresses(platform, state.root);
      await stopped.promise;
    } catch (error) {
      if (!stopped.signal.aborted) code = reportFailure(error, 'up', false);
    }
    await stop(platform, () => demo?.close());
    return code;
  },
};

function stopSignal(): { promise: Promise<void>; signal: AbortSignal } {
  const controller = new AbortController();
  const promise = new Promise<void>((resolve) => {
    for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
      process.on(name, () => {
        controller.abort();
        resolve();
      });
    }
  });
  return { promise, signal: controller.signal };
}

async function stop(
  platform: RunningPlatform,
  closeDemo: () => Promise<void> | undefined,
): Promise<void> {
  const started = Date.now();
  const late = setTimeout(() => {
    print(pc.yellow('some parts did not end in time; the next start recovers them'));
    process.exit(0);
  }, stopMs);
  await closeDemo();
  await platform.stop();
  clearTimeout(late);
  print(`stopped in ${((Date.now() - started) / 1000).toFixed(1)} s`);
}

function printAddresses(running: RunningPlatform, state: string): void {
  // In a checkout the command is not on the path; npm says that it started this.
  const platform =
    process.env.npm_lifecycle_event === undefined ? 'platform' : 'npm run platform --';
  print(`
  page      ${pc.bold(running.pageUrl)}
  health    ${running.healthUrl}
  mesh      mutual TLS on ${running.meshAddress}: ${running.services.join(', ')}
  state     ${state}

  ${pc.bold('next')}
  ${platform} run <agent.py|agent.ts> --tenant acme   run your own agent
  ${platform} up --policies <folder>                  decide by your own policies
  ${platform} status                                  what runs
  ${platform} approvals                               calls that wait for you
  ${platform} secrets put <name> --tenant acme        keep a secret for your agents
  ${platform} audit --verify --stored-openings        recompute every recorded decision

  Ctrl-C stops it.`);
}

/** What is wrong, with file and line where the compiler says so; the last good policies serve on. */
function policyProblem(error: PlatformError): string {
  const found = Array.isArray(error.data.errors) ? error.data.errors : [];
  const lines = found.map((each: Record<string, unknown>) => {
    const place = [each.file, each.row, each.column].filter(Boolean).join(':');
    const hint = typeof each.hint === 'string' ? `\n      ${each.hint}` : '';
    return `    ${place}: ${each.message}${hint}`;
  });
  const head = `${pc.red('policy refused')} ${error.message}; the last good one keeps serving`;
  const todo = error.code === 'bundle_flip_unaccepted' && error.hint ? [`    ${error.hint}`] : [];
  return [head, ...lines, ...todo].join('\n');
}

function portOf(text: string | undefined): number {
  if (text === undefined) return defaultPort;
  const port = Number(text);
  if (/^\d{1,5}$/.test(text) && port <= 65_535) return port;
  throw new UsageError(`--port ${text} is not a port`);
}

function svidTtlOf(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const seconds = secondsOf(text) ?? 0;
  const { min, max } = svidTtlBounds;
  if (seconds >= min && seconds <= max) return seconds * 1000;
  throw new UsageError(`--svid-ttl ${text} is not a time from 5m to 24h, such as 5m`);
}

function short(revision: string): string {
  return revision.slice(0, 'sha256:'.length + 12);
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}
