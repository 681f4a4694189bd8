// The local page: asks the platform for what changed and shows it; text only, never markup.
import { drawPicture } from './picture.js';

const token = takeToken();
const callsShown = 200;
const spansShown = 60;
const calls = new Map();
/** The decision whose explanation is wanted; an answer to an earlier click comes too late. */
let asked = '';

const byId = (id) => document.getElementById(id);

/** The token comes in the fragment once; it is kept for this tab and taken out of the address. */
function takeToken() {
  const given = location.hash.slice(1);
  if (given !== '') {
    sessionStorage.setItem('token', given);
    history.replaceState(null, '', location.pathname);
  }
  return sessionStorage.getItem('token') ?? '';
}

async function ask(path, body) {
  const response = await fetch(path, {
    method: body === undefined ? 'GET' : 'POST',
    headers: {
      authorization: `Bearer ${token}`,
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    },
    body: body === undefined ? undefined : JSON.stringify(body),
  });
  const answer = await response.json();
  if (!response.ok) throw new Error([answer.detail, answer.hint].filter(Boolean).join('; '));
  return answer;
}

function element(name, text, className = '') {
  const made = document.createElement(name);
  made.textContent = text;
  if (className !== '') made.className = className;
  return made;
}

function row(cells) {
  const made = document.createElement('tr');
  for (const cell of cells) {
    const [text, className, tag] = Array.isArray(cell) ? cell : [cell];
    const data = element('td', tag === undefined ? text : '', className);
    if (tag !== undefined) data.append(element(tag, text));
    made.append(data);
  }
  return made;
}

function fill(id, children, empty) {
  const shown = children.length > 0 ? children : [element('p', empty, 'quiet')];
  byId(id).replaceChildren(...shown);
}

function callRow(call) {
  const what = call.subject.tool ?? call.subject.catalog ?? call.subject.proxy ?? call.boundary;
  const failed = call.verdict === 'allowed' && call.outcome && call.outcome !== 'ok';
  const verdict = failed ? `allowed, ${call.outcome}` : call.verdict;
  const rule =
    call.verdict === 'allowed' ? call.rule : `${call.rule}: ${call.reason?.message ?? ''}`;
  const made = row([
    call.time.slice(11, 23),
    call.spiffeId.split('/').slice(4).join('/') || 'unknown',
    String(what),
    [verdict, call.verdict],
    rule,
    [call.decisionId.slice(0, 12), '', 'code'],
    String(call.sequence),
  ]);
  if (call.decisionId !== '') made.children[5].replaceChildren(whyButton(call));
  return made;
}

function whyButton(call) {
  const button = element('button', call.decisionId.slice(0, 12), 'why');
  button.type = 'button';
  button.setAttribute(
    'aria-label',
    `Why: the rules behind decision ${call.decisionId.slice(0, 12)}`,
  );
  button.addEventListener('click', () => explain(call));
  return button;
}

/** Shows which rule said yes or no, with the values that its conditions saw. */
async function explain(call) {
  byId('why').hidden = false;
  byId('why-title').textContent = `Why ${call.verdict}: ${call.rule}`;
  byId('why-state').textContent = 'The policy is being evaluated again.';
  byId('why-picture').replaceChildren();
  byId('why-title').focus();
  asked = call.decisionId;
  try {
    const { picture } = await ask(`/api/v1/decisions/${call.decisionId}/explanation`);
    if (asked !== call.decisionId) return;
    byId('why-state').textContent = '';
    byId('why-picture').replaceChildren(drawPicture(picture));
  } catch (error) {
    if (asked === call.decisionId) byId('why-state').textContent = error.message;
  }
}

function showCalls(changed) {
  for (const call of changed) {
    calls.delete(call.action);
    calls.set(call.action, call);
  }
  for (const action of calls.keys()) {
    if (calls.size <= callsShown) break;
    calls.delete(action);
  }
  const newestFirst = [...calls.values()].sort((a, b) => b.sequence - a.sequence);
  byId('calls').replaceChildren(...newestFirst.map(callRow));
}

function approvalCard(approval) {
  const card = document.createElement('article');
  const agent = approval.spiffe_id.split('/').slice(4).join('/');
  card.append(
    element('p', approval.question),
    element('p', `${agent} calls ${approval.tool}, expires ${approval.expires_at}`, 'quiet'),
    element('pre', JSON.stringify(approval.arguments, null, 2)),
  );
  for (const [verdict, label, className] of [
    ['allow', 'Allow', 'allowed'],
    ['deny', 'Deny', 'denied'],
  ]) {
    const button = element('button', label, className);
    button.type = 'button';
    button.addEventListener('click', async () => {
      for (const each of card.querySelectorAll('button')) each.disabled = true;
      try {
        await ask(`/api/v1/approvals/${encodeURIComponent(approval.id)}`, { verdict });
        card.remove();
      } catch (error) {
        card.append(element('p', error.message, 'denied'));
      }
    });
    card.append(button);
  }
  return card;
}

function agentCard(agent) {
  const card = document.createElement('article');
  const { allowed, denied, parked } = agent.calls;
  card.append(
    element('p', `${agent.tenant}/${agent.agent}, pid ${agent.pid}`),
    element('pre', agent.spiffe_ids.join('\n')),
    element('p', `may use ${agent.resources.join(', ') || 'nothing'}`, 'quiet'),
    element('p', `${allowed} allowed, ${denied} denied, ${parked} parked`, 'quiet'),
  );
  return card;
}

function showFacts(status) {
  const { bundles, evidence } = status;
  const facts = [
    ['policy', bundles.policy],
    ['data', bundles.data],
    ...(bundles.error ? [['refused', bundles.error]] : []),
    ['evidence', `${evidence.size} rows, ${evidence.bytes} bytes, ${evidence.state}`],
    ['log', evidence.log],
    ['state', status.state],
  ];
  const shown = facts.flatMap(([name, value]) => [element('dt', name), element('dd', value)]);
  byId('facts').replaceChildren(...shown);
}

function spanRow(span) {
  const attributes = Object.entries(span.attributes).map(([key, value]) => `${key}=${value}`);
  return row([
    span.startTime.slice(11, 23),
    span.name,
    span.durationMs.toFixed(2),
    [span.status, span.status === 'error' ? 'denied' : ''],
    [attributes.join(' '), '', 'code'],
  ]);
}

async function refresh() {
  const [status, { approvals }, { spans }] = await Promise.all([
    ask('/api/v1/status'),
    ask('/api/v1/approvals'),
    ask('/api/v1/telemetry'),
  ]);
  const waiting = approvals.filter(({ state }) => state === 'pending');
  fill('approvals', waiting.map(approvalCard), 'Nothing waits.');
  fill('agents', status.agents.map(agentCard), 'No agent runs.');
  byId('spans').replaceChildren(...spans.slice(-spansShown).reverse().map(spanRow));
  showFacts(status);
  byId('state').textContent = `running since ${status.started_at}`;
}

async function follow() {
  let after = -1;
  for (;;) {
    try {
      const answer = await ask(`/api/v1/calls?after=${after}&wait=${after < 0 ? 0 : 50}`);
      showCalls(answer.calls);
      after = Math.max(after, 0, ...answer.calls.map(({ sequence }) => sequence));
      await refresh();
    } catch (error) {
      byId('state').textContent = error.message;
      after = -1;
      await new Promise((resolve) => setTimeout(resolve, 2000));
    }
  }
}

byId('why-close').addEventListener('click', () => {
  asked = '';
  byId('why').hidden = true;
});
await follow();
