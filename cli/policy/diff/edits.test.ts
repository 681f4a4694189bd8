// Edits that reviewers made to operators' policies, each of which lets more through: all must be found at the usual count.
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { RegoCompiler } from '../../../runtime/modules/rego.ts';
import { sampleData } from '../../../runtime/testing/sample-data.ts';
import { policySources } from '../../commands/policy/sources.ts';
import { diff } from './diff.ts';
import type { Side } from './side.ts';

const root = mkdtempSync(join(tmpdir(), 'edits-'));
test.after(() => rmSync(root, { recursive: true, force: true }));
const compiler = await RegoCompiler.load();

let folders = 0;
async function sideOf(content: string, data = sampleData(40)): Promise<Side> {
  const folder = join(root, String(folders++), 'operator');
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'a.rego'), content);
  const sources = await policySources([folder]);
  const { wasm, reads, files } = compiler.build({
    ...sources,
    entrypoints: ['platform/tool/decision'],
  });
  return { label: 'test', wasm, reads, files, schemas: sources.schemas ?? {}, data };
}

async function widening(content: string, from: string, to: string, data = sampleData(40)) {
  assert.ok(content.includes(from));
  const [old, now] = [await sideOf(content, data), await sideOf(content.replace(from, to), data)];
  const options = { count: 10_000, seed: '1', boundaries: ['tool'], threads: 1 };
  const { flips } = await diff(old, now, options);
  return flips.filter(({ kind }) => kind === 'deny_to_allow').map(({ name }) => name);
}

const refusing = (condition: string, more = '') => `package platform.tool.operator

deny contains {"code": "mail", "message": "not this mail"} if {
	input.resource.name == "mail_send"
	${condition}
}
${more}`;
const mail = 'tool:operator.mail:granted';

const edits: [what: string, policy: string, from: string, to: string][] = [
  ['a longer list', refusing('count(input.arguments.recipients) > 5'), '> 5', '> 6'],
  [
    'some where it was every',
    refusing(
      'not internal',
      '\ninternal if {\n\tevery r in input.arguments.to { endswith(r, "@corp.com") }\n}\n',
    ),
    'every r in input.arguments.to { endswith(r, "@corp.com") }',
    'some r in input.arguments.to\n\tendswith(r, "@corp.com")',
  ],
  [
    'another end of a text that is split',
    refusing(
      'not internal',
      '\ninternal if {\n\tsplit(input.arguments.to, "@")[1] == "corp.com"\n}\n',
    ),
    'split(input.arguments.to, "@")[1] == "corp.com"',
    'some end in {"corp.com", "corp.co"}\n\tsplit(input.arguments.to, "@")[1] == end',
  ],
  [
    'a higher sum',
    refusing('sum([a | some x in input.arguments.items; a := x.amount]) > 100'),
    '> 100',
    '> 200',
  ],
];
for (const [what, policy, from, to] of edits) {
  test(what, async () => {
    assert.ok((await widening(policy, from, to)).includes(mail));
  });
}

test('a limit that reaches the arguments through a parameter, with the data of `policy init`', async () => {
  const template = new URL('../template/', import.meta.url);
  const policy = readFileSync(new URL('refunds.rego', template), 'utf8');
  const data = JSON.parse(readFileSync(new URL('samples/data.json', template), 'utf8'));
  const flips = await widening(policy, 'at_most(50)', 'at_most(60)', data);
  assert.ok(flips.includes('tool:approval_required:granted'), String(flips));
});

test.run();
