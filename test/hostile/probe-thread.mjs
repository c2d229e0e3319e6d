// Asks /health/live again and again, in a thread of its own: what keeps the thread of the tests busy does not count.
import { Agent, get } from 'node:http';
import { setTimeout } from 'node:timers/promises';
import { parentPort, workerData } from 'node:worker_threads';

const agent = new Agent({ keepAlive: true });
let worst = 0;
let begun = performance.now();

const probe = () =>
  new Promise((resolve) => {
    begun = performance.now();
    const request = get(`${workerData.url}/health/live`, { agent }, (answer) => {
      answer.resume();
      answer.on('end', resolve);
      answer.on('error', resolve);
    });
    request.on('error', resolve);
  });

parentPort.on('message', () => {
  // the one under way counts as well
  parentPort.postMessage(Math.max(worst, begun === undefined ? 0 : performance.now() - begun));
  worst = 0;
});

for (;;) {
  await probe();
  worst = Math.max(worst, performance.now() - begun);
  begun = undefined;
  await setTimeout(15);
}
