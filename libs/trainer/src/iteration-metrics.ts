/**
 * @file The metrics row of one iteration: rollouts, selection, credit, losses and time.
 */
import { availableParallelism } from 'node:os';
import { defineMetric } from '@espalier/contracts';
import { estimateCriticMetrics } from '@espalier/objective';
import { valueScaleMetrics } from './value-scale.js';
import { type Collection, rolloutMetrics } from '@espalier/rollout';
import type { CreditedBatch } from './credit.js';
import type { FilledBatch } from './fill-batch.js';
import type { PhaseClock, TimedPhase } from './phase-clock.js';
import type { RunContext } from './run-context.js';
import { type GroupChoice, indicesByTag } from './select-groups.js';
import type { TrainerState } from './trainer-state.js';
import type { UpdateReport } from './update.js';

const definitions: readonly (readonly [name: string, unit: string, formula: string])[] = [
  ['select/groups', 'groups', 'groups with at least one trajectory'],
  ['select/kept_groups', 'groups', 'groups the algorithm keeps'],
  ['select/kept_share', 'probability', 'kept groups / groups'],
  [
    'select/dropped/<reason>',
    'groups',
    'groups dropped for this reason, such as zero_variance or low_variance; absent: none',
  ],
  [
    'select/resampled_groups',
    'groups',
    'groups sampled in place of dropped ones (rollout.resample); part of select/groups and of all rollout metrics',
  ],
  ['select/resample_rounds', 'rounds', 'rounds in which dropped groups were replaced'],
  [
    'select/replay_steps',
    'steps',
    'environment steps that repeated actions under other noise seeds (filter.noiseSeeds); not part of total/environment_steps',
  ],
  ['select/failed_replays', 'episodes', 'repetitions of actions that failed and were left out'],
  ['select/zero_variance_share', 'probability', 'groups of two or more whose totals are all equal / groups'],
  ['update/trajectories', 'trajectories', 'trajectories of kept groups with at least one loss token'],
  ['update/loss_tokens', 'tokens', 'loss tokens of the kept groups'],
  [
    'update/tokens',
    'tokens',
    'tokens of all sequences over all epochs, including prompts, excluding padding',
  ],
  ['update/skipped', '1', '1 when there was no signal, so that the policy learned nothing, else 0'],
  [
    'update/skipped_in_a_row',
    'iterations',
    'iterations in a row without signal; the run stops at update.maxSkipped',
  ],
  ['update/policy_steps', 'steps', 'optimizer steps of the policy since the start of the run'],
  [
    'update/critic_steps',
    'steps',
    'optimizer steps of the critic, of several each, since the start of the run',
  ],
  ['update/critics', 'models', 'critics that are trained, where there are several'],
  [
    'total/episodes',
    'episodes',
    'training trajectories since the start of the run, greedy baselines included, here and in the totals below; a fork goes on from its parent’s, its first row',
  ],
  [
    'total/environment_steps',
    'steps',
    'actions that reached the environment in training since the start of the run',
  ],
  ['total/sampled_tokens', 'tokens', 'tokens sampled in training since the start of the run'],
  ['total/trained_tokens', 'tokens', 'sum of update/tokens since the start of the run'],
  ['time/step_seconds', 'seconds', 'wall-clock time of the iteration, without validation and checkpoints'],
  [
    'time/collect_seconds',
    'seconds',
    'sampling and scoring trajectories; with rollout.ahead, waiting for them',
  ],
  [
    'time/processor_share',
    'probability',
    'processor time of all threads of the process / (time/step_seconds × processors of the machine that it may use)',
  ],
  ['time/select_seconds', 'seconds', 'selecting groups'],
  ['time/credit_seconds', 'seconds', 'values, reference and old log-probabilities, and advantages'],
  ['time/update_seconds', 'seconds', 'losses, gradients and optimizer steps'],
  ['time/report_seconds', 'seconds', 'passing trajectories to the sinks and computing this row'],
  ['time/monitor_seconds', 'seconds', 'checks of the collapse monitor'],
  ['time/validate_seconds', 'seconds', 'wall-clock time of a validation'],
  ['time/save_seconds', 'seconds', 'wall-clock time of checkpoints written since the previous row'],
  [
    'time/price',
    'currency',
    'device.pricePerHour × hours of the phases and checkpoints of this row; not there without a price',
  ],
  [
    'time/sampled_tokens_per_second',
    'tokens/s',
    'rollout/sampled_tokens / time/collect_seconds; with rollout.ahead this is not the speed of sampling',
  ],
  ['time/trained_tokens_per_second', 'tokens/s', 'update/tokens / time/update_seconds'],
  ['memory/peak_bytes', 'bytes', 'largest resident size of the process since its start'],
];
for (const [name, unit, formula] of definitions) defineMetric({ name, unit, formula });

defineMetric({
  name: 'energy/measured_joules',
  unit: 'J',
  formula:
    'the part of this row’s energy/<phase>_joules that counters gave; 0: all of it is estimated (docs/use/evaluation.md, Energy)',
});

const iterationPhases = ['collect', 'select', 'credit', 'update', 'report', 'monitor'] as const;
for (const phase of [...iterationPhases, 'validate'])
  defineMetric({
    name: `time/${phase}_cpu_seconds`,
    unit: 'seconds',
    formula: `processor time of all threads of the process during time/${phase}_seconds`,
  });
for (const phase of [...iterationPhases, 'validate'])
  defineMetric({
    name: `energy/${phase}_joules`,
    unit: 'J',
    formula: `energy during time/${phase}_seconds: of counters where energy/measured_joules says so, else time/${phase}_cpu_seconds × device.processorWatts, and on a GPU without a counter time/${phase}_seconds × device.boardWatts`,
  });

export interface IterationParts {
  /** with the iteration counted in its state */
  readonly run: RunContext;
  readonly batch: FilledBatch;
  readonly credited: CreditedBatch;
  readonly update: UpdateReport;
}

/** Computes the metrics of one iteration that are equal in equal runs. */
export function iterationMetrics(parts: IterationParts): Record<string, number> {
  return {
    ...rolloutMetrics(parts.batch.collection),
    ...selectMetrics(parts.batch.collection, parts.batch.choice),
    ...samplingMetrics(parts),
    ...creditMetrics(parts.credited),
    ...parts.credited.sampling,
    ...parts.update.metrics,
    ...updateMetrics(parts),
  };
}

/** What replacing groups and repeating actions took, in runs that do. */
function samplingMetrics({ run, batch }: IterationParts): Record<string, number> {
  return {
    ...((run.spec.rollout.resample ?? 0) > 0
      ? { 'select/resampled_groups': batch.resampled, 'select/resample_rounds': batch.rounds }
      : {}),
    ...(run.estimateChance === undefined
      ? {}
      : { 'select/replay_steps': batch.replaySteps, 'select/failed_replays': batch.failedReplays }),
  };
}

function selectMetrics({ groups }: Collection, choice: GroupChoice): Record<string, number> {
  const tags = indicesByTag(groups.map(({ trajectories }) => trajectories[0]?.environmentTag ?? ''));
  tags.delete('');
  const all = groups.map((_, index) => index);
  const ofTags = [...tags].map(([tag, indices]) =>
    Object.fromEntries(
      Object.entries(groupMetrics(groups, indices, choice)).map(([name, value]) => [
        `tag/${tag}/${name}`,
        value,
      ]),
    ),
  );
  return Object.assign(groupMetrics(groups, all, choice), ...ofTags) as Record<string, number>;
}

function groupMetrics(
  groups: Collection['groups'],
  indices: readonly number[],
  choice: GroupChoice,
): Record<string, number> {
  const share = (count: number): number => (indices.length === 0 ? 0 : count / indices.length);
  const isKept = new Set(choice.kept);
  const kept = indices.filter((index) => isKept.has(index)).length;
  const isFlat = (totals: readonly number[]): boolean =>
    totals.length > 1 && totals.every((total) => total === totals[0]);
  const flat = indices.filter((index) =>
    isFlat((groups[index]?.trajectories ?? []).map((trajectory) => trajectory.score.total)),
  );
  const dropped: Record<string, number> = {};
  for (const index of indices) {
    const reason = choice.dropped[index]?.reason.replaceAll('-', '_');
    if (reason === undefined) continue;
    const name = `select/dropped/${reason}`;
    dropped[name] = (dropped[name] ?? 0) + 1;
  }
  return {
    'select/groups': indices.length,
    'select/kept_groups': kept,
    'select/kept_share': share(kept),
    ...dropped,
    'select/zero_variance_share': share(flat.length),
  };
}

/** Computes the algorithm's own metrics and how well the critic predicted the returns. */
function creditMetrics({ examples, credit }: CreditedBatch): Record<string, number> {
  const own = Object.entries(credit.metrics ?? {}).map(([name, value]) => [
    name.includes('/') ? name : `credit/${name}`,
    value,
  ]);
  const column = (name: string): Float32Array[] => examples.flatMap((example) => example.columns[name] ?? []);
  const values = column('oldValues');
  const returns = column('returns');
  const hasCritic = values.length > 0 && values.length === returns.length;
  const lossMask = values.map((own) => new Uint8Array(own.length).fill(1));
  return {
    ...(Object.fromEntries(own) as Record<string, number>),
    ...(hasCritic ? estimateCriticMetrics(values, returns, lossMask) : {}),
  };
}

function updateMetrics({ run, credited, update }: IterationParts): Record<string, number> {
  const { state } = run;
  const lossTokens = credited.examples.reduce((sum, example) => sum + example.positions.length, 0);
  return {
    'update/trajectories': credited.examples.length,
    'update/loss_tokens': lossTokens,
    'update/tokens': update.tokens,
    'update/skipped': Number(!credited.hasSignal),
    'update/skipped_in_a_row': state.skippedInARow,
    ...(run.critics.length > 1 ? { 'update/critics': run.critics.length } : {}),
    ...valueScaleMetrics(state.returns),
    ...totalMetrics(state),
  };
}

/** What a run has done so far, and of a fork its parent before it: what a fork begins with is its first row. */
export const totalMetrics = (state: TrainerState): Record<string, number> => ({
  'update/policy_steps': state.policySteps,
  'update/critic_steps': state.criticSteps,
  'total/episodes': state.episodes,
  'total/environment_steps': state.environmentSteps,
  'total/sampled_tokens': state.sampledTokens,
  'total/trained_tokens': state.trainedTokens,
});

/** Seconds of phases, on the wall and of the processor, their energy, and their price with that of `saveSeconds`. */
export const phaseMetrics = (
  { spec }: Pick<RunContext, 'spec'>,
  phases: readonly TimedPhase[],
  clock: PhaseClock,
  saveSeconds = 0,
): Record<string, number> => {
  const energies = phases.map((phase) => clock.energy(phase));
  const { pricePerHour } = spec.device;
  const seconds = phases.reduce((sum, phase) => sum + clock.seconds(phase), saveSeconds);
  return {
    ...Object.fromEntries(
      phases.flatMap((phase, index) => [
        [`time/${phase}_seconds`, clock.seconds(phase)],
        [`time/${phase}_cpu_seconds`, clock.processorSeconds(phase)],
        [`energy/${phase}_joules`, energies[index]?.joules ?? 0],
      ]),
    ),
    'energy/measured_joules': energies.reduce((sum, { measuredJoules }) => sum + measuredJoules, 0),
    ...(pricePerHour === undefined ? {} : { 'time/price': (pricePerHour * seconds) / 3600 }),
  };
};

/** Computes the metrics that differ between equal runs, `time/`, `energy/` and `memory/`; `values` holds the iteration's other metrics. */
export function timeMetrics(
  run: RunContext,
  clock: PhaseClock,
  values: Readonly<Record<string, number>>,
): Record<string, number> {
  const perSecond = (count: number | undefined, seconds: number): number =>
    seconds > 0 ? (count ?? 0) / seconds : 0;
  const saveSeconds = run.unreportedSaveSeconds;
  run.unreportedSaveSeconds = 0;
  return {
    ...phaseMetrics(run, iterationPhases, clock, saveSeconds),
    'time/save_seconds': saveSeconds,
    'time/sampled_tokens_per_second': perSecond(values['rollout/sampled_tokens'], clock.seconds('collect')),
    'time/trained_tokens_per_second': perSecond(values['update/tokens'], clock.seconds('update')),
    'time/step_seconds': clock.elapsedSeconds(),
    'time/processor_share': shareOfProcessors(clock),
    'memory/peak_bytes': process.resourceUsage().maxRSS * 1024,
  };
}

function shareOfProcessors(clock: PhaseClock): number {
  const used = iterationPhases.reduce((sum, phase) => sum + clock.processorSeconds(phase), 0);
  const offered = clock.elapsedSeconds() * availableParallelism();
  // the two clocks are read one after the other
  return offered > 0 ? Math.min(1, used / offered) : 0;
}
