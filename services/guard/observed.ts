// Gives every scan its span and metrics: which direction, which scanners, whether it passed; never the text.
import { SpanStatusCode } from '@opentelemetry/api';
import { codeOf } from '../../runtime/errors.ts';
import type { GuardDirection } from '../../runtime/modules/guard.ts';
import { instruments } from '../../runtime/telemetry/instruments.ts';
import { ATTRIBUTE, SPAN } from '../../runtime/telemetry/names.ts';
import type { Caller } from '../common/caller.ts';
import type { Scanned } from './scan.ts';

/** Runs `scan` in a span `platform.guard.scan`. */
export function observed(
  caller: Caller,
  direction: GuardDirection,
  scan: () => Promise<Scanned>,
): Promise<Scanned> {
  const { tracer, guardScans, guardBlocks, guardScanDuration } = instruments();
  const startedAt = performance.now();
  const attributes = {
    [ATTRIBUTE.scanType]: direction === 'input' ? 'prompt' : 'output',
    [ATTRIBUTE.tenant]: caller.identity.tenant,
    [ATTRIBUTE.spiffeId]: caller.identity.spiffe_id,
    [ATTRIBUTE.requestId]: caller.context.requestId,
  };
  return tracer.startActiveSpan(SPAN.guardScan, { attributes }, async (span) => {
    const labelled = (scanner: string) => ({
      [ATTRIBUTE.direction]: direction,
      [ATTRIBUTE.scanner]: scanner,
    });
    try {
      const scanned = await scan();
      span.setAttribute(ATTRIBUTE.isValid, scanned.answer.is_valid);
      span.setAttribute(ATTRIBUTE.decisionIds, [scanned.guard.id, scanned.decision.id]);
      for (const scanner of scanned.request.scanners) guardScans.add(1, labelled(scanner));
      for (const scanner of scanned.blocked) guardBlocks.add(1, labelled(scanner));
      return scanned;
    } catch (error) {
      span.setAttribute(ATTRIBUTE.isValid, false);
      span.setStatus({ code: SpanStatusCode.ERROR, message: codeOf(error) });
      throw error;
    } finally {
      span.end();
      const seconds = (performance.now() - startedAt) / 1000;
      guardScanDuration.record(seconds, { [ATTRIBUTE.direction]: direction });
    }
  });
}
