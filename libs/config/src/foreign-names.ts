/**
 * @file Names that other trainers use, and what stands for them here. An edit distance would lead astray:
 * `environments` is no misspelling of `environment`, and `lora` none of `actor`.
 */

/** What a name of another tool is called here. Compared without case, dashes and underscores. */
const renamed: Readonly<Record<string, string>> = {
  lr: 'optimizer.learningRate',
  actorlr: 'optimizer.learningRate',
  criticlr: 'criticOptimizer.learningRate',
  maxsteps: 'steps',
  totaltrainingsteps: 'steps',
  numiterations: 'steps',
  maxgradnorm: 'optimizer.maxGradientNorm',
  gradclip: 'optimizer.maxGradientNorm',
  warmupsteps: 'optimizer.schedule.warmupSteps',
  warmupratio: 'optimizer.schedule.warmupSteps',
  lrscheduler: 'optimizer.schedule.kind',
  lrschedulertype: 'optimizer.schedule.kind',
  maxnewtokens: 'rollout.maxResponseTokens',
  maxtokens: 'rollout.maxResponseTokens',
  maxcompletionlength: 'rollout.maxResponseTokens',
  maxresponselength: 'rollout.maxResponseTokens',
  maxturn: 'rollout.maxTurns',
  testfreq: 'validation.every',
  evalsteps: 'validation.every',
  savefreq: 'checkpoint.every',
  savesteps: 'checkpoint.every',
  savetotallimit: 'checkpoint.keep',
  ppominibatchsize: 'update.miniBatches',
  microbatchsize: 'update.microBatchTokens',
  perdevicetrainbatchsize: 'update.microBatchTokens',
  gradientaccumulationsteps: 'update.microBatchTokens',
};

const oneDevice = 'one run trains on one device';
const float32 = 'weights are float32';
const allWeights = 'every weight is trained';

/** What is not supported, and what there is in its place. Paths in backquotes are options. */
const unsupported: Readonly<Record<string, string>> = {
  environments: 'a run trains in one environment: `environment` takes { use: … }',
  tasks: 'a run trains in one environment: `environment` takes { use: … }',
  dataset: 'there are no data sets: levels come from `environment` and `seed`',
  trainfiles: 'there are no data sets: levels come from `environment` and `seed`',
  reward: 'rewards are a list: `rewards` takes [{ use: … }]',
  rewardmodel: 'reward models are not supported; a reward plugin can stand in `rewards`',
  contextwindow:
    'history is never cut to a window; the longest trajectory is `rollout.contextTokens`, and fewer turns are `rollout.maxTurns`',
  contextwindowmode: 'history is never cut to a window; the longest trajectory is `rollout.contextTokens`',
  lora: `LoRA is not supported; ${allWeights}`,
  lorarank: `LoRA is not supported; ${allWeights}`,
  peft: `adapters are not supported; ${allWeights}`,
  peftconfig: `adapters are not supported; ${allWeights}`,
  freeze: `frozen parameters are not supported; ${allWeights}`,
  bf16: `bfloat16 training is not supported; ${float32}`,
  fp16: `float16 training is not supported; ${float32}`,
  dtype: `other types are not supported; ${float32}`,
  precision: `other types are not supported; ${float32}`,
  quantization: `quantization is not supported; ${float32}`,
  loadin4bit: `quantization is not supported; ${float32}`,
  gradientcheckpointing:
    'recomputation is not supported; a smaller `update.microBatchTokens` takes less memory',
  gpus: `${oneDevice}: \`device.provider\``,
  ngpuspernode: `${oneDevice}: \`device.provider\``,
  nnodes: `${oneDevice}: \`device.provider\``,
  tensorparallelsize: `${oneDevice}: \`device.provider\``,
  deepspeed: `${oneDevice}: \`device.provider\``,
  fsdp: `${oneDevice}: \`device.provider\``,
  vllm: 'no other sampler is supported; the engine samples by itself, on `device.provider`',
  usevllm: 'no other sampler is supported; the engine samples by itself, on `device.provider`',
  wandb: 'no tracker is called; metrics are in the run folder, `metrics.jsonl`',
  reportto: 'no tracker is called; metrics are in the run folder, `metrics.jsonl`',
  resumefromcheckpoint: 'a run is resumed on the command line, with --resume',
  outputdir: 'the folder of a run is chosen on the command line, with --out',
};

const bare = (name: string): string => name.toLowerCase().replace(/[-_]/g, '');

/** Gives the remedy for a key that another tool knows; undefined for all others. */
export function remedyForForeign(key: string): string | undefined {
  const path = renamed[bare(key)];
  if (path !== undefined) return `it is called ${path} here`;
  return unsupported[bare(key)]?.replaceAll('`', '');
}

/** Every option that the tables name, for a test that they exist. */
export function pathsForForeign(): string[] {
  const inText = Object.values(unsupported).flatMap((text) => [...text.matchAll(/`([a-zA-Z.]+)`/g)]);
  const paths = inText.map((match) => match[1] ?? '').filter((path) => !path.endsWith('.jsonl'));
  return [...new Set([...Object.values(renamed), ...paths])];
}
