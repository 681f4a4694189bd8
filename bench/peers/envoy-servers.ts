// The processes that Envoys ask in the benchmark: our policy service, one that says yes, OPA with its Envoy plugin.
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { BundleFiles } from '../../runtime/bundle/reader.ts';
import { eventually } from '../../runtime/testing/eventually.ts';
import { built } from './program.ts';

const STARTS_MS = 60_000;

/** Ours, over the pair of bundles and `keys.json` in a folder. */
export function startOurs(folder: string, socket: string): Promise<ChildProcess> {
  const program = fileURLToPath(new URL('../programs/ext-authz.ts', import.meta.url));
  return started(process.execPath, [program, folder, socket], socket);
}

/** The least that an external authorization can cost: a Go server that allows everything. */
export function startYes(socket: string): Promise<ChildProcess> {
  return started(built('envoy-opa'), ['yes', socket], socket);
}

/** Asks the mesh policy about the plugin's own input; id, rule and headers are left out. */
const SHIM = `package envoy.shim

import data.platform.mesh

default allow := false

allow if {
	spiffe_id := input.attributes.source.principal
	["spiffe:", "", trust_domain, "agent", tenant, agent, role] = split(spiffe_id, "/")
	answer := mesh.decision with input as {
		"action": "connect",
		"context": {"request_id": input.attributes.request.http.id, "time": "2026-01-01T00:00:00.000Z"},
		"identity": {
			"spiffe_id": spiffe_id, "trust_domain": trust_domain,
			"tenant": tenant, "agent": agent, "role": role,
		},
		"resource": {"kind": "service", "name": "vault"},
	}
	answer.allow
}
`;

/** OPA on the same sources and data. */
export function startOpa(
  folder: string,
  files: { policy: BundleFiles; data: Uint8Array },
  socket: string,
): Promise<ChildProcess> {
  const root = join(folder, 'opa');
  for (const [name, bytes] of files.policy) {
    if (!name.endsWith('.rego') || name.endsWith('_test.rego')) continue;
    const path = join(root, name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, bytes);
  }
  writeFileSync(join(root, 'shim.rego'), SHIM);
  writeFileSync(join(root, 'data.json'), files.data);
  const plugin = 'plugins.envoy_ext_authz_grpc';
  const settings = [
    `${plugin}.addr=unix://${socket}`,
    `${plugin}.path=envoy/shim/allow`,
    `${plugin}.skip-request-body-parse=true`,
  ];
  return started(
    built('envoy-opa'),
    [
      ...['run', '--server', '--log-level', 'error'],
      ...['--addr', `unix://${join(folder, 'opa-rest.sock')}`],
      ...settings.flatMap((setting) => ['--set', setting]),
      root,
    ],
    socket,
  );
}

/** Starts a program and resolves when its socket takes connections. */
async function started(program: string, argv: string[], socket: string): Promise<ChildProcess> {
  const child = spawn(program, argv, { stdio: ['ignore', 'ignore', 'inherit'] });
  await eventually(async () => {
    if (child.exitCode !== null) throw new Error(`${program} ended with ${child.exitCode}`);
    return answers(socket);
  }, STARTS_MS);
  return child;
}

function answers(path: string): Promise<boolean> {
  return new Promise((resolve) => {
    const probe = connect(path);
    probe.once('connect', () => {
      probe.destroy();
      resolve(true);
    });
    probe.once('error', () => resolve(false));
  });
}
