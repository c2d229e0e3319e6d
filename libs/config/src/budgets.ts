/**
 * @file Settings that are valid alone but contradict each other. Each message names both sides and a remedy.
 */
import type { DerivedNumbers, RunSpec, WarmStartSpec } from '@espalier/contracts';
import { curriculumBudgets } from './curriculum-budgets.js';
import { filterBudgets, type GroupSelection } from './filter-budgets.js';
import type { CheckedEnvironment } from './inert.js';
import { monitorBudgets } from './monitor-changes.js';
import { mixingBudgets } from './mixing-budgets.js';
import type { Problem } from './problems.js';
import type { ConfigurableAlgorithm, ModelLimits } from './registry.js';
import { type CheckedAlgorithm, scheduleBudgets } from './schedule-budgets.js';

/** Lists contradictions in a complete spec; `locate` gives the source location of a path. */
export function findImpossibleBudgets(
  spec: RunSpec,
  derived: DerivedNumbers,
  given: {
    readonly critic: boolean;
    /** that of the run */
    readonly algorithm: ConfigurableAlgorithm;
    /** all that learn from something, with their paths */
    readonly algorithms: readonly CheckedAlgorithm[];
    readonly environments: readonly CheckedEnvironment[];
    /** of each tag, by the algorithm itself */
    readonly selections: readonly GroupSelection[];
    readonly model?: ModelLimits | undefined;
    /** whether a path is set in the file or by --set */
    readonly isWritten: (path: string) => boolean;
  },
  locate: (path: string) => string,
): Problem[] {
  const found = [
    ...curriculumBudgets(spec, given.environments),
    ...mixingBudgets(spec, derived, given.environments),
    ...batchBudgets(spec, derived),
    ...groupBudgets(spec, given.environments),
    ...filterBudgets(spec, given.environments, given),
    ...given.environments.flatMap(actionBudgets),
    ...lengthBudgets(spec, given.model),
    ...given.environments.flatMap((one) => replyBudgets(one, given.isWritten)),
    ...signalBudgets(spec, derived, given.critic),
    ...rewardBudgets(given.environments),
    ...given.algorithms.flatMap((one) => normalizationBudgets(spec, one)),
    ...loraBudgets(spec, given.model),
    ...samplingBudgets(spec),
    ...driverBudgets(spec),
    ...monitorBudgets(spec, given.algorithm),
    ...engineBudgets(spec, given.algorithms),
    ...scheduleBudgets(spec, given.environments, given.algorithms),
  ];
  // the levels of a curriculum share most of their options
  const isFirst = ([, sentence]: Finding, at: number): boolean =>
    found.findIndex((other) => other[1] === sentence) === at;
  return found.filter(isFirst).map(([path, sentence]) => ({
    code: 'config.impossible_budget',
    path,
    message: `${locate(path)}${describeOverrides([path, sentence], locate)}: ${sentence}`,
  }));
}

/** Names options of a sentence that the command line sets, where it is about one that it does not set. */
function describeOverrides([path, sentence]: Finding, locate: (path: string) => string): string {
  if (locate(path) === '--set') return '';
  const words = new Set(sentence.split(/[^\w.]+/));
  const set = [...words].filter((word) => word.includes('.') && locate(word) === '--set');
  return set.map((option) => `, with --set ${option}`).join('');
}

export type Finding = [path: string, sentence: string];

/** What a server of the Tinker API cannot do. */
function engineBudgets(
  { engine, device, rollout }: RunSpec,
  algorithms: readonly CheckedAlgorithm[],
): Finding[] {
  if (engine === undefined) return [];
  const found: Finding[] = [];
  const valued = algorithms.find(({ plugin, options }) => plugin.needs(options).critic);
  if (valued !== undefined)
    found.push([
      'engine',
      `engine ${engine.use}: ${valued.plugin.id} trains a critic, which the Tinker API cannot; choose an algorithm without one, such as grpo, or algorithm.estimator: group where it has one`,
    ]);
  if (rollout.ahead > 0)
    found.push([
      'rollout.ahead',
      `rollout.ahead ${rollout.ahead}: with engine ${engine.use} there is no copy of the policy that samples while it learns; set it to 0`,
    ]);
  if (device.provider !== 'cpu')
    found.push([
      'device.provider',
      `device.provider ${device.provider}: with engine ${engine.use} the server computes; leave device.provider out`,
    ]);
  return found;
}

function batchBudgets(
  { rollout, update, algorithm, environments }: RunSpec,
  { keptGroupsPerStep: kept }: DerivedNumbers,
): Finding[] {
  if (kept < 1 && environments !== undefined) return []; // each tag has its own finding
  if (kept < 1) {
    return [
      [
        'rollout.promptsPerStep',
        `rollout.promptsPerStep ${rollout.promptsPerStep}: ${algorithm.use} keeps less than one group per step; raise rollout.promptsPerStep or the share of groups kept`,
      ],
    ];
  }
  const trajectories = kept * rollout.groupSize;
  if (trajectories % update.miniBatches === 0) return [];
  const product = `${kept} groups × ${rollout.groupSize} trajectories = ${trajectories}`;
  return [
    [
      'update.miniBatches',
      `update.miniBatches ${update.miniBatches}: ${product} cannot be split evenly; choose a divisor of ${trajectories}`,
    ],
  ];
}

function groupBudgets({ rollout }: RunSpec, environments: readonly CheckedEnvironment[]): Finding[] {
  const [largest] = environments
    .filter(({ trained }) => trained)
    .sort((a, b) => b.minGroupSize - a.minGroupSize);
  const { minGroupSize = 1, spec } = largest ?? {};
  if (spec === undefined || rollout.groupSize >= minGroupSize) return [];
  return [
    [
      'rollout.groupSize',
      `rollout.groupSize ${rollout.groupSize}: ${spec.algorithm.use} compares the trajectories of a group with each other; choose at least ${minGroupSize}`,
    ],
  ];
}

/** The prompt states how many actions are left, so the environment must allow them all. */
function actionBudgets({ path, spec, maxActions = Infinity }: CheckedEnvironment): Finding[] {
  const { rollout, environment } = spec;
  if (rollout.maxActions <= maxActions) return [];
  const at = optionOf(path, 'maxActions');
  return [
    [
      at,
      `${at} ${rollout.maxActions}: ${environment.use} ends an episode after ${maxActions} ${maxActions === 1 ? 'action' : 'actions'} with these options, but the prompt would promise more; choose at most ${maxActions}`,
    ],
  ];
}

/** A reply must leave room for a prompt. */
function replyBudgets({ path, spec }: CheckedEnvironment, isWritten: (path: string) => boolean): Finding[] {
  const { contextTokens: context, maxResponseTokens: maxResponse } = spec.rollout;
  if (context === undefined || maxResponse < context) return [];
  const at = isWritten(optionOf(path, 'maxResponseTokens'))
    ? optionOf(path, 'maxResponseTokens')
    : 'rollout.maxResponseTokens';
  const isContext = isWritten('rollout.contextTokens') && !isWritten(at);
  return [
    isContext
      ? [
          'rollout.contextTokens',
          `rollout.contextTokens ${context}: a reply may have ${maxResponse} tokens (${at}), which leaves no room for a prompt; raise it, or lower ${at}`,
        ]
      : tooLongReply(at, maxResponse, context),
  ];
}

/** A reply that leaves no room for a prompt. */
export const tooLongReply = (path: string, tokens: number, context: number): Finding => [
  path,
  `${path} ${tokens}: leaves no room for a prompt in ${context} tokens of context; lower it`,
];

/** More context than the model has. */
export const tooLongContext = (path: string, tokens: number, contextLength: number): Finding => [
  path,
  `${path} ${tokens}: the context length of the model is ${contextLength} tokens; choose at most that`,
];

/** The option of an environment's episodes: that of its tag, or of the run. */
export const optionOf = (path: string, name: string): string =>
  path === 'environment' ? `rollout.${name}` : path.replace(/environment$/, name);

/** Totals less a mean are of no use to an algorithm that reads more than their differences. */
function normalizationBudgets({ update }: RunSpec, { path, plugin, options }: CheckedAlgorithm): Finding[] {
  const { method = 'identity' } = update.rewardNormalization ?? {};
  if (method === 'identity') return [];
  const at = 'update.rewardNormalization';
  const found: Finding[] = [];
  const { greedyBaseline, turnRewards } = plugin.needs(options);
  if (greedyBaseline === true)
    found.push([
      at,
      `${at} ${method}: ${plugin.id} compares totals with that of a greedy trajectory, which is not among those that are normalised; remove it, or choose another algorithm`,
    ]);
  if (turnRewards === true)
    found.push([
      at,
      `${at} ${method}: ${plugin.id} compares what turns earned, and what is taken off a total falls to its last turn alone; remove it, or choose an algorithm that compares totals, such as grpo`,
    ]);
  if ((options as { readonly normalization?: unknown }).normalization === 'mean')
    found.push([
      at,
      `${at} ${method}: ${path}.normalization mean divides by the mean total of a group, and normalised totals have means around 0; remove it, or choose another ${path}.normalization`,
    ]);
  return found;
}

/** What is trained needs a reward that counts. */
function rewardBudgets(environments: readonly CheckedEnvironment[]): Finding[] {
  const mute = environments.filter(
    ({ trained, spec }) => trained && spec.rewards.every(({ weight }) => weight === 0),
  );
  return mute.map(({ tag }) => {
    const of = tag === undefined ? '' : ` of ${tag}`;
    return ['rewards', `rewards: every weight${of} is 0, so there is no learning signal; set a weight`];
  });
}

function lengthBudgets({ rollout }: RunSpec, model: ModelLimits | undefined): Finding[] {
  const found: Finding[] = [];
  const context = rollout.contextTokens;
  if (model !== undefined && context !== undefined && context > model.contextLength) {
    found.push(tooLongContext('rollout.contextTokens', context, model.contextLength));
  }
  const ids = model?.tokenizerVocabularySize;
  if (model !== undefined && ids !== undefined && ids > model.vocabularySize) {
    found.push([
      'model',
      `model: its tokenizer produces ids up to ${ids - 1} but its embedding has ${model.vocabularySize} rows; use the tokenizer that the model was trained with`,
    ]);
  }
  return found;
}

function loraBudgets({ lora, device }: RunSpec, model: ModelLimits | undefined): Finding[] {
  if (lora === undefined) return [];
  const problem = model?.findLoraProblem?.(lora);
  const ofModel: Finding[] =
    problem === undefined ? [] : [[`lora.${problem[0]}`, `lora.${problem[0]} ${problem[1]}`]];
  return [...ofModel, ...baseBudgets({ lora, device })];
}

/** What a base in fewer bits needs, in a run or a warm start. */
export function baseBudgets({ lora, device }: Pick<WarmStartSpec, 'lora' | 'device'>): Finding[] {
  if (lora === undefined || lora.baseDtype === 'float32') return [];
  const of = `lora.baseDtype ${lora.baseDtype}`;
  if (device.provider !== 'cpu')
    return [
      ['lora.baseDtype', `${of}: only the CPU computes with it; choose float32, or device.provider cpu`],
    ];
  if (device.driver !== 'openvino' && device.precision === 'float32') return [];
  const remedy = 'choose float32, or leave bf16 and device.driver out';
  return [['lora.baseDtype', `${of}: OpenVINO does not compute with it; ${remedy}`]];
}

/** What a driver or a precision needs, in a run or a warm start. */
export function driverBudgets({ device }: Pick<WarmStartSpec, 'device'>): Finding[] {
  const { driver, precision, provider } = device;
  if (driver !== undefined && !(driversOf[provider] ?? []).includes(driver)) {
    const known = (driversOf[provider] ?? []).join(', ');
    return [
      [
        'device.driver',
        `device.driver ${driver}: it does not compute on ${provider}, where the drivers are ${known}; choose one of them, or leave device.driver out`,
      ],
    ];
  }
  const isComputed =
    precision === 'float32' ||
    provider === 'cuda' ||
    (precision === 'bf16' && provider === 'cpu' && (driver ?? 'openvino') === 'openvino');
  if (isComputed) return [];
  const remedy = precision === 'bf16' && provider === 'cpu' ? 'device.driver openvino, ' : '';
  const cuda = `device.provider cuda${driver === undefined || driver === 'native' ? '' : ' without device.driver'}`;
  return [
    [
      'device.precision',
      `device.precision ${precision}: ${driver === undefined ? provider : `the driver ${driver} on ${provider}`} does not compute in it; choose ${remedy}${cuda}, or device.precision float32`,
    ],
  ];
}

const driversOf = {
  cpu: ['onnxruntime-node', 'native', 'openvino'],
  cuda: ['native'],
  webgpu: ['native'],
} as const satisfies Record<string, readonly string[]> as Readonly<Record<string, readonly string[]>>;

function samplingBudgets({ device }: RunSpec): Finding[] {
  if (device.sampling === 'float32') return [];
  if (device.provider === 'cpu') {
    if (device.sampling !== 'bf16' || device.precision === 'bf16') return [];
    const found = `device.sampling bf16: it needs device.precision bf16, and that is ${device.precision}`;
    return [['device.sampling', `${found}; choose bf16 for both, or device.sampling float32`]];
  }
  return [
    [
      'device.sampling',
      `device.sampling ${device.sampling}: only the CPU samples in it; choose float32, or device.provider cpu`,
    ],
  ];
}

function signalBudgets({ update, steps }: RunSpec, derived: DerivedNumbers, critic: boolean): Finding[] {
  const found: Finding[] = [];
  if (!update.lossMask.think && !update.lossMask.answer && !update.lossMask.control) {
    found.push([
      'update.lossMask',
      'update.lossMask: think, answer and control are all false, so no token is trained; set one to true',
    ]);
  }
  if (critic && update.criticWarmup >= steps) {
    found.push([
      'update.criticWarmup',
      `update.criticWarmup ${update.criticWarmup}: the run has ${steps} steps, so the policy would never be trained; choose fewer`,
    ]);
  }
  if (derived.optimizerSteps > Number.MAX_SAFE_INTEGER)
    found.push([
      'steps',
      `steps ${steps}: the number of optimizer steps exceeds the safe integer range; choose fewer`,
    ]);
  return found;
}
