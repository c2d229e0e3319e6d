/**
 * @file The collapse monitor in the loop: what a check looks at, its metrics, and the event when the state of the run
 * changes. The rules are in `@espalier/diagnostics`; what they remember is part of the trainer's state.
 */
import { defineMetric, type RunSpec, type TrajectoryGroup } from '@espalier/contracts';
import { type HealthFinding, healthStates, type HealthState, ruleNames } from '@espalier/contracts/health';
import {
  assessHealth,
  estimateDistinct,
  estimateSelfBleu,
  type Health,
  healthRules,
  readObservation,
  splitWords,
} from '@espalier/diagnostics';
import { measureInformation } from './cross-scoring.js';
import { actionFor } from './monitor-actions.js';
import { measureDrift } from './probes.js';
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

/** What one check found. */
export interface Check {
  readonly health: Health;
  readonly findings: readonly HealthFinding[];
  readonly metrics: Readonly<Record<string, number>>;
}

/** The parts of a run that a check reads. */
type CheckedRun = Pick<RunContext, 'spec' | 'state' | 'engine' | 'tokenizer' | 'probes'>;

/** What is measured by asking the policy, at some checks only; the first check is one of them. */
async function askPolicy(
  { spec: { monitor, rollout }, state, engine, tokenizer, probes }: CheckedRun,
  groups: readonly TrajectoryGroup[],
): Promise<Record<string, number>> {
  const check = state.step / monitor.every - 1;
  const isDue = ({ every }: { readonly every: number }): boolean => every > 0 && check % every === 0;
  const { policy, description } = engine;
  const parts = {
    policy,
    tokenizer,
    contextLength: description.contextLength,
    temperature: rollout.temperature,
  };
  const { samples } = monitor.mutualInformation;
  return {
    ...(isDue(monitor.mutualInformation) ? await measureInformation(groups, { ...parts, samples }) : {}),
    ...(isDue(monitor.probes) && probes !== undefined ? await measureDrift(parts, probes) : {}),
  };
}

/** Checks a completed iteration; `row` holds its metrics. */
export async function checkHealth(
  run: CheckedRun,
  groups: readonly TrajectoryGroup[],
  row: Readonly<Record<string, number>>,
): Promise<Check> {
  const { spec, state } = run;
  const measured = { ...measureText(groups), ...(await askPolicy(run, groups)) };
  const { health, findings } = assessHealth(
    state.health,
    readObservation(state.step, { ...row, ...measured }, Object.keys(spec.environments ?? {})),
    spec.monitor,
  );
  const levels = ruleNames.map((name) => {
    const level = findings.find(({ rule }) => rule === name)?.level ?? 'healthy';
    return [ruleMetric(name), healthStates.indexOf(level)];
  });
  const metrics = {
    ...measured,
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
  { health: { state, evidence: message }, findings }: Pick<Check, 'health' | 'findings'>,
): void {
  if (state === previous) return;
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

/** Reports the health that a fork begins with, where that is not good. */
export function reportInherited(run: RunContext): void {
  const { state, evidence: message } = run.state.health;
  if (state === 'healthy') return;
  run.sink.emit({
    kind: 'monitor',
    time: run.now(),
    step: run.state.step,
    state,
    previous: 'healthy',
    action: null,
    restored: null,
    changes: [],
    findings: [],
    message,
  });
}
