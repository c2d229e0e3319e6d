/**
 * @file What contradicts the rollout schedule (replay, tasks, adaptive group sizes, sampling ahead), its numbers, and its
 * options without effect.
 */
import type { DerivedNumbers, RunSpec } from '@espalier/contracts';
import type { Finding } from './budgets.js';
import type { CheckedEnvironment, InertOption } from './inert.js';
import type { ConfigurableAlgorithm } from './registry.js';

/** Iterations for which a group may join where `update.replay.maxAge` does not say. */
const usualIterations = 4;

type Update = Pick<RunSpec['update'], 'epochs' | 'miniBatches'>;

/** Optimizer steps after which a group is too old, where nothing is said. */
export const usualAge = ({ epochs, miniBatches }: Update): number => usualIterations * epochs * miniBatches;

/** The settings that the numbers of a schedule follow from. */
export interface ScheduleSettings {
  readonly steps: number;
  readonly rollout: Pick<RunSpec['rollout'], 'promptsPerStep' | 'tasks' | 'ahead'>;
  readonly update: Update & Pick<RunSpec['update'], 'replay'>;
}

/** Computes what follows from the options of the schedule; undefined: it has none. */
export function scheduleNumbers({ steps, rollout, update }: ScheduleSettings): DerivedNumbers['schedule'] {
  const { replay, epochs, miniBatches } = update;
  const perStep = epochs * miniBatches;
  if (replay === undefined && rollout.tasks === undefined && rollout.ahead === 0) return undefined;
  return {
    ...(replay === undefined
      ? {}
      : { replayedGroupsPerStep: replay.groups, replayIterations: Math.floor(replay.maxAge / perStep) }),
    policyLag: Math.max(rollout.ahead * perStep, replay?.maxAge ?? 0),
    ...(rollout.tasks === undefined
      ? {}
      : { playsPerTask: (steps * rollout.promptsPerStep) / rollout.tasks.count }),
  };
}

/** An algorithm of a run with its complete options. */
export interface CheckedAlgorithm {
  /** where it stands in the spec */
  readonly path: string;
  readonly plugin: ConfigurableAlgorithm;
  readonly options: unknown;
}

/** Lists what contradicts the schedule. */
export function scheduleBudgets(
  spec: RunSpec,
  environments: readonly CheckedEnvironment[],
  algorithms: readonly CheckedAlgorithm[],
): Finding[] {
  return [
    ...algorithms.flatMap((one) => ratioBudgets(spec, one)),
    ...replayBudgets(spec),
    ...algorithms.flatMap((one) => chooserBudgets(spec, one)),
    ...agentBudgets(spec, environments),
    ...taskBudgets(
      spec,
      environments.filter(({ trained }) => trained),
    ),
    ...adaptiveBudgets(spec, environments),
  ];
}

/** What is learned from later than it was sampled must be compared with the policy that sampled it. */
function ratioBudgets({ rollout, update }: RunSpec, { plugin, options }: CheckedAlgorithm): Finding[] {
  const use = plugin.id;
  const columns = plugin.policyLoss?.(options).columns;
  if (columns === undefined || columns.includes('oldLogprobs')) return [];
  const found: Finding[] = [];
  const finding = `the loss of ${use} does not read the log-probabilities at sampling, so it would take what an older policy did for its own`;
  if (update.replay !== undefined)
    found.push([
      'update.replay',
      `update.replay: ${finding}; choose an algorithm with a ratio, or remove it`,
    ]);
  if (rollout.ahead > 0)
    found.push([
      'rollout.ahead',
      `rollout.ahead ${rollout.ahead}: ${finding}; choose an algorithm with a ratio, or set it to 0`,
    ]);
  return found;
}

/** An agent program talks to the policy itself, which learns meanwhile. */
function agentBudgets({ rollout }: RunSpec, environments: readonly CheckedEnvironment[]): Finding[] {
  const played = environments.find(({ environment: { plugin } }) => plugin.agent !== undefined);
  if (rollout.ahead === 0 || played === undefined) return [];
  return [
    [
      'rollout.ahead',
      `rollout.ahead ${rollout.ahead}: ${played.spec.environment.use} is played by an agent program, which talks to the policy that learns; set it to 0`,
    ],
  ];
}

function replayBudgets({ update }: RunSpec): Finding[] {
  const { replay, epochs, miniBatches } = update;
  if (replay === undefined) return [];
  const perStep = epochs * miniBatches;
  const found: Finding[] = [];
  if (replay.maxAge < perStep)
    found.push([
      'update.replay.maxAge',
      `update.replay.maxAge ${replay.maxAge}: an iteration makes ${perStep} optimizer steps (update.epochs ${epochs} × update.miniBatches ${miniBatches}), so every group would be too old; choose at least ${perStep}`,
    ]);
  if (replay.groups > replay.capacity)
    found.push([
      'update.replay.groups',
      `update.replay.groups ${replay.groups}: only ${replay.capacity} are held; choose at most that, or raise update.replay.capacity`,
    ]);
  return found;
}

/** What chooses among earlier groups needs some, and it chooses among those of the whole run. */
function chooserBudgets({ update }: RunSpec, { path, plugin, options }: CheckedAlgorithm): Finding[] {
  if (plugin.needs(options).replay !== true) return [];
  if (path !== 'algorithm')
    return [
      [
        path,
        `${path}: ${plugin.id} chooses which earlier groups of the run are learned from again, which only the algorithm of the run may; set algorithm.use to it, or choose another for this tag`,
      ],
    ];
  if (update.replay !== undefined) return [];
  return [
    [
      'update.replay',
      `update.replay: ${plugin.id} learns from earlier groups again, but the run holds none; set it, e.g. { groups: 4 }, or choose another algorithm`,
    ],
  ];
}

function taskBudgets({ rollout: { tasks } }: RunSpec, trained: readonly CheckedEnvironment[]): Finding[] {
  if (tasks === undefined) return [];
  const climbing = trained.find(({ curriculum }) => curriculum !== undefined);
  if (climbing !== undefined)
    return [
      [
        'rollout.tasks',
        `rollout.tasks: ${climbing.spec.environment.use} has a curriculum, and a state is another one at each level; use one of the two`,
      ],
    ];
  return trained.flatMap(({ tag, spec }): Finding[] => {
    const { promptsPerStep } = spec.rollout;
    if (tasks.count >= promptsPerStep) return [];
    const of = tag === undefined ? '' : ` of ${tag}`;
    return [
      [
        'rollout.tasks.count',
        `rollout.tasks.count ${tasks.count}: a step plays ${promptsPerStep} different states${of}; choose at least that, or lower rollout.promptsPerStep`,
      ],
    ];
  });
}

function adaptiveBudgets({ rollout }: RunSpec, environments: readonly CheckedEnvironment[]): Finding[] {
  const { adaptive, groupSize } = rollout;
  if (adaptive === undefined) return [];
  const { first, most, enough } = adaptive;
  const [comparing] = environments
    .filter(({ trained }) => trained)
    .toSorted((one, other) => other.minGroupSize - one.minGroupSize);
  const found: Finding[] = [];
  if (comparing !== undefined && first < comparing.minGroupSize) {
    const { tag, minGroupSize, spec: own } = comparing;
    const name = `${own.algorithm.use}${tag === undefined ? '' : ` (of ${tag})`}`;
    found.push([
      'rollout.adaptive.first',
      `rollout.adaptive.first ${first}: ${name} compares the trajectories of a group with each other; choose at least ${minGroupSize}`,
    ]);
  }
  if (first >= groupSize)
    found.push([
      'rollout.adaptive.first',
      `rollout.adaptive.first ${first}: a group has ${groupSize} on average (rollout.groupSize), so nothing is left to give out; choose less`,
    ]);
  if (most < groupSize)
    found.push([
      'rollout.adaptive.most',
      `rollout.adaptive.most ${most}: a group has ${groupSize} on average (rollout.groupSize); choose at least that`,
    ]);
  if (most === groupSize && enough === 0)
    found.push([
      'rollout.adaptive',
      `rollout.adaptive: most is rollout.groupSize (${groupSize}) and no group is ever decided, so every group would get ${groupSize}; raise most, set enough, or remove it`,
    ]);
  if (enough > 0 && 2 * enough > most)
    found.push([
      'rollout.adaptive.enough',
      `rollout.adaptive.enough ${enough}: a group of at most ${most} cannot have ${enough} successes and ${enough} failures; choose at most ${Math.floor(most / 2)}`,
    ]);
  return found;
}

/** Options of the schedule that the others make irrelevant. */
export function scheduleInert({ rollout: { tasks } }: RunSpec): InertOption[] {
  if (tasks === undefined) return [];
  const paths = { target: 'thompson', memory: 'thompson', shares: 'pools' } as const;
  return Object.entries(paths).flatMap(([name, choose]) =>
    tasks.choose === choose
      ? []
      : [{ path: `rollout.tasks.${name}`, reason: `rollout.tasks.choose is ${tasks.choose}` }],
  );
}

/** Whether something is learned from after the policy has moved on from it. */
export const isLate = ({ rollout, update }: RunSpec): boolean =>
  rollout.ahead > 0 || update.replay !== undefined;
