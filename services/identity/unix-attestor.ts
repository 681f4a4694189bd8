// Attests callers by what the kernel says of their user, with the selectors of SPIRE's `unix` attestor.
import type { WorkloadAttestor } from '../../runtime/identity/attestor.ts';
import { isSameProcess, processGone, requireProcess } from '../../runtime/identity/process.ts';

/**
 * For a server that stands alone and knows no agents: `unix:uid:<n>` and `unix:gid:<n>` of the
 * process that connected. Throws `process_gone` when it has ended or its pid is another's by now.
 */
export function unixAttestor(): WorkloadAttestor {
  return {
    selectorsOf(peer) {
      const process = requireProcess(peer.pid);
      if (!isSameProcess(peer, process)) throw processGone(peer.pid);
      return {
        selectors: [
          { type: 'unix', value: `uid:${peer.uid}` },
          { type: 'unix', value: `gid:${peer.gid}` },
        ],
        // No agents are known here, so that every process answers for itself.
        holder: `process ${process.pid}@${process.startTime}`,
        stillThere: () => isSameProcess(peer, process),
      };
    },
  };
}
