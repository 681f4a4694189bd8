// One block of SHA-1 (FIPS 180-4 section 6.1), for old certificates and checksums.

const schedule: u32 = <u32>memory.data(320, 16);

/** The 20 bytes of state before the first block. */
export function sha1Begin(state: u32): void {
  store<u32>(state, 0x67452301);
  store<u32>(state, 0xefcdab89, 4);
  store<u32>(state, 0x98badcfe, 8);
  store<u32>(state, 0x10325476, 12);
  store<u32>(state, 0xc3d2e1f0, 16);
}

function expand(p: u32): void {
  for (let i: u32 = 0; i < 64; i += 4) store<u32>(schedule + i, bswap(load<u32>(p + i)));
  for (let i: u32 = 64; i < 320; i += 4) {
    const w = schedule + i;
    const mixed = load<u32>(w - 12) ^ load<u32>(w - 32) ^ load<u32>(w - 56) ^ load<u32>(w - 64);
    store<u32>(w, rotl(mixed, 1));
  }
}

/** Takes 64 bytes into the state. */
export function sha1Block(state: u32, p: u32): void {
  expand(p);
  let a = load<u32>(state);
  let b = load<u32>(state, 4);
  let c = load<u32>(state, 8);
  let d = load<u32>(state, 12);
  let e = load<u32>(state, 16);
  for (let i: u32 = 0; i < 80; i++) {
    let mixed: u32 = b ^ c ^ d;
    let constant: u32 = 0xca62c1d6;
    if (i < 20) {
      mixed = d ^ (b & (c ^ d));
      constant = 0x5a827999;
    } else if (i < 40) constant = 0x6ed9eba1;
    else if (i < 60) {
      mixed = (b & c) | (d & (b | c));
      constant = 0x8f1bbcdc;
    }
    const sum = rotl(a, 5) + mixed + e + constant + load<u32>(schedule + (i << 2));
    e = d;
    d = c;
    c = rotl(b, 30);
    b = a;
    a = sum;
  }
  store<u32>(state, load<u32>(state) + a);
  store<u32>(state, load<u32>(state, 4) + b, 4);
  store<u32>(state, load<u32>(state, 8) + c, 8);
  store<u32>(state, load<u32>(state, 12) + d, 12);
  store<u32>(state, load<u32>(state, 16) + e, 16);
}
