// The deny-list as a stream: at once, with every change, and every few seconds as a sign of life.
import { Code, ConnectError, type ServiceImpl } from '@connectrpc/connect';
import type { DenyList } from '../../../runtime/identity/proto/platform/identity/v1/deny_list_pb.js';
import type { Issuer } from '../issuer.ts';
import type { Workloads } from './workloads.ts';

const heartbeatMs = 5000;

/** `DenyList.Watch` for every attested caller: also one whose own entry has gone must know. */
export function denyListApi(issuer: Issuer, workloads: Workloads): ServiceImpl<typeof DenyList> {
  return {
    async *watch(_, context) {
      const workload = workloads.attest(context);
      let wake = () => {};
      let isChanged = true;
      const ring = () => {
        isChanged = true;
        wake();
      };
      const stop = issuer.onDenyChange(ring);
      const heartbeat = setInterval(ring, heartbeatMs);
      context.signal.addEventListener('abort', ring);
      try {
        while (!context.signal.aborted) {
          if (!workload.wasThere()) {
            throw new ConnectError('the process has ended', Code.PermissionDenied);
          }
          isChanged = false;
          yield { jws: issuer.denyList() };
          if (isChanged) continue;
          await new Promise<void>((resolve) => {
            wake = resolve;
          });
        }
      } finally {
        stop();
        clearInterval(heartbeat);
        context.signal.removeEventListener('abort', ring);
      }
    },
  };
}
