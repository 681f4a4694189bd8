// The playground's page: edit the policy and the input, run, and see what decides and why.
import { drawPicture } from '../../page/picture.js';
import type { Compiled, Explained, Loaded } from '../protocol.ts';
import { coverageTable, decisionCard, factsOf } from './decision.ts';
import { byId, element } from './dom.ts';
import { Editor } from './editor.ts';
import { EngineClient, EngineError } from './engine-client.ts';
import { fileTree, folderOf } from './files.ts';
import { flipsReport, replayedCards } from './recorded.ts';
import { saltOf, takeToken, wireLine } from './request.ts';
import { startTabs } from './tabs.ts';

const client = new EngineClient((text) => say(text));
const token = takeToken();
const chooseTab = startTabs(document.querySelector('[role=tablist]')!);

let loaded: Loaded | undefined;
let path = '';
let shownBoundary = '';
let compiled: Compiled | undefined;
let coverage: Explained['coverage'] = {};
/** What was typed, by file and by boundary. */
const edits: Record<string, string> = {};
const inputs: Record<string, string> = {};
/** Counts the changes of the policy. */
let changes = 0;
/** Counts what was asked for: an answer to something earlier comes too late. */
let asked = 0;

const policyEditor = new Editor({ label: 'Policy', language: 'rego', onInput: edited });
const inputEditor = new Editor({
  ...{ label: 'Input', language: 'json' },
  onInput: (text) => {
    inputs[shownBoundary] = text;
  },
});
byId('policy').append(policyEditor.root);
byId('input').append(inputEditor.root);

function say(text: string, kind: 'busy' | 'ready' | 'wrong' = 'busy'): void {
  byId('state').textContent = text;
  byId('state').className = kind;
}

function boundary(): string {
  return byId<HTMLSelectElement>('boundary').value;
}

function isDraft(): boolean {
  return Object.keys(edits).length > 0;
}

/** Runs work of the worker, with its trouble told in one place; undefined where there was some. */
async function working<Answer>(work: () => Promise<Answer>): Promise<Answer | undefined> {
  byId<HTMLButtonElement>('run').disabled = true;
  byId('stop').hidden = loaded === undefined;
  say('Working');
  try {
    const answer = await work();
    say('Ready', 'ready');
    return answer;
  } catch (error) {
    const { message, hint } = error as EngineError;
    say([message, hint].filter(Boolean).join('; '), 'wrong');
    return undefined;
  } finally {
    byId<HTMLButtonElement>('run').disabled = loaded === undefined;
    byId('stop').hidden = true;
  }
}

async function load(): Promise<void> {
  loaded = await working(() => client.ask('load', { token }));
  if (loaded === undefined) return;
  const { modules, boundaries } = loaded;
  byId('facts').replaceChildren(...factsOf(loaded));
  const select = byId<HTMLSelectElement>('boundary');
  if (select.options.length === 0) {
    select.append(...boundaries.map(({ name }) => element('option', { value: name }, name)));
  }
  byId<HTMLButtonElement>('run').disabled = false;
  say(`Verified: signatures and ${modules.length} modules`, 'ready');
  showBoundary();
}

function showBoundary(): void {
  const name = boundary();
  inputEditor.flush();
  shownBoundary = name;
  const of = loaded?.boundaries.find((each) => each.name === name);
  if (loaded === undefined || of === undefined) return;
  const committed =
    of.committed.length === 0 ? '' : `; ${of.committed.join(' and ')} enter the id committed`;
  byId('boundary-about').textContent = `${of.title}${committed}`;
  inputs[name] ??= JSON.stringify(of.sample, null, 2);
  inputEditor.show(inputs[name], `Input of the boundary ${name}`);
  byId('violations').replaceChildren();
  if (folderOf(path) !== name) showFile(`${name}/${name}.rego`);
}

function showFile(wanted: string): void {
  const file = loaded?.files.find((each) => each.path === wanted);
  if (file === undefined) return;
  policyEditor.flush();
  path = wanted;
  byId('file-title').textContent = wanted;
  const language = wanted.endsWith('.json') ? 'json' : 'rego';
  policyEditor.show(edits[wanted] ?? file.content, `Source of ${wanted}`, {
    language,
    isFixed: file.generated,
  });
  showMarks();
}

/** Shows a file where it decided, or else where it was looked at first. */
function showEvaluated(wanted: string): void {
  showFile(wanted);
  const lines = Object.entries(coverage[wanted] ?? {});
  const [row = '1'] = lines.find(([, state]) => state === 'decided') ?? lines[0] ?? [];
  policyEditor.goTo(Number(row));
}

function edited(text: string): void {
  const file = loaded?.files.find((each) => each.path === path);
  if (file === undefined) return;
  if (text === file.content) delete edits[path];
  else edits[path] = text;
  forget();
  showMarks();
}

/** What was seen of the policy before a change is no longer so. */
function forget(): void {
  changes += 1;
  compiled = undefined;
  coverage = {};
}

function showMarks(): void {
  const findings = compiled?.findings ?? [];
  policyEditor.mark(
    findings.filter(({ file }) => file === path),
    coverage[path] ?? {},
  );
  byId('legend').hidden = Object.keys(coverage).length === 0;
  byId('file-state').hidden = !(path in edits);
  byId('revert').hidden = !(path in edits);
  byId('findings').replaceChildren(
    ...findings.map((finding) => {
      const { file = '', row = 1, column = 1, message, hint } = finding;
      const place = element('button', { type: 'button', class: 'link' }, `${file}:${row}`);
      place.addEventListener('click', () => {
        if (file !== path) showFile(file);
        policyEditor.goTo(row, column);
      });
      return element('li', {}, place, ` ${message}${hint === undefined ? '' : ` (${hint})`}`);
    }),
  );
  const open = Array.from(document.querySelectorAll<HTMLDetailsElement>('#files details[open]'));
  const focused = document.activeElement?.closest('#files') === null ? '' : path;
  byId('files').replaceChildren(
    fileTree(
      loaded?.files ?? [],
      {
        changed: new Set(Object.keys(edits)),
        wrong: new Set(findings.map(({ file = '' }) => file)),
        shown: path,
      },
      new Set(open.map((each) => each.dataset.folder ?? '')),
      showFile,
    ),
  );
  if (focused !== '') document.querySelector<HTMLElement>('#files [aria-current]')?.focus();
}

/** Compiles what was edited; throws where it does not compile, and then the first error is shown. */
async function compile(): Promise<void> {
  policyEditor.flush();
  const before = changes;
  const made = compiled ?? (await client.ask('compile', { edits }));
  // What was typed meanwhile is for the next time.
  compiled = before === changes ? made : undefined;
  coverage = made.findings.length > 0 ? {} : coverage;
  const [first] = made.findings;
  if (first !== undefined && first.file !== undefined && first.file !== path) showFile(first.file);
  else showMarks();
  if (first === undefined) return;
  policyEditor.goTo(first.row ?? 1, first.column ?? 1);
  clearDecision('The policy does not compile: its errors stand at their lines.');
  throw new EngineError({
    code: 'policy_invalid',
    message: `The policy does not compile: ${first.message}`,
  });
}

async function run(): Promise<void> {
  if (loaded === undefined) return;
  const mine = ++asked;
  chooseTab('tab-decision');
  const request = { boundary: boundary(), input: inputEditor.value, salt: saltOf() };
  await working(async () => {
    await compile();
    say('Deciding');
    const decided = await client.ask('decide', request);
    if (mine !== asked) return;
    clearDecision('');
    byId('decision').replaceChildren(decisionCard(decided, isDraft(), wireLine(request)));
    byId('violations').replaceChildren(
      ...decided.violations.map(({ pointer, message }) =>
        element('li', {}, element('code', {}, pointer === '' ? '/' : pointer), ` ${message}`),
      ),
    );
    if (decided.reason.code.startsWith('input_')) return;
    byId('explain-state').textContent = 'Following the rules';
    const explained = await client.ask('explain', request).finally(() => {
      byId('explain-state').textContent = '';
    });
    if (mine !== asked) return;
    coverage = explained.coverage;
    showMarks();
    byId('picture').replaceChildren(drawPicture(explained.picture as never));
    byId('coverage').replaceChildren(coverageTable(coverage, showEvaluated));
  });
}

/** Empties the panel, and says why it is empty. */
function clearDecision(why: string): void {
  byId('decision-none').textContent = why;
  for (const id of ['decision', 'picture', 'coverage']) byId(id).replaceChildren();
}

async function replay(): Promise<void> {
  const text = byId<HTMLTextAreaElement>('recorded').value;
  const openings = openingsGiven();
  byId('replayed').replaceChildren();
  const replayed = await working(() => client.ask('replay', { text, openings }));
  if (replayed !== undefined) byId('replayed').replaceChildren(...replayedCards(replayed));
}

function openingsGiven(): string {
  return byId<HTMLTextAreaElement>('openings').value;
}

async function fetchRecorded(): Promise<void> {
  const id = byId<HTMLInputElement>('recorded-id').value.trim();
  if (!/^[0-9a-f]{64}$/.test(id)) return say('A decision id has 64 hex digits', 'wrong');
  const found = await working(() => client.ask('fetch', { id }));
  if (found === undefined) return;
  byId<HTMLTextAreaElement>('recorded').value = JSON.stringify(found.decision, null, 2);
  await replay();
}

async function compare(): Promise<void> {
  const name = boundary();
  byId('flips').replaceChildren();
  await working(async () => {
    await compile();
    const flips = await client.ask('flips', { boundary: name, openings: openingsGiven() });
    byId('flips').replaceChildren(...flipsReport(flips, name, isDraft()));
  });
}

function onSubmit(id: string, work: () => Promise<void>): void {
  byId(id).addEventListener('submit', (event) => {
    event.preventDefault();
    void work();
  });
}

onSubmit('bar', run);
onSubmit('replay', replay);
onSubmit('compare', compare);
byId('boundary').addEventListener('change', showBoundary);
byId('recorded-fetch').addEventListener('click', () => void fetchRecorded());
byId('revert').addEventListener('click', () => {
  policyEditor.flush();
  delete edits[path];
  forget();
  showFile(path);
  byId('file-title').focus();
});
byId('sample').addEventListener('click', () => {
  inputEditor.flush();
  delete inputs[boundary()];
  showBoundary();
});
byId('stop').addEventListener('click', () => {
  asked += 1;
  compiled = undefined;
  client.stop();
  void load();
});
document.addEventListener('keydown', (event) => {
  if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey)) return;
  event.preventDefault();
  if (!byId<HTMLButtonElement>('run').disabled) void run();
});

void load();
