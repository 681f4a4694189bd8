// The words that say that a telephone number follows, by language, and where each language is spoken.

/** The words for telephones of one language, and the calling codes where it is spoken. */
export interface PhoneWords {
  words: readonly string[];
  codes: readonly number[];
}

/** The first group is understood everywhere and hints at no country. */
export const phoneWords: readonly PhoneWords[] = [
  {
    words: [
      ...['phone', 'phones', 'telephone', 'telephones', 'tel', 'tele', 'mobile', 'mobiles', 'cell'],
      ...[
        'cellphone',
        'fax',
        'whatsapp',
        'call',
        'called',
        'calling',
        'dial',
        'ph',
        'sms',
        'viber',
      ],
      ...['hotline', 'mob', 'telegram', 'signal number', 'voicemail'],
    ],
    codes: [],
  },
  {
    words: ['téléphone', 'téléphoner', 'appelez', 'appeler', 'joignable au', 'numéro vert'],
    codes: [33, 32, 41, 1, 377, 262, 590, 594, 596, 212, 213, 216, 221, 225, 237, 243, 509],
  },
  {
    words: [
      'telefon',
      'telefonnummer',
      'handynummer',
      'mobil',
      'rufnummer',
      'rückruf',
      'festnetz',
      'anrufen',
      'durchwahl',
      'mobilnummer',
    ],
    codes: [49, 43, 41, 423, 45, 46, 47, 48, 420, 421, 36, 90, 381, 385, 386, 387, 40, 62],
  },
  {
    words: ['teléfono', 'móvil', 'celular', 'llamar', 'llame', 'llámame', 'télefono'],
    codes: [34, 52, 54, 56, 57, 51, 58, 593, 591, 595, 598, 502, 503, 504, 505, 506, 507, 53, 1],
  },
  {
    words: ['telefone', 'telemóvel', 'celular', 'ligue', 'ligar'],
    codes: [55, 351, 244, 258, 238],
  },
  { words: ['telefono', 'cellulare', 'chiamare', 'chiama', 'recapito'], codes: [39, 41, 378] },
  {
    words: ['telefoon', 'telefoonnummer', 'mobiel', 'bellen', 'gsm'],
    codes: [31, 32, 297, 597, 599],
  },
  {
    words: ['telefonnummer', 'mobilnummer', 'mobiltelefon', 'tlf', 'mobilen'],
    codes: [46, 47, 45, 298, 299],
  },
  { words: ['puhelin', 'puhelinnumero', 'matkapuhelin', 'puh', 'gsm'], codes: [358] },
  { words: ['telefon', 'komórka', 'komórkowy', 'zadzwoń'], codes: [48] },
  { words: ['telefon', 'cep telefonu', 'gsm'], codes: [90] },
  {
    words: ['телефон', 'тел', 'моб', 'мобильный', 'звоните', 'позвоните'],
    codes: [7, 380, 375, 996, 998, 992],
  },
  { words: ['телефон', 'мобільний', 'дзвоніть'], codes: [380] },
  {
    words: ['电话', '手机', '手机号', '電話', '手機', '联系电话', '座机', '传真'],
    codes: [86, 886, 852, 853, 65],
  },
  { words: ['電話', '携帯', '電話番号', 'ファックス'], codes: [81] },
  { words: ['전화', '휴대폰', '핸드폰', '연락처', '팩스'], codes: [82] },
  { words: ['फोन', 'मोबाइल', 'दूरभाष'], codes: [91, 977] },
  {
    words: ['هاتف', 'الهاتف', 'جوال', 'الجوال', 'تلفون', 'موبايل'],
    codes: [
      966, 971, 20, 962, 961, 964, 965, 974, 973, 968, 212, 213, 216, 218, 249, 963, 967, 970,
    ],
  },
  { words: ['טלפון', 'נייד', 'פלאפון'], codes: [972] },
  { words: ['τηλέφωνο', 'τηλ', 'κινητό'], codes: [30, 357] },
  { words: ['điện thoại', 'di động', 'số điện thoại'], codes: [84] },
  { words: ['telepon', 'telpon', 'ponsel', 'nomor hp'], codes: [62, 60, 673] },
  { words: ['телефон', 'мобилен'], codes: [359, 389, 381] },
  { words: ['telefonszám', 'mobilszám'], codes: [36] },
];
