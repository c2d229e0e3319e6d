/**
 * npm run check:large [-- --short] [--only lora,full] [--base DTYPE] [--shape NAME] [--json FILE]: trains a random model of
 * the exact shape of Qwen2.5-0.5B with LoRA on a base in bfloat16 (4×512 tokens a step) and with all weights (1×256).
 * Measures memory and time of every phase in processes of their own, and shows that a run that resumes from its checkpoint
 * gives the bits of one that was never stopped. All weights need 16 GB of memory and 15 GB of disk, which is freed again. `--short` does the same with a tiny model in seconds, with what is built.
 */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { build, root, run } from './steps.mjs';

const GB = 1e9;
const shapes = {
  'qwen2.5-0.5b': {
    model_type: 'qwen2',
    vocab_size: 151936,
    hidden_size: 896,
    num_hidden_layers: 24,
    num_attention_heads: 14,
    num_key_value_heads: 2,
    intermediate_size: 4864,
    max_position_embeddings: 32768,
    rope_theta: 1e6,
    rms_norm_eps: 1e-6,
    tie_word_embeddings: true,
  },
  'smollm2-135m': {
    model_type: 'llama',
    vocab_size: 49152,
    hidden_size: 576,
    num_hidden_layers: 30,
    num_attention_heads: 9,
    num_key_value_heads: 3,
    intermediate_size: 1536,
    max_position_embeddings: 8192,
    rope_theta: 1e5,
    rms_norm_eps: 1e-5,
    tie_word_embeddings: true,
  },
  tiny: {
    model_type: 'qwen2',
    vocab_size: 2048,
    hidden_size: 64,
    num_hidden_layers: 2,
    num_attention_heads: 4,
    num_key_value_heads: 2,
    intermediate_size: 128,
    max_position_embeddings: 256,
    rms_norm_eps: 1e-6,
    tie_word_embeddings: true,
  },
};
/** Most memory of a process that trains 4 sequences of 512 tokens by LoRA of rank 16. */
const limits = { 'qwen2.5-0.5b': 6 * GB, 'smollm2-135m': 2.5 * GB, tiny: 6 * GB };

const { values: flags } = parseArgs({
  options: {
    short: { type: 'boolean', default: false },
    only: { type: 'string', default: 'lora,full' },
    base: { type: 'string', default: 'bfloat16' },
    shape: { type: 'string' },
    json: { type: 'string' },
  },
});
const shape = flags.shape ?? (flags.short ? 'tiny' : 'qwen2.5-0.5b');
const lengths = flags.short ? [64, 64] : [512, 256];
/** Of all weights, saving and resuming is what matters: their size does not depend on the batch, and the time does. */
const sizes = { lora: { batch: 4, length: lengths[0] }, full: { batch: 1, length: lengths[1] } };
const kinds = flags.only.split(',');
if (!(shape in shapes)) usage(`--shape ${shape}: expected ${Object.keys(shapes).join(', ')}`);
for (const kind of kinds) if (!['lora', 'full'].includes(kind)) usage(`--only ${kind}: expected lora, full`);

const folder = mkdtempSync(join(tmpdir(), 'check-large-'));
const rows = [];
const failures = [];
try {
  if (!flags.short && build() !== 0) throw new Error('the build failed; see above');
  const model = join(folder, 'model');
  const { bytes } = start('make', 'make', { config: shapes[shape], folder: model });
  console.log(`${shape}: ${(bytes / GB).toFixed(2)} GB of weights in bfloat16`);
  for (const kind of kinds) check(kind, model);
} catch (error) {
  failures.push(error.message);
} finally {
  rmSync(folder, { recursive: true, force: true });
}
printTable();
if (flags.json !== undefined)
  writeFileSync(flags.json, `${JSON.stringify({ shape, sizes, rows, failures }, null, 2)}\n`);
for (const failure of failures) console.error(failure);
process.exitCode = failures.length === 0 ? 0 : 1;

function usage(finding) {
  console.error(`check:large: ${finding}`);
  process.exit(2);
}

/** Trains, resumes in another process, and compares. */
function check(kind, model) {
  const checkpoint = join(folder, `checkpoint-${kind}`);
  const job = {
    ...sizes[kind],
    folder: model,
    threads: availableParallelism(),
    checkpoint,
    scratch: join(folder, 'scratch'),
    ...(kind === 'lora' ? { lora: adapters(), memoryBytes: limits[shape] } : {}),
  };
  const whole = start(kind, 'train', job);
  const resumed = start(`${kind}, resumed`, 'train', { ...job, resume: true });
  rmSync(checkpoint, { recursive: true });
  const saved = Object.entries(whole.bytes).filter(([name]) => name.endsWith('.safetensors'));
  console.log(
    `${kind}: saved ${saved.map(([name, count]) => `${name} ${(count / GB).toFixed(3)} GB`).join(', ')}`,
  );
  if (!whole.losses.every(Number.isFinite))
    failures.push(`${kind}: the losses are ${whole.losses.join(', ')}`);
  const isEqual =
    resumed.losses[0] === whole.losses[1] && JSON.stringify(resumed.hashes) === JSON.stringify(whole.hashes);
  if (isEqual) console.log(`${kind}: the resumed step gives the same weights and moments, bit for bit`);
  else failures.push(`${kind}: the resumed step gives other bits than the uninterrupted one`);
  const peak = Math.max(...[whole, resumed].map(({ peakBytes }) => peakBytes));
  if (kind === 'lora' && peak > limits[shape])
    failures.push(`lora: ${(peak / GB).toFixed(2)} GB at the peak; at most ${limits[shape] / GB} GB`);
}

function adapters() {
  const config = { rank: 16, alpha: 32, rankStabilized: false, targets: 'all-linear', dropout: 0 };
  return { ...config, critic: 'head', baseDtype: flags.base, seed: 1 };
}

/** Runs a task in a process of its own. */
function start(name, task, job) {
  const file = join(folder, 'job.json');
  writeFileSync(file, JSON.stringify(job));
  const code = run(process.execPath, [join(root, 'tools', 'large-model.mjs'), task, file]);
  if (code !== 0) throw new Error(`${name}: the process ended with ${code}; its own words are above`);
  const result = JSON.parse(readFileSync(file, 'utf8'));
  for (const phase of result.phases) rows.push({ process: name, ...phase });
  return { ...result, peakBytes: Math.max(...result.phases.map(({ peakBytes }) => peakBytes)) };
}

function printTable() {
  console.log(
    `\n${'process'.padEnd(14)}${'phase'.padEnd(14)}${'seconds'.padStart(9)}${'peak GB'.padStart(10)}${'after GB'.padStart(10)}`,
  );
  for (const { process: name, name: phase, seconds, peakBytes, afterBytes } of rows)
    console.log(
      `${name.padEnd(14)}${phase.padEnd(14)}${seconds.toFixed(1).padStart(9)}${(peakBytes / GB).toFixed(2).padStart(10)}${(afterBytes / GB).toFixed(2).padStart(10)}`,
    );
}
