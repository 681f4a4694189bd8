// Memory that the engine has for as long as the module lives.

import { alloc, persist } from '../../common/arena';

/** Takes so many bytes, which are zero. */
export function take(bytes: u32): usize {
  const pointer = alloc(bytes);
  persist();
  memory.fill(pointer, 0, bytes);
  return pointer;
}
