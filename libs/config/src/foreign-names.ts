/**
 * @file Option names of other trainers and their equivalents here. Edit distance would mislead: `lora` is not a
 * misspelling of `actor`.
 */

/** Equivalent options; names are compared without case, dashes and underscores. */
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
  lorar: 'lora.rank',
  lorarank: 'lora.rank',
  loadin4bit: 'lora.baseDtype',
  loadin8bit: 'lora.baseDtype',
  quantization: 'lora.baseDtype',
  loraalpha: 'lora.alpha',
  loradropout: 'lora.dropout',
  userslora: 'lora.rankStabilized',
  loratargetmodules: 'lora.targets',
  targetmodules: 'lora.targets',
  lrscheduler: 'optimizer.schedule.kind',
  lrschedulertype: 'optimizer.schedule.kind',
  maxnewtokens: 'rollout.maxResponseTokens',
  maxtokens: 'rollout.maxResponseTokens',
  maxcompletionlength: 'rollout.maxResponseTokens',
  maxresponselength: 'rollout.maxResponseTokens',
  maxturn: 'rollout.maxTurns',
  contextwindow: 'rollout.context.turns',
  maxcontextwindow: 'rollout.context.turns',
  historylength: 'rollout.context.turns',
  think: 'rollout.prompt.thinking',
  enablethink: 'rollout.prompt.thinking',
  systemprompt: 'rollout.prompt.system',
  actionsep: 'rollout.prompt.actionSeparator',
  testfreq: 'validation.every',
  evalsteps: 'validation.every',
  savefreq: 'checkpoint.every',
  savesteps: 'checkpoint.every',
  savetotallimit: 'checkpoint.keep',
  ppominibatchsize: 'update.miniBatches',
  microbatchsize: 'update.microBatchTokens',
  perdevicetrainbatchsize: 'update.microBatchTokens',
  gradientaccumulationsteps: 'update.microBatchTokens',
  gradientcheckpointing: 'update.recompute',
  enablegradientcheckpointing: 'update.recompute',
  bf16: 'device.precision',
  precision: 'device.precision',
  dtype: 'device.precision',
};

const trackers =
  'report to TensorBoard, MLflow or OpenTelemetry on the command line, with --report-to; metrics are also in `metrics.jsonl` of the run folder';
const oneDevice = 'a run trains on one device';

/** Unsupported features and their alternatives. Paths in backquotes are options. */
const unsupported: Readonly<Record<string, string>> = {
  tasks: 'a run trains in one environment, `environment`, or in several by tag, `environments`',
  envgroups: 'groups per step are `rollout.promptsPerStep`; `environments` gives each tag its groups',
  ngroups: 'groups per step are `rollout.promptsPerStep`; `environments` gives each tag its groups',
  dataset: 'data sets are not supported; `environment` and `seed` determine the initial states',
  trainfiles: 'data sets are not supported; `environment` and `seed` determine the initial states',
  reward: 'rewards are a list: `rewards` takes [{ use: … }]',
  rewardmodel: 'reward models are not supported; write a reward plugin and list it in `rewards`',
  contextwindowmode:
    'history is kept by number of turns: `rollout.context.turns` is all (full), k (limited_multi_turn) or 1 (single_turn)',
  peft: 'adapters are a section: `lora` takes { rank, alpha, targets, … }',
  peftconfig: 'adapters are a section: `lora` takes { rank, alpha, targets, … }',
  uselora: 'adapters are a section: `lora` takes { rank, alpha, targets, … }',
  usepeft: 'adapters are a section: `lora` takes { rank, alpha, targets, … }',
  lorabias: 'biases stay frozen with adapters; `lora` has no option for them',
  freeze: 'all weights are trained, or with `lora` all but the adapters are frozen',
  fp16: 'float16 training is not supported; `device.precision` takes float32, tf32 or bf16',
  gpus: `${oneDevice}: \`device.provider\``,
  ngpuspernode: `${oneDevice}: \`device.provider\``,
  nnodes: `${oneDevice}: \`device.provider\``,
  tensorparallelsize: `${oneDevice}: \`device.provider\``,
  deepspeed: `${oneDevice}: \`device.provider\``,
  fsdp: `${oneDevice}: \`device.provider\``,
  vllm: 'other samplers are not supported; the engine samples on `device.provider`',
  usevllm: 'other samplers are not supported; the engine samples on `device.provider`',
  wandb: `Weights & Biases is not supported; ${trackers}`,
  reportto: trackers,
  logger: trackers,
  resumefromcheckpoint: 'resume a run on the command line, with --resume',
  outputdir: 'choose the run folder on the command line, with --out',
};

/** Algorithms of papers that are a loss beside the one of any algorithm here, and the option that turns it on. */
const besideAlgorithms: Readonly<Record<string, string>> = {
  echo: 'update.observationLoss.coefficient',
  sdpo: 'update.selfDistillation.coefficient',
  sdar: 'update.selfDistillation.coefficient',
};

const bare = (name: string): string => name.toLowerCase().replace(/[-_]/g, '');

/** The remedy for an option name of another trainer; undefined for all other names. */
export function remedyForForeign(key: string): string | undefined {
  const path = renamed[bare(key)];
  if (path !== undefined) return `use ${path} instead`;
  return unsupported[bare(key)]?.replaceAll('`', '');
}

/** The remedy for an algorithm that is an option here; undefined for all other ids. */
export function remedyForForeignAlgorithm(id: string): string | undefined {
  const path = besideAlgorithms[bare(id)];
  return path === undefined ? undefined : `set ${path} instead, which works beside any algorithm, e.g. grpo`;
}

/** All options that the tables name, so that a test can check that they exist. */
export function pathsForForeign(): string[] {
  const inText = Object.values(unsupported).flatMap((text) => [...text.matchAll(/`([a-zA-Z.]+)`/g)]);
  const paths = inText.map((match) => match[1] ?? '').filter((path) => !path.endsWith('.jsonl'));
  return [...new Set([...Object.values(renamed), ...Object.values(besideAlgorithms), ...paths])];
}

/** Names in both tables, of which the second remedy is never given, so that a test can check that there are none. */
export const doublyNamed = (): string[] => Object.keys(unsupported).filter((name) => name in renamed);
