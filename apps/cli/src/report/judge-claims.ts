/** @file Applies the rules of a sweep's claims to its runs. */
import {
  namesIn,
  type SweepClaim,
  type SweepEvent,
  type SweepMoment,
  type SweepRule,
} from '@espalier/config/sweep';
import { short } from '../view/numbers.js';
import {
  type Differences,
  hullOf,
  judgeClaim,
  judgeCount,
  judgeInterval,
  type Verdict,
} from './judge-rule.js';
import { countValues, isFirst, statesAt, stepOfEvent, valueAt } from './run-values.js';

/** A run that has ended. */
export interface EndedRun {
  readonly variant: string;
  readonly seed: number;
  readonly folder: string;
}

export interface JudgedRule {
  /** what the rule asks, in words */
  readonly rule: string;
  readonly finding: string;
  readonly verdict: Verdict;
}

export interface JudgedClaim {
  readonly of: string;
  readonly claim: string;
  readonly paper?: string;
  readonly verdict: Verdict;
  readonly rules: readonly JudgedRule[];
}

/** Judges a claim by the runs that have ended. @throws trainer.corrupt_run */
export function judge({ of, claim, paper, need, rules }: SweepClaim, runs: readonly EndedRun[]): JudgedClaim {
  const judged = rules.map((rule) => judgeRule(rule, runs));
  return {
    of,
    claim,
    ...(paper === undefined ? {} : { paper }),
    verdict: judgeClaim(
      need,
      judged.map(({ verdict }) => verdict),
    ),
    rules: judged,
  };
}

function judgeRule(rule: SweepRule, runs: readonly EndedRun[]): JudgedRule {
  const missing = namesIn(rule).filter((name) => runs.every(({ variant }) => variant !== name));
  const words = describeRule(rule);
  if (missing.length > 0) {
    const absent = `not run: ${[...new Set(missing)].join(', ')}`;
    const soFar =
      rule.kind === 'order' && missing.length < namesIn(rule).length
        ? `; so far ${judgeOrder(rule, runs).finding}`
        : '';
    return { rule: words, finding: `${absent}${soFar}`, verdict: 'not run' };
  }
  if (rule.kind === 'order') return { rule: words, ...judgeOrder(rule, runs) };
  if (rule.kind === 'later') return { rule: words, ...judgeLater(rule, runs) };
  const [first, second] = sidesOf(rule);
  // one value is every moment of its run, and says nothing of a change
  const isChange = rule.kind === 'change';
  const told = isChange ? runs.filter(({ folder }) => countValues(folder, rule.metric) > 1) : runs;
  const differences = subtract(rule.metric, first, second, told);
  if (differences.ofSeeds.length === 0) {
    const finding = `no run has ${rule.metric} ${isChange ? 'more than once' : 'on both sides'}`;
    return { rule: words, finding, verdict: 'not run' };
  }
  const interval = hullOf(differences);
  const found = describeFinding(rule.metric, interval, differences);
  if (rule.kind === 'difference' && areStarts(rule, runs)) {
    const finding = `${found}: the ${rule.at} of every run is the policy that it began with`;
    return { rule: words, finding, verdict: 'not separable at this size' };
  }
  return { rule: words, finding: found, verdict: judgeInterval(interval, rule.expect, rule.margin) };
}

/** Whether all runs have their peak or their lowest value before they have learned: they are one policy then, and differ in nothing. */
function areStarts(rule: Extract<SweepRule, { kind: 'difference' }>, runs: readonly EndedRun[]): boolean {
  if (rule.at !== 'peak' && rule.at !== 'lowest') return false;
  const names = namesIn(rule);
  return runs
    .filter(({ variant }) => names.includes(variant))
    .every(({ folder }) => isFirst(folder, rule.metric, rule.at));
}

interface Side {
  readonly variants: readonly string[];
  readonly at: SweepMoment;
}

const list = (names: string | readonly string[]): readonly string[] => [names].flat();

function sidesOf(rule: Extract<SweepRule, { metric: string }>): [first: Side, second: Side] {
  if (rule.kind === 'difference')
    return [
      { variants: list(rule.first), at: rule.at },
      { variants: list(rule.second), at: rule.at },
    ];
  return [
    { variants: list(rule.runs), at: rule.to },
    { variants: list(rule.runs), at: rule.from },
  ];
}

/** First minus second, for the seeds with which all variants of both sides have ended. */
function subtract(metric: string, first: Side, second: Side, runs: readonly EndedRun[]): Differences {
  const seeds = [...new Set(runs.map(({ seed }) => seed))];
  const ofSeeds: number[] = [];
  const byState = new Map<string, number[]>();
  for (const seed of seeds) {
    const [ours, theirs] = [first, second].map((side) => readSide(metric, side, seed, runs));
    if (ours === undefined || theirs === undefined) continue;
    ofSeeds.push(ours.value - theirs.value);
    for (const [state, value] of ours.states) {
      const other = theirs.states.get(state);
      if (other !== undefined) byState.set(state, [...(byState.get(state) ?? []), value - other]);
    }
  }
  const ofStates = [...byState.values()].filter((own) => own.length === ofSeeds.length).map(mean);
  return { ofSeeds, ...(ofStates.length === 0 ? {} : { ofStates }) };
}

const mean = (values: readonly number[]): number =>
  values.reduce((sum, value) => sum + value, 0) / values.length;

/** The mean over the variants of a side; undefined unless all of them have ended with this seed. */
function readSide(
  metric: string,
  { variants, at }: Side,
  seed: number,
  runs: readonly EndedRun[],
): { readonly value: number; readonly states: ReadonlyMap<string, number> } | undefined {
  const found = variants.map((variant) => runs.find((run) => run.variant === variant && run.seed === seed));
  const values: number[] = [];
  const states = new Map<string, number[]>();
  for (const run of found) {
    const value = run === undefined ? undefined : valueAt(run.folder, metric, at);
    if (run === undefined || value === undefined) return undefined;
    values.push(value);
    for (const [state, rate] of statesAt(run.folder, metric, at) ?? [])
      states.set(state, [...(states.get(state) ?? []), rate]);
  }
  const whole = [...states].filter(([, own]) => own.length === variants.length);
  return { value: mean(values), states: new Map(whole.map(([state, own]) => [state, mean(own)])) };
}

/**
 * Of the runs where the second event happens, as many as chance does not explain must have the first one earlier. Events at one
 * step say nothing of an order; a first event that never comes speaks against it, as it gave no notice.
 */
function judgeOrder(
  { runs: named, first, second }: Extract<SweepRule, { kind: 'order' }>,
  runs: readonly EndedRun[],
): Omit<JudgedRule, 'rule'> {
  const own = runs.filter(({ variant }) => list(named).includes(variant));
  const leads = own.flatMap(({ folder }) => {
    const later = stepOfEvent(folder, second);
    return later === undefined ? [] : [later - (stepOfEvent(folder, first) ?? Infinity)];
  });
  const before = leads.filter((lead) => lead > 0).sort((a, b) => a - b);
  const same = leads.filter((lead) => lead === 0).length;
  const never = leads.filter((lead) => lead === -Infinity).length;
  const median = before[Math.floor(before.length / 2)];
  const ahead = median === undefined ? '' : `, by ${median} steps in the median`;
  const decided = leads.length - same;
  return {
    finding:
      leads.length === 0
        ? `the second event happened in none of ${own.length} runs`
        : `the first event came before in ${before.length} of the ${decided} runs that tell${ahead}; ` +
          `after in ${decided - before.length - never} and never in ${never}, which count against; ` +
          `at the same step in ${same}, which tell nothing (the second happened in ${leads.length} of ${own.length} runs)`,
    verdict: judgeCount(before.length, decided),
  };
}

/** Of the pairs of runs that differ, as many as chance does not explain must have the event later or not at all. */
function judgeLater(
  { runs: named, than, event }: Extract<SweepRule, { kind: 'later' }>,
  runs: readonly EndedRun[],
): Omit<JudgedRule, 'rule'> {
  const stepOf = (variant: string | undefined, seed: number): number | undefined => {
    const run = runs.find((one) => one.variant === variant && one.seed === seed);
    return run && (stepOfEvent(run.folder, event) ?? Infinity);
  };
  const seeds = [...new Set(runs.map(({ seed }) => seed))];
  const pairs = list(named).flatMap((variant, i) =>
    seeds.flatMap((seed) => {
      const [step, other] = [stepOf(variant, seed), stepOf(list(than)[i], seed)];
      return step === undefined || other === undefined ? [] : [{ step, other }];
    }),
  );
  const decided = pairs.filter(({ step, other }) => step !== other);
  const later = decided.filter(({ step, other }) => step > other);
  const never = later.filter(({ step }) => step === Infinity).length;
  const notAtAll = never === 0 ? '' : never === later.length ? ', not at all' : `, in ${never} not at all`;
  return {
    finding:
      decided.length === 0
        ? `no difference in any of ${pairs.length} pairs of runs`
        : `later in ${later.length} of the ${decided.length} pairs of runs that differ${notAtAll} (of ${pairs.length} pairs)`,
    verdict: judgeCount(later.length, decided.length),
  };
}

const isRate = (metric: string): boolean => /_(?:rate|share)$/.test(metric);
const signed = (value: number): string => `${value < 0 ? '−' : '+'}${short(Math.abs(value))}`;
const points = (share: number): string => signed(100 * share);

function bounds(
  low: number,
  high: number,
  format: (value: number) => string,
  isKnown = Number.isFinite(low),
): string {
  return isKnown ? ` [${format(low)}, ${format(high)}]` : ', spread over seeds unknown';
}

function describeFinding(
  metric: string,
  { mean: middle, low, high }: { readonly mean: number; readonly low: number; readonly high: number },
  { ofSeeds, ofStates }: Differences,
): string {
  const format = isRate(metric) ? points : signed;
  const unit = isRate(metric) ? ' points' : '';
  const states = ofStates === undefined ? '' : `, ${ofStates.length} states`;
  const seeds = ofSeeds.length === 1 ? '1 seed' : `${ofSeeds.length} seeds`;
  return `${format(middle)}${unit}${isRate(metric) ? bounds(Math.max(-1, low), Math.min(1, high), format, Number.isFinite(low)) : bounds(low, high, format)}, ${seeds}${states}`;
}

const describeEvent = ({ metric, below, above }: SweepEvent): string =>
  `${metric} ${below === undefined ? `above ${above} ×` : `below ${below} ×`} its start`;

/** A rule in words. */
export function describeRule(rule: SweepRule): string {
  const names = (of: string | readonly string[]): string => list(of).join(' + ');
  if (rule.kind === 'order')
    return `${names(rule.runs)}: ${describeEvent(rule.first)} comes before ${describeEvent(rule.second)}`;
  if (rule.kind === 'later')
    return `${describeEvent(rule.event)} comes later in ${names(rule.runs)} than in ${names(rule.than)}, or not at all`;
  const margin =
    rule.margin === 0
      ? ''
      : ` by ${isRate(rule.metric) ? `${short(100 * rule.margin)} points` : rule.margin}`;
  const wanted = {
    higher: 'higher',
    lower: 'lower',
    'not-lower': 'not lower',
    'not-higher': 'not higher',
    equal: 'equal',
  };
  const within = rule.expect === 'equal' ? margin.replace(' by ', ' within ') : margin;
  const at = (moment: SweepMoment): string => (typeof moment === 'number' ? `step ${moment}` : moment);
  if (rule.kind === 'difference')
    return `${rule.metric} at ${at(rule.at)} of ${names(rule.first)} is ${wanted[rule.expect]}${within} ${rule.expect === 'equal' ? 'to' : 'than'} that of ${names(rule.second)}`;
  return `${rule.metric} of ${names(rule.runs)} is ${wanted[rule.expect]}${within} at ${at(rule.to)} than at ${at(rule.from)}`;
}
