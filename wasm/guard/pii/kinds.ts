// The kinds of personal data, numbered in the order of their names.

/** The kinds of this scanner begin here, see wasm/guard/kinds.ts. */
export const FIRST_KIND: u32 = 100;

export const AR_CUIT: u32 = 100;
export const AU_ABN: u32 = 101;
export const AU_MEDICARE: u32 = 102;
export const AU_TFN: u32 = 103;
export const BE_NATIONAL_NUMBER: u32 = 104;
export const BITCOIN_ADDRESS: u32 = 105;
export const BR_CNPJ: u32 = 106;
export const BR_CPF: u32 = 107;
export const CA_SIN: u32 = 108;
export const CH_AHV: u32 = 109;
export const CL_RUT: u32 = 110;
export const CN_RESIDENT_ID: u32 = 111;
export const CREDIT_CARD: u32 = 112;
export const DATE_OF_BIRTH: u32 = 113;
export const DE_STEUER_ID: u32 = 114;
export const DK_CPR: u32 = 115;
export const EMAIL: u32 = 116;
export const ES_DNI: u32 = 117;
export const ES_NIE: u32 = 118;
export const ETHEREUM_ADDRESS: u32 = 119;
export const FI_HETU: u32 = 120;
export const FR_NIR: u32 = 121;
export const IBAN: u32 = 122;
export const IE_PPS: u32 = 123;
export const IL_ID: u32 = 124;
export const IN_AADHAAR: u32 = 125;
export const IN_PAN: u32 = 126;
export const IP_ADDRESS: u32 = 127;
export const IT_CODICE_FISCALE: u32 = 128;
export const JP_MY_NUMBER: u32 = 129;
export const KR_RRN: u32 = 130;
export const MX_CURP: u32 = 131;
export const NL_BSN: u32 = 132;
export const NO_FODSELSNUMMER: u32 = 133;
export const PASSPORT: u32 = 134;
export const PHONE: u32 = 135;
export const PL_PESEL: u32 = 136;
export const PT_NIF: u32 = 137;
export const RO_CNP: u32 = 138;
export const RU_INN: u32 = 139;
export const RU_SNILS: u32 = 140;
export const SE_PERSONNUMMER: u32 = 141;
export const SG_NRIC: u32 = 142;
export const SSN: u32 = 143;
export const TR_TCKN: u32 = 144;
export const UK_NHS: u32 = 145;
export const UK_NINO: u32 = 146;
export const US_EIN: u32 = 147;
export const US_ITIN: u32 = 148;
export const ZA_ID: u32 = 149;

/** The last of them. */
export const LAST_KIND: u32 = 149;

/** No kind: words such as "version", which say that dotted numbers are no addresses. */
export const VERSION: u32 = 162;
/** No kind: words for any identity or tax number. */
export const IDENTITY: u32 = 163;

/** The name of a kind of personal data. */
export function personalName(kind: u32): string {
  switch (kind) {
    case AR_CUIT:
      return 'ar_cuit';
    case AU_ABN:
      return 'au_abn';
    case AU_MEDICARE:
      return 'au_medicare';
    case AU_TFN:
      return 'au_tfn';
    case BE_NATIONAL_NUMBER:
      return 'be_national_number';
    case BITCOIN_ADDRESS:
      return 'bitcoin_address';
    case BR_CNPJ:
      return 'br_cnpj';
    case BR_CPF:
      return 'br_cpf';
    case CA_SIN:
      return 'ca_sin';
    case CH_AHV:
      return 'ch_ahv';
    case CL_RUT:
      return 'cl_rut';
    case CN_RESIDENT_ID:
      return 'cn_resident_id';
    case CREDIT_CARD:
      return 'credit_card';
    case DATE_OF_BIRTH:
      return 'date_of_birth';
    case DE_STEUER_ID:
      return 'de_steuer_id';
    case DK_CPR:
      return 'dk_cpr';
    case EMAIL:
      return 'email';
    case ES_DNI:
      return 'es_dni';
    case ES_NIE:
      return 'es_nie';
    case ETHEREUM_ADDRESS:
      return 'ethereum_address';
    case FI_HETU:
      return 'fi_hetu';
    case FR_NIR:
      return 'fr_nir';
    case IBAN:
      return 'iban';
    case IE_PPS:
      return 'ie_pps';
    case IL_ID:
      return 'il_id';
    case IN_AADHAAR:
      return 'in_aadhaar';
    case IN_PAN:
      return 'in_pan';
    case IP_ADDRESS:
      return 'ip_address';
    case IT_CODICE_FISCALE:
      return 'it_codice_fiscale';
    case JP_MY_NUMBER:
      return 'jp_my_number';
    case KR_RRN:
      return 'kr_rrn';
    case MX_CURP:
      return 'mx_curp';
    case NL_BSN:
      return 'nl_bsn';
    case NO_FODSELSNUMMER:
      return 'no_fodselsnummer';
    case PASSPORT:
      return 'passport';
    case PHONE:
      return 'phone';
    case PL_PESEL:
      return 'pl_pesel';
    case PT_NIF:
      return 'pt_nif';
    case RO_CNP:
      return 'ro_cnp';
    case RU_INN:
      return 'ru_inn';
    case RU_SNILS:
      return 'ru_snils';
    case SE_PERSONNUMMER:
      return 'se_personnummer';
    case SG_NRIC:
      return 'sg_nric';
    case SSN:
      return 'ssn';
    case TR_TCKN:
      return 'tr_tckn';
    case UK_NHS:
      return 'uk_nhs';
    case UK_NINO:
      return 'uk_nino';
    case US_EIN:
      return 'us_ein';
    case US_ITIN:
      return 'us_itin';
    default:
      return 'za_id';
  }
}
