// Tests of identity numbers, IP addresses, dates of birth, passports and wallets: what context does, and what is none.

import fc from 'fast-check';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { eachFound, found, guard, noneFound } from './testing.ts';

/** The highest score of any personal data in a text, in thousandths. */
function score(text: string): number {
  return guard.scan({ direction: 'input', scanners: ['PII'], text }).scores.PII ?? 0;
}

test('numbers whose form says enough are found without a word', () => {
  eachFound('br_cpf', ['529.982.247-25']);
  eachFound('br_cnpj', ['11.222.333/0001-81']);
  eachFound('be_national_number', ['85.07.30-033.28']);
  eachFound('ch_ahv', ['756.9217.0769.85']);
  eachFound('fi_hetu', ['131052-308T']);
  eachFound('fr_nir', ['2 95 10 99 126 111 93', '295109912611193', '223042B03306017']);
  eachFound('it_codice_fiscale', ['RSSMRA85T10A562S', 'rssmra85t10a562s']);
  eachFound('mx_curp', ['BOXW310820HNERXN09']);
  eachFound('es_dni', ['12345678Z', '12345678-Z']);
  eachFound('es_nie', ['X1234567L', 'X-1234567-L']);
  eachFound('uk_nino', ['AB123456C', 'AB 12 34 56 C']);
  eachFound('sg_nric', ['S1234567D', 'T0000001E', 'F1234567N', 'G1234567X']);
  eachFound('us_itin', ['912-70-3456']);
  eachFound('cl_rut', ['12.531.909-2']);
  eachFound('ru_snils', ['112-233-445 95']);
  eachFound('cn_resident_id', ['11010519491231002X', '11010519491231002x']);
  eachFound('in_pan', ['ACUPA7085R']);
});

/** A bare number of each kind whose check is weak or whose form says nothing, and words for it. */
const bare: [kind: string, number: string, words: string[]][] = [
  ['ssn', '123456789', ['SSN: ', 'his social security number is ']],
  ['us_itin', '912703456', ['ITIN ', 'individual taxpayer identification number: ']],
  ['us_ein', '12-3456789', ['EIN: ', 'employer identification number ']],
  ['ca_sin', '123456782', ['SIN: ', 'Social Insurance Number ', 'assurance sociale : ']],
  ['nl_bsn', '111222333', ['BSN ', 'burgerservicenummer: ']],
  ['pt_nif', '501964843', ['NIF: ', 'contribuinte nº ']],
  ['il_id', '039337423', ['תעודת זהות: ', 'Teudat Zehut ']],
  ['uk_nhs', '943 476 5919', ['NHS number: ', 'NHS no ']],
  ['au_tfn', '123 456 782', ['TFN ', 'Tax File Number: ']],
  ['au_abn', '83 914 571 673', ['ABN ', 'Australian Business Number: ']],
  ['au_medicare', '2123 45670 1', ['Medicare card ', 'Medicare: ']],
  ['de_steuer_id', '36574261809', ['Steuer-ID: ', 'steuerliche Identifikationsnummer ', 'IdNr. ']],
  ['pl_pesel', '44051401359', ['PESEL: ', 'numer PESEL ']],
  ['tr_tckn', '10000000146', ['TCKN ', 'T.C. Kimlik No: ']],
  ['no_fodselsnummer', '11077941012', ['fødselsnummer: ', 'FØDSELSNUMMER ', 'fodselsnummer ']],
  ['dk_cpr', '211062-5629', ['CPR-nummer: ', 'CPR ']],
  ['se_personnummer', '880320-0016', ['personnummer: ', 'Personnr ']],
  ['in_aadhaar', '234123412346', ['Aadhaar: ', 'आधार ']],
  ['jp_my_number', '6214 9832 0257', ['マイナンバー：', '個人番号は', 'My Number ']],
  ['kr_rrn', '9710139019902', ['주민등록번호: ', 'RRN ']],
  ['za_id', '7503305044089', ['South African ID: ', 'identity number ']],
  ['br_cpf', '52998224725', ['CPF ', 'cpf: ']],
  ['ar_cuit', '20123456786', ['CUIT: ', 'cuil ']],
  ['ro_cnp', '1630615123457', ['CNP: ', 'cod numeric personal ']],
  ['ru_inn', '123456789047', ['ИНН: ', 'инн ']],
  ['ie_pps', '6433435F', ['PPSN ', 'PPS number: ']],
  // Given out since October 2020: no check digit.
  ['kr_rrn', '250207-3601891', ['주민등록번호: ']],
];

test('bare numbers are found beside a word for them, in any of its spellings, and only there', () => {
  for (const [kind, number, words] of bare) {
    noneFound([number, `value ${number} here`, `id_${number}`]);
    for (const word of words) assert.equal(found(`${word}${number}`), [`${kind}:${number}`]);
    assert.equal(found(`${words[0]}${'x '.repeat(60)}${number}`), [], 'the word is too far');
    // A character of Chinese, Japanese or Korean is a word of its own, whatever stands before it.
    if (/[\u3000-\ud7ff]/.test(words[0]!)) continue;
    assert.equal(found(`not${words[0]!.toLowerCase()}${number}`), [], 'a longer word');
  }
});

test('what is only likely has a score below the threshold', () => {
  for (const [, number] of bare) assert.ok(score(number) < 850, number);
  assert.ok(score('52998224725') > 0);
  assert.is(score('no number at all'), 0);
});

test('a word for any identity number raises what has two check digits', () => {
  assert.equal(found('national id 52998224725'), ['br_cpf:52998224725']);
  assert.equal(found('national id 123456782'), []);
});

test('no digits of a random length are found without a word', () => {
  let flagged = 0;
  fc.assert(
    fc.property(fc.stringMatching(/^[0-9]{6,11}$/), (digits) => {
      if (found(`n = ${digits};`).length > 0) flagged++;
    }),
    { numRuns: 3000 },
  );
  assert.is(flagged, 0);
});

test('public addresses of both versions', () => {
  eachFound('ip_address', ['93.184.216.34', '8.8.4.100', '2a00:1450:4001:81b::200e']);
  eachFound('ip_address', ['2001:4860:4860:0:0:0:0:8888', '2606:4700::1111', '2620:fe::fe']);
  assert.equal(found('client 93.184.216.34:443'), ['ip_address:93.184.216.34']);
  assert.equal(found('http://93.184.216.34/'), ['ip_address:93.184.216.34']);
  assert.equal(found('93.184.216.34 93.184.216.35').length, 2);
  assert.equal(found('12:00:01 93.184.216.34 200'), ['ip_address:93.184.216.34']);
  assert.equal(found('IP address: 5.9.1.2'), ['ip_address:5.9.1.2']);
});

test('what names nobody is no address', () => {
  noneFound([
    ...['10.0.0.1', '127.0.0.1', '192.168.1.254', '172.16.99.99', '169.254.77.77', '0.0.0.0'],
    ...[
      '192.0.2.55',
      '198.51.100.77',
      '203.0.113.99',
      '224.0.0.251',
      '255.255.255.255',
      '100.64.1.99',
    ],
    ...[
      '::1',
      'fe80::1ff:fe23:4567:890a',
      'fd00::99',
      '2001:db8::8a2e:370:7334',
      '2001:0db8:85a3::1',
    ],
    ...[
      'version 93.184.216.34',
      'v93.184.216.34',
      '1.2.3.4',
      'lib-93.184.216.34.jar',
      '2.5.29.100',
    ],
    ...[
      '93.184.216.0/24',
      '93.184.216.256',
      '093.184.216.34',
      '93.184.216.34.5',
      '-2.12 3.51.98.32 2.03',
      '-2.12 3.51.98.32 2.03.82',
      'section 8.4.2.251',
      '193.184.216',
    ],
    ...['2020::', '12:30:45', '2001:zz::1', '2a00::1::2', 'std::2a00'],
  ]);
});

test('dates of birth beside a word, and no other dates', () => {
  for (const date of [
    '1985-03-12',
    '12/03/1985',
    '3/12/85',
    '12.03.1985',
    '12 March 1985',
    'March 12, 1985',
  ]) {
    assert.equal(found(`DOB: ${date}`), [`date_of_birth:${date}`]);
    assert.equal(found(`due on ${date}`), []);
  }
  assert.equal(found('Geburtsdatum 12. März 1985'), ['date_of_birth:12. März 1985']);
  assert.equal(found('née le 1er août, 12 août 1985'), ['date_of_birth:12 août 1985']);
  assert.equal(found('fecha de nacimiento: 12 de marzo de 1985'), [
    'date_of_birth:12 de marzo de 1985',
  ]);
  assert.equal(found('出生日期：1985年3月12日'), ['date_of_birth:1985年3月12日']);
  noneFound(['born 1985-13-12', 'born 31/31/1985', 'born 12 mugs 1985', 'born 1985']);
});

test('passports beside a word', () => {
  for (const number of ['C01X00T47', '123456789', 'AB1234567', 'X1234567']) {
    assert.equal(found(`Passport no. ${number}`), [`passport:${number}`]);
    assert.equal(found(`part no. ${number}`), []);
  }
  assert.equal(found('Reisepass: C01X00T47'), ['passport:C01X00T47']);
  assert.equal(found('护照号码 E12345678'), ['passport:E12345678']);
  noneFound(['passport control at gate 12', 'passport abcdefgh1', 'passport c01x00t47']);
});

test('wallets', () => {
  eachFound('bitcoin_address', [
    '1BoatSLRHtKNngkdXEeobR76b53LETtpyT',
    '3J98t1WpEZ73CNmQviecrnyiWrnqRhWNLy',
    'bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4',
    'bc1p5cyxnuxmeuwuvkwfem96lqzszd02n6xdcjrs20cac6yqjjwudpxqkedrcr',
  ]);
  eachFound('ethereum_address', ['0x52908400098527886E0F7030069857D2E4169EE7']);
  noneFound([
    '1BoatSLRHtKNngkdXEeobR76b53LETtpyU',
    'bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t5',
    '0x0000000000000000000000000000000000000000',
    '0x52908400098527886E0F7030069857D2E4169EE',
  ]);
});

test.run();
