// A peer in a process of its own that opens as many connections as it is told to, and keeps them all.
import { connect } from 'node:net';

const [port, count] = process.argv.slice(2).map(Number) as [number, number];
let settled = 0;
const settle = () => {
  settled += 1;
  if (settled === count) process.stdout.write('done\n');
};
for (let index = 0; index < count; index += 1) {
  const socket = connect({ host: '127.0.0.1', port });
  let isNew = true;
  const once = () => {
    if (isNew) settle();
    isNew = false;
  };
  socket.on('error', once).once('connect', once);
  // Enough at once to be a flood, few enough that the kernel's queue does not drop them silently.
  if (index % 200 === 199) await new Promise((resolve) => setImmediate(resolve));
}
// Until it is killed.
setInterval(() => {}, 60_000);
