// One line a call, as `platform run` and the demo show it.
import pc from 'picocolors';
import type { Call } from '../services/console/calls.ts';

/** What a call was about: the tool, the secret, or what an operator touched. */
export function subjectOf(call: Call): string {
  const { tool, catalog, console, secret } = call.subject;
  const name = tool ?? catalog ?? console ?? secret;
  return typeof name === 'string' ? name : call.boundary;
}

/** The verdict in its colour; a call that failed after it was allowed says so. */
export function verdictOf(call: Call): string {
  if (call.verdict === 'parked' && call.outcome === undefined) return pc.yellow('parked');
  if (call.verdict !== 'allowed') return pc.red(call.verdict);
  if (call.outcome === undefined || call.outcome === 'ok') return pc.green('allowed');
  return pc.yellow(`allowed, ${call.outcome}`);
}

/** `verdict tool rule id`, with the reason of a refusal. */
export function callLine(call: Call): string {
  const reason =
    call.reason !== undefined && call.verdict !== 'allowed' ? `: ${call.reason.message}` : '';
  const id = call.decisionId === '' ? '' : pc.dim(` ${call.decisionId.slice(0, 12)}`);
  return `${verdictOf(call)} ${pc.bold(subjectOf(call))} by ${call.rule}${reason}${id}`;
}
