// Words that say nothing about a text's subject, in English, German, French, Spanish, Italian, Portuguese and Dutch.

import { hashOf } from './hash';

// One literal: what is joined at run time lies where the arena does.
// biome-ignore format: lists
const WORDS: string =
  'a an the and or but if then else of to in on at by for with from as is are was were be been being am do does did doing have has had having i you he she it we they me him her us them my your his its our their mine this that these those who whom which what when where why how not no nor so too very can could will would shall should may might must there here than into over under again more most some such only own same just about up down out off all any both each few other because while during before after above below between through also etc re ll ve don doesn didn isn aren wasn won get got one two like know think say said make well even now yes ok please thank thanks der die das den dem des ein eine einer eines einem einen und oder aber nicht ist sind war waren sein hat haben ich du er sie es wir ihr mich dich mir dir mit von zu zum zur im auf für aus bei nach über unter wie wer wo wann warum auch nur noch schon dass als wenn le la les un une du et ou mais ne pas est sont était être ont avoir je tu il elle nous vous ils elles ce cette ces mon ton son ma ta sa mes tes ses dans sur pour par avec sans que qui quoi où quand comment pourquoi plus au aux en se lui leur el los las uno una unos unas es era ser está están haber él ella nosotros ellos ellas mi su mis tus sus con sin por para del al quien cual cuando donde como porqué muy más lo te nos lo gli di da per tra fra sono essere ha hanno io lui lei noi voi loro mio tuo suo che chi cosa quando dove come perché più molto si ci della dello dei degli delle nel nella alla os um uma uns umas dos nas em com sem não são foi eu ele ela nós eles elas meu seu sua quem onde muito het een de maar niet zijn waren ben heeft hebben ik jij je hij zij ze wij jullie jouw haar ons hun dit dat deze op aan bij voor met van naar uit om te wat wie waar wanneer hoe waarom ook nog ';

/** A power of two, more than twice the words. */
const SLOTS: u32 = 2048;
const slots: usize = memory.data(8192);
const letters: usize = memory.data(64);

fill();

function fill(): void {
  const end = changetype<usize>(WORDS) + ((<usize>WORDS.length) << 1);
  let length: u32 = 0;
  for (let p = changetype<usize>(WORDS); p < end; p += 2) {
    const unit: u32 = load<u16>(p);
    if (unit == 0x20) {
      const hash = hashOf(letters, length);
      store<u32>(slotOf(hash), hash);
      length = 0;
    } else if (unit < 0x80) store<u8>(letters + length++, unit);
    else {
      store<u8>(letters + length++, 0xc0 | (unit >> 6));
      store<u8>(letters + length++, 0x80 | (unit & 0x3f));
    }
  }
}

/** The slot that holds a hash, or the empty one where it would be. */
function slotOf(hash: u32): usize {
  let slot = hash & (SLOTS - 1);
  while (true) {
    const place = slots + ((<usize>slot) << 2);
    const held = load<u32>(place);
    if (held == 0 || held == hash) return place;
    slot = (slot + 1) & (SLOTS - 1);
  }
}

/** Whether the word with this hash is one of them. */
export function isStopWord(hash: u32): bool {
  return load<u32>(slotOf(hash)) != 0;
}
