// Tells the identity server what is known of a caller on this machine, as selectors of registration entries.
import { IdentityError } from '../errors.ts';
import { attest, requireStillAttested } from './attest.ts';
import type { EntryLookup } from './entry.ts';
import type { Peer } from './peer.ts';
import type { ProcessName } from './process.ts';

/** One fact about a caller; an entry matches when all of its selectors are among the caller's. */
export interface Selector {
  type: string;
  value: string;
}

/** What the identity server needs to know of whoever connects to the Workload API. */
export interface WorkloadAttestor {
  /** Throws `caller_unknown`, `role_not_allowed` or `process_gone`; then there is no identity. */
  selectorsOf(peer: Peer): AttestedWorkload;
}

export interface AttestedWorkload {
  selectors: Selector[];
  /**
   * Who answers for what this caller uses up: one for all processes of an agent, however many it
   * starts. Undefined for the platform's own process, which nobody else may crowd out.
   */
  holder: string | undefined;
  /** False once the process has ended or its agent is no longer registered; asked at each answer. */
  stillThere(): boolean;
}

export interface MachineAttestorConfig {
  /** Which process tree is which agent. */
  registry: EntryLookup & { has(id: string): boolean };
  /** Names of the services that the platform's own process hosts. */
  services: readonly string[];
  /** The platform's own process. */
  ownPid: number;
}

const selectorType = 'platform';

/** The selector of one fact: `platform:<kind>:<value>`. */
export function platformSelector(
  kind: 'process' | 'process-role' | 'tenant' | 'agent' | 'service',
  value: string,
): Selector {
  return { type: selectorType, value: `${kind}:${value}` };
}

/** The value of the `process` selector: the root of an agent's process tree, pid reuse told apart. */
export function processSelector(root: ProcessName): Selector {
  return platformSelector('process', `${root.pid}@${root.startTime}`);
}

/**
 * Attests the processes of one machine by what the kernel says of them (see `attest`): an agent's
 * process gets the selectors of its tree, role, tenant and agent, the platform's own one those of
 * its services, and any other none: it is refused.
 */
export function machineAttestor(config: MachineAttestorConfig): WorkloadAttestor {
  const { registry, services, ownPid } = config;
  const own = services.map((name) => platformSelector('service', name));
  return {
    selectorsOf(peer) {
      // This process is alive, so that no other one can have its pid.
      if (peer.pid === ownPid)
        return { selectors: [...own], holder: undefined, stillThere: () => true };
      const attestation = attest(peer, registry);
      const { entry, role, tenant, agent } = attestation;
      return {
        selectors: [
          processSelector(entry.process),
          platformSelector('process-role', role),
          platformSelector('tenant', tenant),
          platformSelector('agent', agent),
        ],
        holder: `agent ${entry.id}`,
        stillThere() {
          try {
            requireStillAttested(peer, attestation, registry);
            return true;
          } catch (error) {
            if (error instanceof IdentityError) return false;
            throw error;
          }
        },
      };
    },
  };
}
