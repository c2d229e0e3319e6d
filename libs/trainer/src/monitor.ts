/**
 * @file The collapse monitor in the loop: what a check looks at, its metrics, and the event when the state of the run
 * changes. The rules are in `@espalier/diagnostics`; what they remember is part of the trainer's state.
 */
import { defineMetric, type RunSpec, type TrajectoryGroup } from '@espalier/contracts';
import { type HealthFinding, healthStates, type HealthState, ruleNames } from '@espalier/contracts/health';
import {
  assessHealth,
  describeFinding,
  estimateDistinct,
  estimateSelfBleu,
  type Health,
  healthRules,
  type Observation,
  splitWords,
} from '@espalier/diagnostics';
import { actionFor } from './monitor-actions.js';
import { emitWarning, type RunContext } from './run-context.js';

const STATE = defineMetric({
  name: 'monitor/state',
  unit: '1',
  formula: 'health of the run: 0 healthy, 1 warning, 2 collapsed (docs/learn/collapse.md)',
});
const DISTINCT = defineMetric({
  name: 'monitor/distinct_2',
  unit: 'probability',
  formula:
    'distinct bigrams / bigrams of the first reasoning (without any: reply) of one trajectory per group; mean over up to four members of the groups',
});
const SELF_BLEU = defineMetric({
  name: 'monitor/self_bleu',
  unit: 'probability',
  formula:
    'mean BLEU (n-grams of 1 to 3) of the first reasoning (without any: reply) of a trajectory against that of the other groups; mean over up to four members of the groups; 1 = all prompts get the same text',
});
for (const name of ruleNames)
  defineMetric({
    name: ruleMetric(name),
    unit: '1',
    formula: `rule ${name} of the monitor: 0 silent, 1 warning, 2 collapsed; ${healthRules[name].side} ${Object.entries(
      healthRules[name].limits,
    )
      .flatMap(([level, limit]) => (limit === null ? [] : [`${limit} (${level})`]))
      .join(', ')}, ${healthRules[name].unit}`,
  });

function ruleMetric(name: string): string {
  return `monitor/rule_${name.replaceAll('-', '_')}`;
}

/** Reports whether a step is checked. */
export const isCheckDue = ({ monitor }: Pick<RunSpec, 'monitor'>, step: number): boolean =>
  monitor.every > 0 && step % monitor.every === 0;

/** Trajectories of a group whose text is compared with other groups: more cost time and add little. */
const comparedMembers = 4;

/** Measures how much of what is said to different prompts is the same. */
export function measureText(groups: readonly TrajectoryGroup[]): Record<string, number> {
  const members = Math.min(comparedMembers, ...groups.map(({ trajectories }) => trajectories.length));
  const hasReasoning = groups.some(({ trajectories }) => trajectories.some((one) => one.turns[0]?.think));
  const rows = Array.from({ length: groups.length === 0 ? 0 : members }, (_, index) =>
    groups.map(({ trajectories }) => {
      const turn = trajectories[index]?.turns[0];
      return splitWords((hasReasoning ? turn?.think : turn?.response) ?? '');
    }),
  );
  const distinct = mean(rows.map((texts) => estimateDistinct(texts, 2)));
  const selfBleu = mean(rows.map(estimateSelfBleu));
  return {
    ...(distinct === undefined ? {} : { [DISTINCT.name]: distinct }),
    ...(selfBleu === undefined ? {} : { [SELF_BLEU.name]: selfBleu }),
  };
}

function mean(values: readonly number[]): number | undefined {
  const finite = values.filter(Number.isFinite);
  return finite.length === 0 ? undefined : finite.reduce((sum, value) => sum + value, 0) / finite.length;
}

/** Picks the inputs of the rules from a row of metrics. */
function observe(step: number, row: Readonly<Record<string, number>>): Observation {
  const reasoning = row['rollout/reasoning_length'] ?? 0;
  const selfBleu = row[SELF_BLEU.name];
  const named = {
    success: row['rollout/success_rate'],
    rewardDeviation: row['rollout/reward_std'],
    entropy: row['rollout/entropy'],
    gradientNorm: row['policy/gradient_norm'],
    reasoningLength: reasoning > 0 ? reasoning : row['rollout/response_length'],
    validFormat: row['rollout/format_valid_share'],
    distinct: row[DISTINCT.name],
    difference: selfBleu === undefined ? undefined : 1 - selfBleu,
    updateDrift: row['policy/approx_kl'],
  };
  const present = Object.entries(named).filter(([, value]) => value !== undefined);
  return { step, values: Object.fromEntries(present) };
}

/** What one check found. */
export interface Check {
  readonly health: Health;
  readonly findings: readonly HealthFinding[];
  readonly metrics: Readonly<Record<string, number>>;
}

/** Checks a completed iteration; `row` holds its metrics. */
export function checkHealth(
  { spec, state }: Pick<RunContext, 'spec' | 'state'>,
  groups: readonly TrajectoryGroup[],
  row: Readonly<Record<string, number>>,
): Check {
  const text = measureText(groups);
  const { health, findings } = assessHealth(
    state.health,
    observe(state.step, { ...row, ...text }),
    spec.monitor,
  );
  const levels = ruleNames.map((name) => {
    const level = findings.find(({ rule }) => rule === name)?.level ?? 'healthy';
    return [ruleMetric(name), healthStates.indexOf(level)];
  });
  const metrics = {
    ...text,
    [STATE.name]: healthStates.indexOf(health.state),
    ...(Object.fromEntries(levels) as Record<string, number>),
  };
  return { health, findings, metrics };
}

const codes = { warning: 'monitor.warning', collapsed: 'monitor.collapsed' } as const;

/** Reports a change of health: an event with what was found and, when it got worse, a warning. */
export function reportHealth(
  run: RunContext,
  previous: HealthState,
  { health: { state }, findings }: Pick<Check, 'health' | 'findings'>,
): void {
  if (state === previous) return;
  const found = findings.map(describeFinding).join('; ');
  const message = findings.length === 0 ? 'no rule fires any more' : found;
  run.sink.emit({
    kind: 'monitor',
    time: run.now(),
    step: run.state.step,
    state,
    previous,
    action: actionFor(run.spec, previous, state) ?? null,
    restored: null,
    changes: [],
    findings,
    message,
  });
  const isWorse = healthStates.indexOf(state) > healthStates.indexOf(previous);
  if (isWorse && state !== 'healthy')
    emitWarning(run, codes[state], `iteration ${run.state.step}: ${state}: ${message}`);
}
