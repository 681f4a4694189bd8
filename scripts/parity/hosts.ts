// How each host of parity is started.
import { startChromiumHost } from './chromium-host.ts';
import { startEnvoyHost } from './envoy-host.ts';
import type { HostName, StartHost } from './host.ts';
import { startCli, startNode, startPython } from './line-host.ts';

export const starters: Readonly<Record<HostName, StartHost>> = {
  node: startNode,
  python: startPython,
  envoy: startEnvoyHost,
  chromium: startChromiumHost,
  cli: startCli,
};
