// Loaded into the server's process by --import: says how long its event loop stood still, and what it holds.
import { readdirSync, readFileSync } from 'node:fs';

const everyMs = 10;

/** How long this thread was ready and got no processor, ms; where the system does not say, nothing. */
function waitedMs() {
  try {
    return Number(readFileSync('/proc/self/schedstat', 'utf8').split(' ')[1]) / 1e6;
  } catch {
    return 0;
  }
}

let worst = 0;
let last = { now: performance.now(), waited: waitedMs() };

/** What the machine gave to other processes is no fault of the server. */
function tick() {
  const seen = { now: performance.now(), waited: waitedMs() };
  const stood = seen.now - last.now - everyMs - (seen.waited - last.waited);
  worst = Math.max(worst, stood);
  last = seen;
}

setInterval(tick, everyMs).unref();

process.on('message', (message) => {
  const { id, ask } = message;
  tick();
  if (ask === 'blocked') {
    process.send({ id, value: worst });
    worst = 0;
  }
  if (ask === 'holdings') {
    globalThis.gc();
    globalThis.gc();
    let files = 0;
    try {
      files = readdirSync('/proc/self/fd').length;
    } catch {
      // not Linux: nothing to count
    }
    const { heapUsed, external } = process.memoryUsage();
    process.send({ id, value: { heapMb: (heapUsed + external) / 2 ** 20, files } });
  }
});
process.channel?.unref();
