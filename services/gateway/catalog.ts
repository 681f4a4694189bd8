// Shows agents the tools that they may know of: list, search, and one by name.
import type { Decision } from '../../runtime/decide/decision.ts';
import type { Caller } from '../common/caller.ts';
import type { Circumstances } from './judge.ts';
import type { Parts } from './parts.ts';
import { sessionFacts } from './sessions.ts';
import type { Tool } from './tools.ts';

export interface ToolFilter {
  tag?: string;
  source?: string;
  service?: string;
}

export interface SearchResult {
  tool: Tool;
  /** 0 to 1; 1 is the tool's whole name. */
  score: number;
}

export interface Shown<T> {
  value: T;
  /** The decision that allowed it. */
  decision: Decision;
}

/**
 * The tools that the caller may get, by filter. The row holds the decision about the catalog; each
 * tool is then shown only if a decision of its own (`get`) allows it. Those are filters on what is
 * shown, not actions, and leave no rows.
 */
export async function listTools(
  parts: Parts,
  caller: Caller,
  filter: ToolFilter,
): Promise<Shown<Tool[]>> {
  const { decision, tools } = await readCatalog(parts, caller, 'list', (tool) =>
    passes(tool, filter),
  );
  return { value: tools, decision };
}

/** The tools that the caller may get and that match the query, best first. */
export async function searchTools(
  parts: Parts,
  caller: Caller,
  query: string,
  filter: ToolFilter,
): Promise<Shown<SearchResult[]>> {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean);
  const { decision, tools } = await readCatalog(
    parts,
    caller,
    'search',
    (tool) => passes(tool, filter) && scoreOf(tool, words) > 0,
  );
  const results = tools.map((tool) => ({ tool, score: scoreOf(tool, words) }));
  results.sort((a, b) => b.score - a.score || (a.tool.name < b.tool.name ? -1 : 1));
  return { value: results, decision };
}

/** One tool. Throws a DeniedError with code `tool_unknown` or `denied`. */
export async function getTool(parts: Parts, caller: Caller, name: string): Promise<Shown<Tool>> {
  const action = parts.ledger.begin(caller, 'tool', { tool: name });
  const circumstances = await circumstancesOf(parts, caller);
  const record = await parts.tools.get(name);
  if (record === undefined) {
    const reason = { code: 'tool_unknown', message: 'there is no tool of this name' };
    throw await parts.ledger.denial(action, [], 'tool_unknown', reason);
  }
  const decision = parts.judge.describe(caller, record.tool, circumstances);
  if (!decision.allow) {
    throw await parts.ledger.denial(action, [decision], 'denied', decision.reason);
  }
  await parts.ledger.event(action, [decision], { outcome: 'ok', detail: { action: 'get' } });
  return { value: record.tool, decision };
}

/** Counts the request, as every decision about an agent needs it. */
export async function circumstancesOf(parts: Parts, caller: Caller): Promise<Circumstances> {
  const counters = await parts.counters.count(caller.identity);
  return { counters, session: sessionFacts(parts.sessions.of(caller.identity.spiffe_id)) };
}

/** How many tools are judged before other requests get their turn. */
const judgedAtOnce = 100;

async function readCatalog(
  parts: Parts,
  caller: Caller,
  kind: 'list' | 'search',
  wanted: (tool: Tool) => boolean,
): Promise<{ decision: Decision; tools: Tool[] }> {
  const action = parts.ledger.begin(caller, 'tool', { catalog: kind });
  const circumstances = await circumstancesOf(parts, caller);
  const decision = parts.judge.catalog(caller, kind, circumstances);
  if (!decision.allow) {
    throw await parts.ledger.denial(action, [decision], 'denied', decision.reason);
  }
  const tools: Tool[] = [];
  let judged = 0;
  for (const { tool } of await parts.tools.list()) {
    if (!wanted(tool)) continue;
    if (parts.judge.describe(caller, tool, circumstances).allow) tools.push(tool);
    if (++judged % judgedAtOnce === 0) await new Promise(setImmediate);
  }
  await parts.ledger.event(action, [decision], { outcome: 'ok', detail: { tools: tools.length } });
  return { decision, tools };
}

function passes(tool: Tool, { tag, source, service }: ToolFilter): boolean {
  return (
    (tag === undefined || tool.tags.includes(tag)) &&
    (source === undefined || tool.source === source) &&
    (service === undefined || tool.service === service)
  );
}

/** Every word must be found; a name says more than a tag, a tag more than the description. */
function scoreOf(tool: Tool, words: string[]): number {
  if (words.length === 0) return 1;
  const name = tool.name.toLowerCase();
  const parts = name.split(/[_.-]+/);
  const tags = tool.tags.map((tag) => tag.toLowerCase());
  const description = tool.description.toLowerCase();
  let total = 0;
  for (const word of words) {
    if (name === word) total += 1;
    else if (parts.includes(word)) total += 0.8;
    else if (tags.includes(word)) total += 0.7;
    else if (name.includes(word)) total += 0.6;
    else if (description.includes(word)) total += 0.3;
    else return 0;
  }
  return Math.round((total / words.length) * 1000) / 1000;
}
