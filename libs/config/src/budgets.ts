/**
 * @file Settings that are each legal but cannot hold together. Each message names both sides and a way out.
 */
import type { RunSpec } from '@espalier/contracts';
import type { Problem } from './problems.js';
import type { ModelFacts } from './registry.js';

/** Lists what cannot hold together in a filled-in spec; `place` says where a path was written. */
export function findImpossibleBudgets(
  spec: RunSpec,
  facts: {
    readonly critic: boolean;
    /** fewest attempts per group that the algorithm needs */
    readonly minGroupSize: number;
    /** after which the environment itself ends an episode */
    readonly mostActions?: number | undefined;
    readonly model?: ModelFacts | undefined;
    /** tells whether a person wrote a path */
    readonly isWritten: (path: string) => boolean;
  },
  place: (path: string) => string,
): Problem[] {
  const found = [
    ...batchBudgets(spec),
    ...memberBudgets(spec, facts.minGroupSize),
    ...actionBudgets(spec, facts.mostActions),
    ...lengthBudgets(spec, facts.model, facts.isWritten),
    ...signalBudgets(spec, facts.critic),
  ];
  return found.map(([path, sentence]) => ({
    code: 'config.impossible_budget',
    path,
    message: `${place(path)}: ${sentence}`,
  }));
}

type Finding = [path: string, sentence: string];

function batchBudgets({ rollout, update, algorithm, derived }: RunSpec): Finding[] {
  const { keptGroupsPerStep: kept } = derived;
  if (kept < 1) {
    return [
      [
        'rollout.promptsPerStep',
        `rollout.promptsPerStep ${rollout.promptsPerStep}: ${algorithm.use} keeps less than one group per step; raise rollout.promptsPerStep or the kept share`,
      ],
    ];
  }
  const trajectories = kept * rollout.groupSize;
  if (trajectories % update.miniBatches === 0) return [];
  const product = `${kept} kept groups × ${rollout.groupSize} members = ${trajectories} trajectories`;
  return [
    [
      'update.miniBatches',
      `update.miniBatches ${update.miniBatches}: ${product} do not divide into ${update.miniBatches} parts; choose a divisor of ${trajectories}`,
    ],
  ];
}

function memberBudgets({ rollout, algorithm }: RunSpec, least: number): Finding[] {
  if (rollout.groupSize >= least) return [];
  return [
    [
      'rollout.groupSize',
      `rollout.groupSize ${rollout.groupSize}: ${algorithm.use} compares the attempts of a group with each other; choose at least ${least}`,
    ],
  ];
}

/** The prompt tells how many actions are left, so the budget must be one that can be used. */
function actionBudgets({ rollout, environment }: RunSpec, most = Infinity): Finding[] {
  if (rollout.maxActions <= most) return [];
  return [
    [
      'rollout.maxActions',
      `rollout.maxActions ${rollout.maxActions}: ${environment.use} ends an episode after ${most} ${most === 1 ? 'action' : 'actions'} under its options, and the prompt would promise more; choose at most ${most}`,
    ],
  ];
}

function lengthBudgets(
  { rollout, update }: RunSpec,
  model: ModelFacts | undefined,
  isWritten: (path: string) => boolean,
): Finding[] {
  const found: Finding[] = [];
  const context = rollout.contextTokens;
  if (model !== undefined && context !== undefined && context > model.contextLength) {
    found.push([
      'rollout.contextTokens',
      `rollout.contextTokens ${context}: the model reads ${model.contextLength} tokens at most; choose no more than that`,
    ]);
  }
  if (context !== undefined && rollout.maxResponseTokens >= context) {
    const most = rollout.maxResponseTokens;
    const isContext = isWritten('rollout.contextTokens') && !isWritten('rollout.maxResponseTokens');
    found.push(
      isContext
        ? [
            'rollout.contextTokens',
            `rollout.contextTokens ${context}: a reply may have ${most} tokens (rollout.maxResponseTokens), which leaves no room for a prompt; raise it, or lower rollout.maxResponseTokens`,
          ]
        : [
            'rollout.maxResponseTokens',
            `rollout.maxResponseTokens ${most}: leaves no room for a prompt in ${context} tokens of context; lower it`,
          ],
    );
  }
  if (context !== undefined && update.microBatchTokens < context) {
    found.push([
      'update.microBatchTokens',
      `update.microBatchTokens ${update.microBatchTokens}: one trajectory may have ${context} tokens; raise it to at least ${context} or lower rollout.contextTokens`,
    ]);
  }
  const ids = model?.tokenizerVocabularySize;
  if (model !== undefined && ids !== undefined && ids > model.vocabularySize) {
    found.push([
      'model.use',
      `model: its tokenizer gives ids up to ${ids - 1} but the embedding has ${model.vocabularySize} rows; use the tokenizer the model was trained with`,
    ]);
  }
  return found;
}

function signalBudgets({ update, steps, rewards, derived }: RunSpec, critic: boolean): Finding[] {
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
      `update.criticWarmup ${update.criticWarmup}: the run has ${steps} steps, so the policy would never learn; choose fewer`,
    ]);
  }
  if (rewards.every(({ weight }) => weight === 0)) {
    found.push([
      'rewards',
      'rewards: every weight is 0, so there is nothing to learn from; give one a weight',
    ]);
  }
  if (derived.optimizerSteps > Number.MAX_SAFE_INTEGER)
    found.push(['steps', `steps ${steps}: more optimizer steps than can be counted`]);
  return found;
}
