// Gives every executed call its span and metrics.
import { SpanStatusCode } from '@opentelemetry/api';
import { codeOf } from '../../runtime/errors.ts';
import { instruments } from '../../runtime/telemetry/instruments.ts';
import {
  ATTRIBUTE,
  BLOCKED_BY_GUARD,
  OUTPUT_BLOCKED_BY_GUARD,
  SPAN,
} from '../../runtime/telemetry/names.ts';
import type { Caller } from '../common/caller.ts';
import { DeniedError } from '../common/ledger.ts';
import { type Executed, type ExecuteRequest, execute } from './execute.ts';
import type { Parts } from './parts.ts';

/** Runs `execute` in a span; neither arguments nor results are recorded. */
export function observed(parts: Parts, caller: Caller, request: ExecuteRequest): Promise<Executed> {
  const { tracer, toolInvocations, toolDuration } = instruments();
  const startedAt = performance.now();
  const attributes = {
    [ATTRIBUTE.toolName]: request.tool,
    [ATTRIBUTE.spiffeId]: caller.identity.spiffe_id,
    [ATTRIBUTE.tenant]: caller.identity.tenant,
    [ATTRIBUTE.agentName]: caller.identity.agent,
    [ATTRIBUTE.requestId]: caller.context.requestId,
  };
  return tracer.startActiveSpan(SPAN.gatewayCall, { attributes }, async (span) => {
    let status = 'error';
    try {
      const executed = await execute(parts, caller, request);
      status = executed.kind === 'failed' ? executed.error.code : executed.kind;
      if (executed.kind !== 'parked') {
        span.setAttribute(ATTRIBUTE.decisionIds, Object.values(executed.decisions));
      }
      if (status === 'guard_output_blocked') {
        span.setAttribute(ATTRIBUTE.outputBlocked, true);
        span.setStatus({ code: SpanStatusCode.ERROR, message: OUTPUT_BLOCKED_BY_GUARD });
      }
      return executed;
    } catch (error) {
      status = codeOf(error);
      const isGuard = status === 'guard_blocked';
      const message = isGuard ? BLOCKED_BY_GUARD : status;
      span.setStatus({ code: SpanStatusCode.ERROR, message });
      if (isGuard) span.setAttribute(ATTRIBUTE.promptBlocked, true);
      if (error instanceof DeniedError && error.decision !== undefined) {
        span.setAttribute(ATTRIBUTE.decisionId, error.decision.id);
        span.setAttribute(ATTRIBUTE.rule, error.decision.rule);
      }
      throw error;
    } finally {
      span.setAttribute(ATTRIBUTE.status, status);
      span.end();
      const labels = { [ATTRIBUTE.status]: status };
      toolInvocations.add(1, labels);
      toolDuration.record((performance.now() - startedAt) / 1000, labels);
    }
  });
}
