// Asks /health/live again and again, in a thread of its own: what keeps the thread of the tests busy does not count.
import { Agent, get } from 'node:http';
import { setTimeout } from 'node:timers/promises';
import { parentPort, workerData } from 'node:worker_threads';

const agent = new Agent({ keepAlive: true });
let worst = 0;
let failure = '';
let begun = performance.now();

const probe = () =>
  new Promise((resolve) => {
    begun = performance.now();
    const fail = (reason) => {
      failure ||= `/health/live: ${reason}`;
      resolve();
    };
    const request = get(`${workerData.url}/health/live`, { agent }, (answer) => {
      answer.resume();
      answer.on('end', () => (answer.statusCode === 200 ? resolve() : fail(answer.statusCode)));
      answer.on('error', fail);
    });
    request.on('error', fail);
  });

parentPort.on('message', () => {
  // the one under way counts as well
  const probeMs = Math.max(worst, begun === undefined ? 0 : performance.now() - begun);
  parentPort.postMessage({ probeMs, failure });
  worst = 0;
  failure = '';
});

for (;;) {
  await probe();
  worst = Math.max(worst, performance.now() - begun);
  begun = undefined;
  await setTimeout(15);
}
