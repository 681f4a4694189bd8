// Tests of identity numbers against python-stdnum: what it calls valid is found, what it calls invalid is not.

import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { needs } from '../../../runtime/testing/needs.ts';
import { pythonTool } from '../../../runtime/testing/python-tools.ts';
import { guard } from './testing.ts';

const NUMBERS_EACH = 120;

/** A word for each kind, so that what is found depends on the check alone. */
const named: Record<string, string> = {
  ar_cuit: 'CUIT',
  au_abn: 'ABN',
  au_tfn: 'tax file number',
  be_national_number: 'Rijksregisternummer',
  bitcoin_address: 'wallet',
  br_cnpj: 'CNPJ',
  br_cpf: 'CPF',
  ca_sin: 'social insurance number',
  ch_ahv: 'AHV',
  cl_rut: 'RUT',
  cn_resident_id: '身份证号码',
  de_steuer_id: 'Steuer-ID',
  dk_cpr: 'CPR',
  es_dni: 'DNI',
  es_nie: 'NIE',
  fi_hetu: 'henkilötunnus',
  fr_nir: 'n° de sécurité sociale',
  ie_pps: 'PPSN',
  il_id: 'teudat zehut',
  in_aadhaar: 'Aadhaar',
  in_pan: 'permanent account number',
  it_codice_fiscale: 'codice fiscale',
  jp_my_number: 'マイナンバー',
  kr_rrn: '주민등록번호',
  mx_curp: 'CURP',
  nl_bsn: 'BSN',
  no_fodselsnummer: 'fødselsnummer',
  pl_pesel: 'PESEL',
  pt_nif: 'contribuinte',
  ro_cnp: 'CNP',
  ru_inn: 'ИНН',
  se_personnummer: 'personnummer',
  ssn: 'SSN',
  tr_tckn: 'TCKN',
  uk_nhs: 'NHS number',
  us_ein: 'EIN',
  us_itin: 'ITIN',
  za_id: 'South African ID',
};

if (needs('python-stdnum')) {
  const seed = Math.floor(Math.random() * 1e9);
  const program = fileURLToPath(new URL('stdnum_numbers.py', import.meta.url));
  const python = join(pythonTool('python-stdnum==2.2'), 'python');
  const output = execFileSync(python, [program, String(seed), String(NUMBERS_EACH)]);
  const numbers: Record<string, [string, boolean][]> = JSON.parse(output.toString());

  for (const [kind, word] of Object.entries(named)) {
    test(`${kind}: ${NUMBERS_EACH} numbers and their near misses`, () => {
      const all = numbers[kind]!;
      assert.ok(all.filter(([, isValid]) => isValid).length >= 4, 'python-stdnum made no numbers');
      for (const [number, isValid] of all) {
        const text = `${word}: ${number}`;
        const { findings } = guard.scan({ direction: 'input', scanners: ['PII'], text });
        const isFound = findings.some((finding) => finding.kind === kind);
        const place = findings.find((finding) => finding.kind === kind);
        assert.is(isFound, isValid, `${text} (seed ${seed})`);
        if (place) assert.is(place.end - place.start, Buffer.byteLength(number), text);
      }
    });
  }
}

test.run();
