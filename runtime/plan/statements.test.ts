// Each kind of statement, by hand: what it gives, and where it ends its block.
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { moduleBytes } from '../modules/source.ts';
import { compilePlan } from './compile.ts';
import type { IrBlock, IrFunction, IrStatement, Operand, StatementKind } from './ir.ts';
import { type Answer, block, bool, local, PlanUnderTest, planOf, string } from './testing.ts';

const CONFLICT = 3;
const STRINGS = ['a', 'b', '1.50', '1e400', 'list', 'name'];
const [a, b, list] = [string(0), string(1), string(4)];
/** The input of every case. */
const INPUT = { a: 'x', list: [3, 1, 2], name: { b: 2, a: 1 }, set: { $set: [1, 2] } };

async function answer(stmts: IrStatement[], funcs: IrFunction[] = []): Promise<Answer> {
  const plan = planOf([...STRINGS, 'set'], stmts, funcs);
  return (await PlanUnderTest.of(plan, { d: 1 })).evaluate(INPUT);
}

const dot = (key: number, target: number, source = 0): IrStatement => ({
  type: 'DotStmt',
  stmt: { source: local(source), key: string(key), target },
});
const set = (source: Operand, target = 2): IrStatement => ({
  type: 'AssignVarStmt',
  stmt: { source, target },
});
const make = (type: 'MakeArrayStmt' | 'MakeObjectStmt' | 'MakeSetStmt', target = 2): IrStatement =>
  type === 'MakeArrayStmt' ? { type, stmt: { capacity: 0, target } } : { type, stmt: { target } };
const integer = (value: number, target: number): IrStatement => ({
  type: 'MakeNumberIntStmt',
  stmt: { value, target },
});

/** Statements, and the value that they leave; none where they end. */
const cases: [StatementKind, IrStatement[], unknown?][] = [
  ['AssignVarStmt', [set(bool(true))], true],
  ['AssignVarStmt', [set(a)], 'a'],
  ['AssignIntStmt', [integer(7, 2), { type: 'AssignIntStmt', stmt: { value: -2, target: 2 } }], -2],
  ['AssignVarOnceStmt', [once(a), once(a)], 'a'],
  ['ResetLocalStmt', [once(a), { type: 'ResetLocalStmt', stmt: { target: 2 } }, once(b)], 'b'],
  ['MakeNullStmt', [{ type: 'MakeNullStmt', stmt: { target: 2 } }], null],
  ['MakeNumberIntStmt', [integer(2 ** 52, 2)], 2 ** 52],
  ['MakeNumberRefStmt', [{ type: 'MakeNumberRefStmt', stmt: { index: 2, target: 2 } }], 1.5],
  ['MakeArrayStmt', [make('MakeArrayStmt')], []],
  ['MakeObjectStmt', [make('MakeObjectStmt')], {}],
  ['MakeSetStmt', [make('MakeSetStmt')], { $set: [] }],
  ['ArrayAppendStmt', [make('MakeArrayStmt'), append(a), append(local(0))], ['a', INPUT]],
  ['ObjectInsertStmt', [make('MakeObjectStmt'), insert(a, a), insert(a, b)], { a: 'b' }],
  ['ObjectInsertStmt', [make('MakeObjectStmt'), insert(a, local(0))], { a: INPUT }],
  [
    'ObjectInsertOnceStmt',
    [make('MakeObjectStmt'), insertOnce(a, a), insertOnce(a, a)],
    { a: 'a' },
  ],
  ['SetAddStmt', [make('MakeSetStmt'), add(b), add(a), add(b)], { $set: ['a', 'b'] }],
  ['DotStmt', [dot(0, 2)], 'x'],
  ['DotStmt', [dot(1, 2)]],
  ['DotStmt', [dot(0, 3), dot(0, 2, 3)]],
  ['DotStmt', [dot(4, 3), integer(1, 4), at(3, 4, 2)], 1],
  ['DotStmt', [dot(4, 3), integer(3, 4), at(3, 4, 2)]],
  ['DotStmt', [dot(4, 3), integer(-1, 4), at(3, 4, 2)]],
  ['DotStmt', [dot(6, 3), integer(2, 4), at(3, 4, 2)], 2],
  ['DotStmt', [{ type: 'DotStmt', stmt: { source: a, key: a, target: 2 } }]],
  ['LenStmt', [dot(4, 3), length(3)], 3],
  ['LenStmt', [dot(5, 3), length(3)], 2],
  ['LenStmt', [dot(6, 3), length(3)], 2],
  ['EqualStmt', [set(a), equal(a, a)], 'a'],
  ['EqualStmt', [set(a), equal(a, b)]],
  ['EqualStmt', [set(a), dot(0, 3), equal(local(3), a)]],
  ['EqualStmt', [set(local(0)), equal(local(0), local(2))], INPUT],
  ['EqualStmt', [set(bool(true)), equal(local(2), bool(true))], true],
  ['EqualStmt', [set(bool(true)), equal(bool(false), local(2))]],
  ['NotEqualStmt', [set(a), notEqual(local(2), b)], 'a'],
  ['NotEqualStmt', [set(a), notEqual(local(2), a)]],
  ['NotEqualStmt', [set(bool(false)), notEqual(local(2), bool(false))]],
  ['IsArrayStmt', [dot(4, 2), is('IsArrayStmt')], INPUT.list],
  ['IsArrayStmt', [dot(5, 2), is('IsArrayStmt')]],
  ['IsObjectStmt', [dot(5, 2), is('IsObjectStmt')], INPUT.name],
  ['IsObjectStmt', [dot(4, 2), is('IsObjectStmt')]],
  ['IsSetStmt', [dot(6, 2), is('IsSetStmt')], { $set: [1, 2] }],
  ['IsSetStmt', [dot(5, 2), is('IsSetStmt')]],
  ['IsSetStmt', [set(a), { type: 'IsSetStmt', stmt: { source: a } }]],
  ['IsDefinedStmt', [set(a), defined('IsDefinedStmt', 2)], 'a'],
  ['IsDefinedStmt', [set(a), defined('IsDefinedStmt', 50)]],
  ['IsUndefinedStmt', [set(a), defined('IsUndefinedStmt', 50)], 'a'],
  ['IsUndefinedStmt', [set(a), defined('IsUndefinedStmt', 2)]],
  ['BlockStmt', [set(a), nest(block(set(b), equal(a, b)))], 'b'],
  ['BlockStmt', [set(a), nest(block(equal(a, b), set(b)), block(set(b)))], 'b'],
  ['BreakStmt', [set(a), nest(block(leave(0), set(b)))], 'a'],
  ['BreakStmt', [set(a), nest(block(nest(block(leave(1))), set(b)))], 'a'],
  ['BreakStmt', [set(a), leave(0)]],
  ['NotStmt', [set(a), not(equal(a, b))], 'a'],
  ['NotStmt', [set(a), not(equal(a, a))]],
  ['NopStmt', [set(a), { type: 'NopStmt', stmt: {} }], 'a'],
  ['ScanStmt', [dot(4, 3), make('MakeArrayStmt'), scan(append(local(21)))], INPUT.list],
  ['ScanStmt', [dot(4, 3), make('MakeArrayStmt'), scan(append(local(20)))], [0, 1, 2]],
  ['ScanStmt', [dot(5, 3), make('MakeArrayStmt'), scan(append(local(20)))], ['a', 'b']],
  ['ScanStmt', [dot(5, 3), make('MakeArrayStmt'), scan(append(local(21)))], [1, 2]],
  ['ScanStmt', [dot(6, 3), make('MakeArrayStmt'), scan(append(local(21)))], [1, 2]],
  ['ScanStmt', [dot(0, 3), make('MakeArrayStmt'), scan(append(local(21)))], []],
  ['ScanStmt', [make('MakeArrayStmt'), scan(append(local(21)))], []],
  [
    'ScanStmt',
    [dot(5, 3), make('MakeArrayStmt'), scan(equal(local(20), b), append(local(20)))],
    ['b'],
  ],
  ['ScanStmt', [dot(5, 3), make('MakeArrayStmt'), scan(append(local(20)), leave(1))], ['a']],
  ['WithStmt', [replace([0], b, dot(0, 2))], 'b'],
  ['WithStmt', [replace([], b, set(local(0)))], 'b'],
  ['WithStmt', [replace([1, 5], b, dot(1, 2))], { name: 'b' }],
  ['WithStmt', [replace([0, 5], b, dot(0, 2))], { name: 'b' }],
  ['WithStmt', [replace([0], b, set(a)), dot(0, 2)], 'x'],
  ['WithStmt', [set(a), replace([0], b, equal(a, b))]],
  ['ObjectMergeStmt', [dot(5, 3), ...object(4, b, local(0)), merge(3, 4)], INPUT.name],
  [
    'ObjectMergeStmt',
    [dot(5, 3), ...object(4, list, a), merge(3, 4)],
    { ...INPUT.name, list: 'a' },
  ],
  ['ObjectMergeStmt', [dot(0, 3), ...object(4, list, a), merge(3, 4)], 'x'],
];

function once(source: Operand): IrStatement {
  return { type: 'AssignVarOnceStmt', stmt: { source, target: 2 } };
}
function append(value: Operand): IrStatement {
  return { type: 'ArrayAppendStmt', stmt: { value, array: 2 } };
}
function insert(key: Operand, value: Operand): IrStatement {
  return { type: 'ObjectInsertStmt', stmt: { key, value, object: 2 } };
}
function insertOnce(key: Operand, value: Operand): IrStatement {
  return { type: 'ObjectInsertOnceStmt', stmt: { key, value, object: 2 } };
}
function add(value: Operand): IrStatement {
  return { type: 'SetAddStmt', stmt: { value, set: 2 } };
}
function at(source: number, key: number, target: number): IrStatement {
  return { type: 'DotStmt', stmt: { source: local(source), key: local(key), target } };
}
function length(source: number): IrStatement {
  return { type: 'LenStmt', stmt: { source: local(source), target: 2 } };
}
function equal(x: Operand, y: Operand): IrStatement {
  return { type: 'EqualStmt', stmt: { a: x, b: y } };
}
function notEqual(x: Operand, y: Operand): IrStatement {
  return { type: 'NotEqualStmt', stmt: { a: x, b: y } };
}
function is(type: 'IsArrayStmt' | 'IsObjectStmt' | 'IsSetStmt'): IrStatement {
  return { type, stmt: { source: local(2) } };
}
function defined(type: 'IsDefinedStmt' | 'IsUndefinedStmt', source: number): IrStatement {
  return { type, stmt: { source } };
}
function nest(...blocks: IrBlock[]): IrStatement {
  return { type: 'BlockStmt', stmt: { blocks } };
}
function leave(index: number): IrStatement {
  return { type: 'BreakStmt', stmt: { index } };
}
function not(...stmts: IrStatement[]): IrStatement {
  return { type: 'NotStmt', stmt: { block: block(...stmts) } };
}
/** Scans local 3 into locals 20 and 21. */
function scan(...stmts: IrStatement[]): IrStatement {
  return { type: 'ScanStmt', stmt: { source: 3, key: 20, value: 21, block: block(...stmts) } };
}
function replace(path: number[], value: Operand, ...stmts: IrStatement[]): IrStatement {
  return { type: 'WithStmt', stmt: { local: 0, path, value, block: block(...stmts) } };
}
function object(target: number, key: Operand, value: Operand): IrStatement[] {
  return [
    make('MakeObjectStmt', target),
    { type: 'ObjectInsertStmt', stmt: { key, value, object: target } },
  ];
}
function merge(x: number, y: number): IrStatement {
  return { type: 'ObjectMergeStmt', stmt: { a: x, b: y, target: 2 } };
}

for (const [number, [kind, stmts, value]] of cases.entries())
  test(`${kind} (${number})`, async () => {
    assert.equal(await answer(stmts), value === undefined ? {} : { value });
  });

/** A function `f` of the documents and one value; it gives the value's member `a`, if there is one. */
const member: IrFunction = {
  name: 'f',
  params: [0, 1, 2],
  return: 3,
  blocks: [
    block({ type: 'DotStmt', stmt: { source: local(2), key: string(0), target: 3 } }),
    block({ type: 'ReturnLocalStmt', stmt: { source: 3 } }),
  ],
};
const called = (argument: Operand): IrStatement => ({
  type: 'CallStmt',
  stmt: { func: 'f', args: [local(0), local(1), argument], result: 2 },
});

test('CallStmt and ReturnLocalStmt: a function gives a value or is undefined', async () => {
  assert.equal(await answer([called(local(0))], [member]), { value: 'x' });
  assert.equal(await answer([called(string(0))], [member]), {});
});

/** Rules at `data.name.b` and `data.name.set`; only the first is defined. */
const rules = ['b', 'set'].map(
  (name, number): IrFunction => ({
    name: `g0.data.name.${name}`,
    params: [0, 1],
    return: 2,
    path: ['g0', 'name', name],
    blocks: [
      block({ type: 'DotStmt', stmt: { source: local(0), key: string(number), target: 2 } }),
      block({ type: 'ReturnLocalStmt', stmt: { source: 2 } }),
    ],
  }),
);

test('CallDynamicStmt: the rule at a path, no rule, and a rule that is undefined', async () => {
  const STRING_G0 = 7;
  const dynamic = (key: Operand): IrStatement[] => [
    set(key, 5),
    set(string(4)),
    // A rule that is undefined ends what follows the search in the data too.
    nest(
      block(
        nest(
          block(
            nest(
              block(
                nest(
                  block(
                    {
                      type: 'CallDynamicStmt',
                      stmt: {
                        args: [0, 1],
                        path: [string(STRING_G0), string(5), local(5)],
                        result: 6,
                      },
                    },
                    leave(1),
                  ),
                  block(set(string(1)), leave(1)),
                ),
                leave(1),
              ),
            ),
          ),
        ),
        set(string(0)),
      ),
    ),
  ];
  const ask = async (key: Operand): Promise<Answer> => {
    const plan = planOf([...STRINGS, 'set', 'g0'], dynamic(key), rules);
    return (await PlanUnderTest.of(plan)).evaluate(INPUT);
  };
  // Found, and the block after the search goes on; not found; found but undefined.
  assert.equal(await ask(string(1)), { value: 'a' });
  assert.equal(await ask(string(2)), { value: 'a' });
  assert.equal(await ask(string(6)), { value: 'list' });
});

test('ResultSetAddStmt: all bindings are a set', async () => {
  const plan = planOf(STRINGS, [dot(4, 3), nest(block(scan(set(local(21)), ...bindings())))]);
  const under = await PlanUnderTest.of(plan, {}, { bindings: true });
  const each = [1, 2, 3].map((result) => ({ result }));
  assert.equal(under.evaluate(INPUT), { value: { $set: each } });
});

function bindings(): IrStatement[] {
  const key = string(STRINGS.length);
  return [
    make('MakeObjectStmt', 98),
    { type: 'ObjectInsertStmt', stmt: { key, value: local(2), object: 98 } },
    { type: 'ResultSetAddStmt', stmt: { value: 98 } },
  ];
}

test('what is not known is named, and gives no module', async () => {
  const unknown = { type: 'SpinStmt', stmt: {} } as never;
  const stmts: IrStatement[] = [
    unknown,
    { type: 'CallStmt', stmt: { func: 'http.send', args: [local(0)], result: 2 } },
    replace([0], b, leave(1)),
  ];
  const { wasm, unsupported } = await compilePlan(planOf(STRINGS, stmts), moduleBytes('engine'));
  assert.is(wasm, undefined);
  assert.equal(unsupported, [
    'a BreakStmt that leaves a WithStmt or the function',
    'the built-in http.send',
    'the statement SpinStmt',
  ]);
});

test('a second value for a variable or a key is a conflict', async () => {
  assert.equal(await answer([once(a), once(b)]), { failure: CONFLICT });
  const stmts = [make('MakeObjectStmt'), insertOnce(a, a), insertOnce(a, b)];
  assert.equal(await answer(stmts), { failure: CONFLICT });
});

test.run();
