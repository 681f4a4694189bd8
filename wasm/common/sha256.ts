// SHA-256 (FIPS 180-4), in pieces, so that framed fields and prefixes need no copy.

// The 64 round constants of FIPS 180-4 section 4.2.2.
const K: u32 = <u32>(
  memory.data<u32>([
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2,
  ])
);

/** The message schedule of one block. */
const schedule: u32 = <u32>memory.data(256, 16);
/** Bytes that wait for a whole block. */
const pending: u32 = <u32>memory.data(64, 16);

let h0: u32 = 0;
let h1: u32 = 0;
let h2: u32 = 0;
let h3: u32 = 0;
let h4: u32 = 0;
let h5: u32 = 0;
let h6: u32 = 0;
let h7: u32 = 0;
let total: u64 = 0;

/** Begins a new hash; one at a time. */
export function sha256Begin(): void {
  h0 = 0x6a09e667;
  h1 = 0xbb67ae85;
  h2 = 0x3c6ef372;
  h3 = 0xa54ff53a;
  h4 = 0x510e527f;
  h5 = 0x9b05688c;
  h6 = 0x1f83d9ab;
  h7 = 0x5be0cd19;
  total = 0;
}

/** Adds bytes. */
export function sha256Update(pointer: u32, length: u32): void {
  let p = pointer;
  let rest = length;
  const have = <u32>(total & 63);
  total += length;
  if (have != 0) {
    const taken = min(64 - have, rest);
    memory.copy(pending + have, p, taken);
    if (have + taken < 64) return;
    block(pending);
    p += taken;
    rest -= taken;
  }
  for (; rest >= 64; rest -= 64, p += 64) block(p);
  if (rest > 0) memory.copy(pending, p, rest);
}

/** Adds one byte. */
export function sha256Byte(byte: u32): void {
  const have = <u32>(total & 63);
  store<u8>(pending + have, byte);
  total += 1;
  if (have == 63) block(pending);
}

/** Ends the hash and writes its 32 bytes. */
export function sha256End(out: u32): void {
  const bits = total << 3;
  sha256Byte(0x80);
  const have = <u32>(total & 63);
  if (have > 56) {
    memory.fill(pending + have, 0, 64 - have);
    block(pending);
    memory.fill(pending, 0, 56);
  } else if (have > 0) {
    memory.fill(pending + have, 0, 56 - have);
  } else {
    memory.fill(pending, 0, 56);
  }
  store<u64>(pending, bswap(bits), 56);
  block(pending);
  store<u32>(out, bswap(h0));
  store<u32>(out, bswap(h1), 4);
  store<u32>(out, bswap(h2), 8);
  store<u32>(out, bswap(h3), 12);
  store<u32>(out, bswap(h4), 16);
  store<u32>(out, bswap(h5), 20);
  store<u32>(out, bswap(h6), 24);
  store<u32>(out, bswap(h7), 28);
}

/** Fills the schedule of one block (section 6.2.2 step 1). */
function expand(p: u32): void {
  for (let i: u32 = 0; i < 64; i += 4) store<u32>(schedule + i, bswap(load<u32>(p + i)));
  for (let i: u32 = 64; i < 256; i += 4) {
    const w = schedule + i;
    const w15 = load<u32>(w - 60);
    const w2 = load<u32>(w - 8);
    const s0 = rotr(w15, 7) ^ rotr(w15, 18) ^ (w15 >>> 3);
    const s1 = rotr(w2, 17) ^ rotr(w2, 19) ^ (w2 >>> 10);
    store<u32>(w, load<u32>(w - 64) + s0 + load<u32>(w - 28) + s1);
  }
}

function block(p: u32): void {
  expand(p);
  let a = h0;
  let b = h1;
  let c = h2;
  let d = h3;
  let e = h4;
  let f = h5;
  let g = h6;
  let h = h7;
  for (let i: u32 = 0; i < 256; i += 4) {
    const s1 = rotr(e, 6) ^ rotr(e, 11) ^ rotr(e, 25);
    const t1 = h + s1 + (g ^ (e & (f ^ g))) + load<u32>(K + i) + load<u32>(schedule + i);
    const s0 = rotr(a, 2) ^ rotr(a, 13) ^ rotr(a, 22);
    const t2 = s0 + ((a & b) | (c & (a | b)));
    h = g;
    g = f;
    f = e;
    e = d + t1;
    d = c;
    c = b;
    b = a;
    a = t1 + t2;
  }
  h0 += a;
  h1 += b;
  h2 += c;
  h3 += d;
  h4 += e;
  h5 += f;
  h6 += g;
  h7 += h;
}
