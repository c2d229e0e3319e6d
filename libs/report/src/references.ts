/**
 * @file Where a number comes from, as text: `run:metric@step`, `run:spec/option`, `run:state`, `run:monitor@step`,
 * `run:warning@step`, `run:trajectory/<id>#turn=2` or `#token=120`. Reports and the notes of people use the same form.
 */
import { nearestKey } from '@espalier/contracts/nearest-key';
import { leaves } from '@espalier/config/plain';
import { formatMetric, formatSetting } from './numbers.js';
import type { Point, ReportedTrajectory, ReportRun } from './report-run.js';

const moments = ['first', 'last', 'max', 'min'] as const;
type Moment = (typeof moments)[number];

/** A part of a run. */
export type Target =
  | { readonly kind: 'metric'; readonly name: string; readonly at: number | Moment }
  | { readonly kind: 'setting'; readonly path: string }
  | { readonly kind: 'state' }
  | { readonly kind: 'event'; readonly event: 'monitor' | 'warning'; readonly step: number }
  | {
      readonly kind: 'trajectory';
      readonly id: string;
      /** from 0; people read and write it from 1 */
      readonly turn?: number;
      readonly token?: number;
    };

export interface Reference {
  /** key of the run */
  readonly run: string;
  readonly target: Target;
}

/** What a reference leads to. */
export interface Resolved {
  /** as it is stored */
  readonly value: number | string;
  /** as a report writes it */
  readonly text: string;
  /** where it is stored */
  readonly where: string;
}

/** A reference that leads nowhere, with the reason and what there is instead. */
export class ReferenceProblem extends Error {}

/** Writes a reference. */
export function formatReference({ run, target }: Reference): string {
  return `${run}:${formatTarget(target)}`;
}

function formatTarget(target: Target): string {
  switch (target.kind) {
    case 'metric':
      return `${target.name}@${target.at}`;
    case 'setting':
      return `spec/${target.path}`;
    case 'state':
      return 'state';
    case 'event':
      return `${target.event}@${target.step}`;
    case 'trajectory': {
      const place =
        target.token !== undefined
          ? `#token=${target.token}`
          : target.turn !== undefined
            ? `#turn=${target.turn + 1}`
            : '';
      return `trajectory/${target.id}${place}`;
    }
  }
}

/**
 * Reads a reference.
 *
 * @param runs keys of the runs; the only one may be left out
 * @throws ReferenceProblem
 */
export function parseReference(text: string, runs: readonly string[]): Reference {
  const at = text.indexOf(':');
  const [only, ...others] = runs;
  if (at < 0) {
    if (only === undefined || others.length > 0)
      throw new ReferenceProblem(`it names no run; write run:… with one of ${listSome(runs)}`);
    return { run: only, target: parseTarget(text) };
  }
  const run = text.slice(0, at).trim();
  if (!runs.includes(run)) throw new ReferenceProblem(`no run "${run}"${suggest(run, runs)}`);
  return { run, target: parseTarget(text.slice(at + 1)) };
}

function parseTarget(written: string): Target {
  const text = written.trim();
  if (text === 'state') return { kind: 'state' };
  if (text.startsWith('spec/')) return { kind: 'setting', path: text.slice('spec/'.length) };
  const trajectory = /^trajectory\/([^#]+)(?:#(turn|token)=(\d{1,9}))?$/.exec(text);
  if (trajectory !== null) {
    const [, id = '', unit, number] = trajectory;
    if (unit === undefined) return { kind: 'trajectory', id };
    if (unit === 'token') return { kind: 'trajectory', id, token: Number(number) };
    if (Number(number) === 0)
      throw new ReferenceProblem('there is no turn 0; the first is turn 1, as in `show` and on the page');
    return { kind: 'trajectory', id, turn: Number(number) - 1 };
  }
  const [, name = '', step = ''] = /^([^#]+)@([a-z]+|\d{1,9})$/.exec(text) ?? [];
  const moment = moments.find((one) => one === step);
  if (name === '' || (moment === undefined && !/^\d+$/.test(step)))
    throw new ReferenceProblem(
      'it has no known form; write metric@step (or @first, @last, @max, @min), spec/option, state, monitor@step, warning@step or trajectory/id#turn=N',
    );
  if ((name === 'monitor' || name === 'warning') && moment === undefined)
    return { kind: 'event', event: name, step: Number(step) };
  return { kind: 'metric', name, at: moment ?? Number(step) };
}

/**
 * Looks up what does not need trajectories.
 *
 * @throws ReferenceProblem
 */
export function resolveTarget(run: ReportRun, target: Exclude<Target, { kind: 'trajectory' }>): Resolved {
  switch (target.kind) {
    case 'metric':
      return resolveMetric(run, target.name, target.at);
    case 'setting':
      return resolveSetting(run, target.path);
    case 'state':
      return { value: run.state, text: run.state, where: 'the end of the run' };
    case 'event':
      return resolveEvent(run, target.event, target.step);
  }
}

function resolveMetric(run: ReportRun, name: string, at: number | Moment): Resolved {
  const points = run.series[name];
  if (points === undefined || points.length === 0)
    throw new ReferenceProblem(`the run has no metric "${name}"${suggest(name, Object.keys(run.series))}`);
  const found = typeof at === 'number' ? points.findLast(([step]) => step === at) : pickMoment(points, at);
  if (found === undefined)
    throw new ReferenceProblem(
      typeof at === 'number'
        ? `${name} has no value at step ${at}; ${nearestSteps(points, at)}`
        : `${name} has no finite value`,
    );
  const [step, value] = found;
  return {
    value: Number.isFinite(value) ? value : 'not finite',
    text: formatMetric(name, value),
    where: `metrics, step ${step}`,
  };
}

function pickMoment(points: readonly Point[], at: Moment): Point | undefined {
  const finite = points.filter(([, value]) => Number.isFinite(value));
  if (at === 'first') return finite[0];
  if (at === 'last') return finite.at(-1);
  const isBetter = (a: number, b: number): boolean => (at === 'max' ? a > b : a < b);
  return finite.reduce<Point | undefined>(
    (best, one) => (best === undefined || isBetter(one[1], best[1]) ? one : best),
    undefined,
  );
}

function nearestSteps(points: readonly Point[], at: number): string {
  const before = points.findLast(([step]) => step < at)?.[0];
  const after = points.find(([step]) => step > at)?.[0];
  const steps = [before, after].filter((step) => step !== undefined);
  return `the nearest with one ${steps.length === 1 ? 'is' : 'are'} ${steps.join(' and ')}`;
}

function resolveSetting(run: ReportRun, path: string): Resolved {
  const options = new Map(leaves(run.spec));
  if (!options.has(path))
    throw new ReferenceProblem(`the run has no option "${path}"${suggest(path, [...options.keys()])}`);
  const value = options.get(path);
  return {
    value: typeof value === 'number' ? value : formatSetting(value),
    text: formatSetting(value),
    where: 'the resolved spec',
  };
}

function resolveEvent(run: ReportRun, kind: 'monitor' | 'warning', step: number): Resolved {
  const own = run.events.filter((event) => event.kind === kind);
  const found = own.filter((event) => event.step === step);
  if (found.length === 0)
    throw new ReferenceProblem(
      own.length === 0
        ? `the run has no event of kind ${kind}`
        : `the run has no event of kind ${kind} at step ${step}; there are some at ${own.map((event) => event.step).join(', ')}`,
    );
  const message = found.map((event) => event.message).join(' / ');
  const text = found
    .map((event) =>
      event.kind === 'monitor' ? event.state : event.kind === 'warning' ? event.code : event.kind,
    )
    .join(', ');
  return { value: message, text: `${text} at step ${step}`, where: `events, step ${step}` };
}

/** The step in whose file a trajectory is; its id is `split/step/group/index`. */
export function stepOfTrajectory(id: string): number | undefined {
  const digits = /^[^/]+\/(\d{1,9})\//.exec(id)?.[1];
  return digits === undefined ? undefined : Number(digits);
}

/** Finds a trajectory. @throws ReferenceProblem when it is not stored, or has no such turn or token; AppError */
export async function findTrajectory(
  run: ReportRun,
  { id, turn, token }: Extract<Target, { kind: 'trajectory' }>,
): Promise<ReportedTrajectory> {
  const step = stepOfTrajectory(id);
  if (step === undefined)
    throw new ReferenceProblem(
      `"${id}" is no id of a trajectory; they look like train/12/0/3 (split/step/group/index)`,
    );
  if (!run.trajectorySteps.includes(step))
    throw new ReferenceProblem(
      `the run stores no trajectories of step ${step}; it has those of ${describeSteps(run.trajectorySteps)}`,
    );
  const all = await run.readTrajectories(step);
  const found = all.find((one) => one.id === id);
  if (found === undefined)
    throw new ReferenceProblem(
      `step ${step} has no trajectory "${id}"${suggest(
        id,
        all.map((one) => one.id),
      )}`,
    );
  if (turn !== undefined && turn >= found.turns.length)
    throw new ReferenceProblem(`"${id}" has no turn ${turn + 1}; its turns are 1 to ${found.turns.length}`);
  if (token !== undefined && token >= found.tokens.length)
    throw new ReferenceProblem(
      `"${id}" has no token ${token}; it has ${found.tokens.length}, counted from 0`,
    );
  return found;
}

const describeSteps = (steps: readonly number[]): string =>
  steps.length === 0 ? 'no step' : `${steps.length} steps, ${steps[0]} to ${steps.at(-1)}`;

function suggest(name: string, known: readonly string[]): string {
  const nearest = nearestKey(name, known);
  return nearest === undefined ? `; there are ${listSome(known)}` : `; did you mean "${nearest}"?`;
}

function listSome(names: readonly string[]): string {
  const shown = names.slice(0, 8).join(', ');
  return names.length > 8 ? `${shown} and ${names.length - 8} more` : shown;
}
