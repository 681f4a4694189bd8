// Requests signed for AWS: OPA's own signatures on requests of any shape.
import fc from 'fast-check';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { needs } from '../../../runtime/testing/needs.ts';
import { type Call, opaBuiltins } from '../opa-testing.ts';
import { EngineFailure, engineUnderTest } from '../testing.ts';

const engine = await engineUnderTest('crypto-aws');
const name = 'providers.aws.sign_req';
const configuration = {
  aws_access_key: 'AKIDEXAMPLE',
  aws_secret_access_key: 'wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY',
  aws_service: 'service',
  aws_region: 'us-east-1',
};

test('the signature of an empty request is that of AWS', () => {
  // AWS's own test suite, get-vanilla, as its canonical request comes out here.
  const request = { method: 'GET', url: 'https://example.amazonaws.com/' };
  const signed = engine.call(name, request, configuration, 1_440_938_160_000_000_000n) as {
    headers: Record<string, string>;
  };
  assert.is(signed.headers['x-amz-date'], '20150830T123600Z');
  assert.is(
    signed.headers.Authorization,
    'AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/20150830/us-east-1/service/aws4_request,' +
      'SignedHeaders=host;x-amz-date,' +
      'Signature=5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31',
  );
});

const value = fc.oneof(fc.string({ maxLength: 8 }), fc.constantFrom('a b', 'é', '', '\n'));
const request = fc
  .record(
    {
      method: fc.constantFrom('get', 'POST', 1),
      url: fc.constantFrom(
        ...[
          'https://example.com',
          'http://h:80/a%2Fb/c d?x=1&y#f',
          'https://h/é/(*)!',
          '//h/p',
          'x',
          '',
        ],
        ...['http://[::1]:8080/%zz', 'http://u:p@h/*', 'http://h/%7Ea%2a', '*'],
      ),
      headers: fc.dictionary(
        fc.constantFrom('Foo', 'X-Bar', 'user-agent', 'Authorization', 'host'),
        value,
        {
          maxKeys: 3,
        },
      ),
      body: fc.oneof(fc.jsonValue(), fc.constant({ a: new Set([2, 1]), b: '<&>' })),
      raw_body: fc.constantFrom('', '{ }', 'é', 1),
      timeout: fc.constant(1),
      unknown: fc.constant(1),
    },
    { requiredKeys: ['method', 'url'] },
  )
  .filter((given) => !('unknown' in given) || JSON.stringify(given).length % 4 === 0);
const settings = fc.record(
  {
    aws_service: fc.constantFrom('s3', 'glacier', 'execute-api', 'é', 1),
    aws_session_token: fc.constantFrom('token', '', 1),
    disable_payload_signing: fc.constantFrom(true, false, 'x'),
    aws_region: fc.constantFrom('eu-west-1', null),
  },
  { requiredKeys: [] },
);

test('agrees with OPA on requests of any shape', () => {
  if (!needs('go')) return;
  const calls = fc
    .sample(
      fc.tuple(request, settings, fc.constantFrom(0, 1.5, 1_451_311_705_000_000_000n, -1)),
      4000,
    )
    .filter(
      ([given]) =>
        !JSON.stringify(given, (_, part) => (part instanceof Set ? [...part] : part)).includes(
          '"$',
        ),
    )
    .map(([given, other, time]): Call => [name, given, { ...configuration, ...other }, time]);
  const expected = opaBuiltins(calls);
  calls.forEach(([, ...operands], i) => {
    assert.equal(engine.call(name, ...operands), expected[i], String(i));
  });
  const signed = expected.filter((answer) => answer !== undefined).length;
  assert.ok(signed > 120, `${signed} signed`);
});

test('what is missing or of a wrong type is a type error', () => {
  const right = { method: 'GET', url: 'https://h' };
  for (const [given, other, time] of [
    [{}, configuration, 1],
    [right, {}, 1],
    [right, configuration, 1.5],
    [right, configuration, 'now'],
    [right, { ...configuration, disable_payload_signing: 1 }, 1],
    [{ ...right, other: 1 }, configuration, 1],
    [{ ...right, headers: [] }, configuration, 1],
    [1, configuration, 1],
  ]) {
    assert.throws(
      () => engine.callStrict(name, given, other, time),
      (error: unknown) => error instanceof EngineFailure && error.failure === 2,
    );
  }
});

test.run();
