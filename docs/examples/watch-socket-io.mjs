// The same with plain socket.io-client: made over REST, followed on the namespace /stream.
import { readFileSync } from 'node:fs';
import { io } from 'socket.io-client';

const { ESPALIER_SERVER: url = 'http://127.0.0.1:4500', ESPALIER_KEY: key = '' } = process.env;
const source = readFileSync(new URL('run.yaml', import.meta.url), 'utf8');
const response = await fetch(`${url}/api/v1/runs`, {
  method: 'POST',
  headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
  body: JSON.stringify({ source, name: 'from socket.io' }),
});
const run = await response.json();
if (!response.ok) throw new Error(run.message);
console.log(`run ${run.id}`);

const socket = io(`${url}/stream`, { auth: { key }, transports: ['websocket'] });
const stopped = ['finished', 'failed', 'cancelled', 'paused'];
let last = 0; // cursor of the newest record that is known
const follow = () =>
  socket.emit('follow', { runId: run.id, after: last, metrics: ['rollout/success_rate'] }, (answer) => {
    if (!answer.ok) throw new Error(answer.message);
  });
socket.on('connect', follow); // also after a broken connection: nothing is missing, nothing comes twice
socket.on('gap', follow);
socket.on('refused', ({ code, message }) => console.error(`${code}: ${message}`));
socket.on('disconnect', (reason) => {
  // a server that stops says goodbye; socket.io does not come back from that by itself
  if (reason === 'io server disconnect') setTimeout(() => socket.connect(), 1000);
});
socket.on('batch', ({ after, cursor, metrics, records }, done) => {
  done?.();
  if (after > last) return follow();
  if (cursor <= last) return undefined;
  last = cursor;
  const success = metrics.values['rollout/success_rate'] ?? [];
  metrics.steps.forEach((step, row) => {
    if (typeof success[row] === 'number') console.log(`step ${step}  success ${success[row]}`);
  });
  const ended = records.find(({ kind, body }) => kind === 'state' && stopped.includes(body.to));
  if (ended === undefined) return undefined;
  console.log(`run ${ended.body.to}`);
  return socket.disconnect();
});
