// Memory that the engine has for as long as the module lives.

import { alloc, persist } from '../../common/arena';

/** Takes so many bytes, which are zero. */
export function take(bytes: u32): usize {
  const pointer = takeUnset(bytes);
  memory.fill(pointer, 0, bytes);
  return pointer;
}

/** Takes so many bytes that are written before they are read: a large room costs nothing until it is used. */
export function takeUnset(bytes: u32): usize {
  const pointer = alloc(bytes);
  persist();
  return pointer;
}
