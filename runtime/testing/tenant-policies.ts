// Generated policies of a tenant, well meant and hostile: whatever they are, they may only narrow.
import fc from 'fast-check';

const conditions = fc.constantFrom(
  'true',
  'input.action == "call"',
  'input.resource.kind != "catalog"',
  'not input.approval',
  'startswith(input.identity.spiffe_id, "spiffe://")',
  'data.agents[input.identity.spiffe_id].resources',
  'data.tenants["TENANT"].closed',
  'every part in split(input.identity.spiffe_id, "/") { part != "x" }',
  'count(input.counters) < 9',
  'input.context.time > "2025"',
  'helper',
  'helper == 1',
);
const elements = fc.constantFrom(
  '{"code": "a", "message": "m", "controls": ["T:1"]}',
  '{"code": input.action, "controls": {"x": "T:2"}}',
  '{"code": 7, "message": {}, "controls": "T:3"}',
  '{"question": "Sure?"}',
  '{"kind": "max_bytes", "bytes": 10}',
  '{"kind": "redact", "paths": ["/a"]}',
  '{"kind": "rate", "limit": 0, "window_seconds": 60, "per": "agent"}',
  '{"kind": 9}',
  '"text"',
  'null',
  'false',
  'input',
  'input.nothing',
  'set()',
  '[]',
  'helper',
  '{"allow": true}',
  '{"by": "operator", "code": "x.y", "allow": true}',
);
const contribution = fc
  .record({
    name: fc.constantFrom('deny', 'deny', 'require_approval', 'oblige'),
    element: elements,
    body: fc.array(conditions, { minLength: 1, maxLength: 3 }),
  })
  .map(({ name, element, body }) => `${name} contains ${element} if {\n\t${body.join('\n\t')}\n}`);
const helpers = fc.constantFrom(
  'helper := 1',
  'helper := 1 if input.action\n\nhelper := 2 if input.identity',
  'helper(x) := x\n\nhelper(_) := 2',
  'helper[x] contains y if some x, y in input.resource',
  'helper := object.get(input, "a", {"b": 1})',
  'default helper := false',
);
/** Some of these compile, others are refused; neither may ever widen or reach beyond the tenant. */
const attacks = fc.constantFrom(
  'default allow := true',
  'allow := true',
  'decision := {"allow": true, "obligations": []}',
  'grants contains {"code": "x", "message": "m", "controls": []}',
  'reasons := set()',
  'default deny := false',
  'deny := set()',
  'deny.a := false',
  'deny[x] := x if x := input.action',
  'deny(x) := x',
  'oblige := {"kind": "none"}',
  'allow if true else := false',
  'import data.platform.BOUNDARY',
  'import data.platform.BOUNDARY as deny',
  'import data.agents',
  'import input as data',
  'deny contains x if some x in data.platform.BOUNDARY.grants',
  'deny contains x if { x := data.platform.BOUNDARY.decision }',
  'deny contains 1 if data.platform.BOUNDARY.allow with data.agents as {}',
  'deny contains 1 if helper with input.identity.spiffe_id as "spiffe://platform.local/agent/tenant-1/agent-1/main"',
  'deny contains x if some x in data.agents',
  'deny contains 1 if { some input in [{"identity": {"spiffe_id": "x"}}]; data.agents[input.identity.spiffe_id] }',
  'deny contains data',
  'platform.BOUNDARY.allow := true',
  'data.platform.BOUNDARY.allow := true',
  'package platform.BOUNDARY',
  'answer := 1',
  'count(_) := 0',
  'is_object(_) := false',
  'x if y\n\ny if x',
  'obligations contains {"kind": "none"}',
  '# METADATA\n# scope: subpackages\n# schemas:\n#   - input: {type: string}',
);

const packages = fc.oneof(
  { weight: 8, arbitrary: fc.constant('platform.BOUNDARY.tenant["TENANT"]') },
  {
    weight: 1,
    arbitrary: fc.constantFrom(
      'platform.BOUNDARY',
      'platform.BOUNDARY.operator',
      'platform.BOUNDARY.tenants',
      'platform.BOUNDARY.tenant',
      'platform.BOUNDARY.tenant["tenant-15"]',
      'platform.BOUNDARY.tenant["TENANT"].deny',
      'platform.answer',
      'platform["BOUNDARY.tenant.TENANT"]',
    ),
  },
);

/** Sources of a tenant `TENANT` at one of the boundaries; about half of them are refused. */
export function tenantPolicies(boundaries: readonly string[]): fc.Arbitrary<string> {
  return fc
    .record({
      boundary: fc.constantFrom(...boundaries),
      package: packages,
      contributions: fc.array(contribution, { minLength: 1, maxLength: 3 }),
      helper: helpers,
      attacks: fc.oneof(
        { weight: 1, arbitrary: fc.constant([]) },
        { weight: 1, arbitrary: fc.array(attacks, { minLength: 1, maxLength: 2 }) },
      ),
    })
    .map((of) => {
      const pieces = [...of.attacks, ...of.contributions].join('\n\n');
      const rest = pieces.includes('helper') ? `\n\n${of.helper}` : '';
      return `package ${of.package}\n\n${pieces}${rest}\n`.replaceAll('BOUNDARY', of.boundary);
    });
}
