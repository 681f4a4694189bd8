// Gives every get its span and metrics; the key's name and the tenant, never the value.
import { SpanStatusCode } from '@opentelemetry/api';
import { codeOf } from '../../runtime/errors.ts';
import { instruments } from '../../runtime/telemetry/instruments.ts';
import { ATTRIBUTE, SPAN } from '../../runtime/telemetry/names.ts';
import type { Caller } from '../common/caller.ts';

/** Runs `get` in a span `platform.vault.get`. */
export function observed<Result>(
  caller: Caller,
  key: string,
  get: () => Promise<Result>,
): Promise<Result> {
  const { tracer, vaultGets, vaultGetDuration } = instruments();
  const startedAt = performance.now();
  const attributes = {
    [ATTRIBUTE.path]: key,
    [ATTRIBUTE.tenant]: caller.identity.tenant,
    [ATTRIBUTE.spiffeId]: caller.identity.spiffe_id,
    [ATTRIBUTE.requestId]: caller.context.requestId,
  };
  return tracer.startActiveSpan(SPAN.vaultGet, { attributes }, async (span) => {
    let status = 'ok';
    try {
      return await get();
    } catch (error) {
      status = codeOf(error);
      span.setStatus({ code: SpanStatusCode.ERROR, message: status });
      throw error;
    } finally {
      span.setAttribute(ATTRIBUTE.status, status);
      span.end();
      const labels = { [ATTRIBUTE.status]: status };
      vaultGets.add(1, labels);
      vaultGetDuration.record((performance.now() - startedAt) / 1000, labels);
    }
  });
}
