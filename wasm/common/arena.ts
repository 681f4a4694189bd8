// A bump arena in linear memory: everything of one decision is freed by one reset.

const WASM_PAGE: u32 = 65536;
const NEAR_MAXIMUM_PAGES: i32 = 128;

/** How often the arena was reset: what it held before is gone. */
export let resets: u32 = 0;

let floor: u32 = <u32>__heap_base;
let top: u32 = <u32>__heap_base;

/** Returns `bytes` of memory, 8-byte aligned, not zeroed. Traps when the module's maximum is reached. */
export function alloc(bytes: u32): u32 {
  const pointer = (top + 7) & ~7;
  const end = <u64>pointer + <u64>bytes;
  const have = <u64>memory.size() * WASM_PAGE;
  if (end > have) {
    const pages = <i32>((end - have + WASM_PAGE - 1) / WASM_PAGE);
    // Doubling keeps the number of grows small, which are slow; near the maximum by less, then the exact need.
    if (
      memory.grow(max(pages, memory.size())) < 0 &&
      memory.grow(max(pages, NEAR_MAXIMUM_PAGES)) < 0 &&
      memory.grow(pages) < 0
    )
      unreachable();
  }
  top = <u32>end;
  return pointer;
}

/** Frees everything that was allocated since the last `persist`. */
export function resetArena(): void {
  top = floor;
  resets += 1;
}

/** Keeps everything that is allocated now across later resets. */
export function persist(): void {
  floor = top;
}

/** Keeps only what is below `point`, which `keptBelow` returned earlier, and frees everything else. */
export function restore(point: u32): void {
  floor = point;
  top = point;
}

/** Everything below this is kept. */
export function keptBelow(): u32 {
  return floor;
}

/** The present top; hand it to `release` to free what a helper allocated above it. */
export function mark(): u32 {
  return top;
}

/** Frees everything above `point`, which `mark` returned. */
export function release(point: u32): void {
  top = point;
}
