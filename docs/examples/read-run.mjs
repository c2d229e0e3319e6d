// Reads a run folder with nothing but Node: success by step, and the tokens of one trajectory with what they were trained on.
//
//     node docs/examples/read-run.mjs runs/my-run-1
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';

const [folder = 'runs/my-run-1'] = process.argv.slice(2);

const readLines = (text) =>
  text
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line, decode));

// typed arrays are stored as base64 of their little-endian bytes, numbers that JSON lacks as text
function decode(_key, value) {
  const bytes = (text) => Uint8Array.from(Buffer.from(text, 'base64')).buffer;
  if (typeof value?.$int32 === 'string') return new Int32Array(bytes(value.$int32));
  if (typeof value?.$float32 === 'string') return new Float32Array(bytes(value.$float32));
  return typeof value?.$number === 'string' ? Number(value.$number) : value;
}

console.log('step  reward  gradient norm');
for (const { step, values } of readLines(readFileSync(join(folder, 'metrics.jsonl'), 'utf8'))) {
  const reward = values['rollout/reward_mean'];
  if (reward === undefined) continue; // the row of a validation
  console.log(`${step}  ${reward.toFixed(3)}  ${values['policy/gradient_norm']?.toFixed(3) ?? 'no update'}`);
}

const files = readdirSync(join(folder, 'trajectories')).sort();
const newest = gunzipSync(readFileSync(join(folder, 'trajectories', files.at(-1)))).toString();
const trajectories = readLines(newest).filter(({ split }) => split === 'train');
const kept = trajectories.filter((trajectory) => trajectory.kept).length;
console.log(`\n${files.at(-1)}: ${trajectories.length} trajectories, ${kept} of them learned from`);

const [first] = trajectories;
console.log(`${first.id}: total ${first.score.total.toFixed(3)}, ended by ${first.stopReason}`);
for (const { kind, start, end, turn } of first.spans) {
  const nats = first.logprobs.subarray(start, end).reduce((sum, logprob) => sum + logprob, 0);
  const sampled = kind === 'think' || kind === 'answer' || kind === 'control';
  if (sampled)
    console.log(`turn ${turn}  ${kind}  ${end - start} tokens, log-probability ${nats.toFixed(2)}`);
}
