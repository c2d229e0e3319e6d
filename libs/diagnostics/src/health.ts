/**
 * @file The state of a run: healthy, warning or collapsed. A pure fold over checks; everything that it remembers is plain
 * data, so that a checkpoint can hold it and a resumed run decides alike.
 */
import {
  type HealthFinding,
  healthStates,
  type HealthState,
  type HealthSummary,
  inputInMetrics,
  type RuleName,
  ruleNames,
  splitInput,
} from '@espalier/contracts/health';
import {
  type HealthInput,
  type InputMemory,
  type InputValues,
  noMemory,
  type Observation,
  remember,
} from './observation.js';
import { type HealthRule, healthRules } from './rules.js';

/** For how many values of its input in a row a rule has fired. */
interface Streak {
  /** step of the first of them */
  readonly since: number;
  /** values of the input so far: not every check has a new one */
  readonly count: number;
  readonly warned: number;
  /** those at the end that were a collapse */
  readonly collapsed: number;
}

/** What is remembered of a run, or of one of its environments. */
interface Watched {
  readonly inputs: Readonly<Partial<Record<HealthInput, InputMemory>>>;
  readonly streaks: Readonly<Partial<Record<RuleName, Streak>>>;
}

export interface Health extends HealthSummary, Watched {
  /** checks in a row without any rule that fires */
  readonly calm: number;
  /** step of the check at which the run was last found to be no longer healthy; present unless it is healthy */
  readonly unhealthySince?: number | undefined;
  /** of each environment of a run in several */
  readonly tags?: Readonly<Record<string, Watched>>;
}

export const startHealth: Health = {
  state: 'healthy',
  since: 0,
  evidence: '',
  calm: 0,
  inputs: {},
  streaks: {},
};

/** Absent: the limit of the rule. */
export interface ChangedLimits {
  readonly warning?: number | null | undefined;
  readonly collapsed?: number | null | undefined;
}

export interface HealthSettings {
  /** checks in a row for which a rule must fire */
  readonly patience: number;
  /** calm checks in a row after which a run is healthy again */
  readonly recovery: number;
  /** limits that differ from those of the rule; both null: off */
  readonly rules: Readonly<Partial<Record<RuleName, ChangedLimits>>>;
}

export interface Verdict {
  readonly health: Health;
  /** rules that fire now, the worst first */
  readonly findings: readonly HealthFinding[];
}

/** Judges one more check: the run as a whole and each of its environments, of which the worst counts. */
export function assessHealth(
  before: Health,
  { step, values, tags = {} }: Observation,
  settings: HealthSettings,
): Verdict {
  const run = watch(before, values, { step, settings });
  const ofTags = Object.entries(tags).map(
    ([tag, own]) => [tag, watch(before.tags?.[tag] ?? startHealth, own, { step, settings, tag })] as const,
  );
  const all = [run, ...ofTags.map(([, own]) => own)];
  const fired = all.flatMap((one) => one.fired);
  const findings = fired.map(({ finding }) => finding).sort((a, b) => rank(b) - rank(a));
  const calm = fired.length === 0 ? before.calm + 1 : 0;
  const ranks = all.map((one) => rankOf(judge(one.fired.filter(isLasting(settings)), settings)));
  const found = healthStates[Math.max(...ranks)] ?? 'healthy';
  const state = rankOf(found) >= rankOf(before.state) || calm >= settings.recovery ? found : before.state;
  const { since, evidence } =
    state === before.state ? before : { since: step, evidence: describeFindings(findings) };
  const watched = Object.fromEntries(ofTags.map(([tag, own]) => [tag, own.watched]));
  const health = { state, since, evidence, calm, ...firstUnhealthy(before, state, step), ...run.watched };
  return { health: ofTags.length === 0 ? health : { ...health, tags: watched }, findings };
}

/** The step at which health first got worse, which a change from bad to worse leaves as it was. */
function firstUnhealthy(
  { unhealthySince }: Pick<Health, 'unhealthySince'>,
  state: HealthState,
  step: number,
): Pick<Health, 'unhealthySince'> {
  return state === 'healthy' ? {} : { unhealthySince: unhealthySince ?? step };
}

/** Remembers new values, and applies the rules to all that is remembered. */
function watch(
  before: Watched,
  values: InputValues,
  given: { readonly step: number; readonly settings: HealthSettings; readonly tag?: string },
): { readonly watched: Watched; readonly fired: readonly Fired[] } {
  const inputs = { ...before.inputs };
  for (const [name, value] of Object.entries(values) as [HealthInput, number | undefined][])
    inputs[name] = remember(inputs[name] ?? noMemory, value);
  const fired = ruleNames.flatMap((name) =>
    applyRule(name, healthRules[name], inputs, { ...given, streak: before.streaks[name] }),
  );
  const streaks = Object.fromEntries(fired.map(({ finding, streak }) => [finding.rule, streak]));
  return { watched: { inputs, streaks }, fired };
}

const isLasting =
  (settings: HealthSettings) =>
  ({ finding, streak }: Fired): boolean =>
    streak.warned >= patienceOf(finding, settings);

const describeFindings = (findings: readonly HealthFinding[]): string =>
  findings.length === 0 ? 'no rule fires any more' : findings.map(describeFinding).join('; ');

interface Fired {
  readonly finding: HealthFinding;
  readonly streak: Streak;
}

const rankOf = (state: HealthState): number => healthStates.indexOf(state);
const patienceOf = ({ rule }: HealthFinding, { patience }: HealthSettings): number =>
  healthRules[rule].patience ?? patience;
const rank = ({ level }: HealthFinding): number => rankOf(level);

/**
 * Forgets what training is compared with, where its task has become another one, as at the next level of a curriculum: a
 * lower success is then no loss. The state stays, and so does what is known of validation, whose states are the same.
 */
export function forgetTraining({ inputs, tags: _tags, ...health }: Health): Health {
  const { validationSuccess } = inputs;
  return { ...health, inputs: validationSuccess === undefined ? {} : { validationSuccess }, streaks: {} };
}

/** Deviation within groups falls with success, so it is no second witness of a fall. */
const followsSuccess: readonly HealthInput[] = ['success', 'rewardDeviation', 'validationSuccess'];

/** A collapse is a rule that says so, or halved success while a rule about something else warns. */
function judge(lasting: readonly Fired[], settings: HealthSettings): HealthState {
  if (lasting.every(({ finding }) => healthRules[finding.rule].isSupporting === true)) return 'healthy';
  const isCollapse = lasting.some(({ finding, streak }) => streak.collapsed >= patienceOf(finding, settings));
  const hasHalved = lasting.some(({ finding }) => finding.rule === 'success-drop' && finding.measure < 0.5);
  const isBacked = lasting.some(({ finding }) => !followsSuccess.includes(healthRules[finding.rule].input));
  return isCollapse || (hasHalved && isBacked) ? 'collapsed' : 'warning';
}

function applyRule(
  name: RuleName,
  rule: HealthRule,
  inputs: Health['inputs'],
  {
    step,
    streak,
    settings,
    tag,
  }: { step: number; streak: Streak | undefined; settings: HealthSettings; tag?: string },
): Fired[] {
  const measured = rule.measure(inputs);
  if (measured === undefined) return [];
  const { warning = rule.limits.warning, collapsed = rule.limits.collapsed } = settings.rules[name] ?? {};
  const passes = (limit: number | null): limit is number =>
    limit !== null && (rule.side === 'below' ? measured.measure < limit : measured.measure > limit);
  const isCollapse = passes(collapsed);
  if (!isCollapse && !passes(warning)) return [];
  const since = streak?.since ?? step;
  const { input = rule.input } = measured;
  const { count = 0, recent = [] } = inputs[input] ?? {};
  const isNew = count !== streak?.count;
  return [
    {
      finding: {
        rule: name,
        input: tag === undefined ? input : `tag/${tag}/${input}`,
        level: isCollapse ? 'collapsed' : 'warning',
        measure: measured.measure,
        value: measured.value,
        baseline: measured.baseline ?? null,
        limit: (isCollapse ? collapsed : warning) as number,
        since,
        history: recent,
      },
      streak: {
        since,
        count,
        warned: (streak?.warned ?? 0) + Number(isNew),
        collapsed: isCollapse ? (streak?.collapsed ?? 0) + Number(isNew) : 0,
      },
    },
  ];
}

/** Iterations from one value of an input to the next. */
export interface Cadence {
  readonly check: number;
  readonly validation: number;
  readonly information: number;
  readonly probes: number;
}

const cadences: Readonly<Partial<Record<HealthInput, keyof Cadence>>> = {
  validationSuccess: 'validation',
  information: 'information',
  probeDrift: 'probes',
};

/** How many steps before a rule begins to fire the weights may already have been bad. */
function lookBack(name: RuleName, cadence: Cadence): number {
  const { input, window } = healthRules[name];
  // the oldest value of the window is about what the weights of the step before it did
  return window * cadence[cadences[input] ?? 'check'] + 1;
}

/** The most steps that any rule looks back. */
export const longestLookBack = (cadence: Cadence): number =>
  Math.max(...ruleNames.map((name) => lookBack(name, cadence)));

/** A rule that fires. */
export interface FiringRule {
  readonly rule: RuleName;
  /** of the environment; absent: of the run as a whole */
  readonly tag?: string;
  /** step of the first check of those in a row */
  readonly since: number;
}

/** Lists the rules that fire, those of the run as a whole first. */
export function listFiring({ streaks, tags = {} }: Health): FiringRule[] {
  const list = (own: Health['streaks'], tag?: string): FiringRule[] =>
    (Object.entries(own) as [RuleName, Streak][]).map(([rule, { since }]) => ({
      rule,
      since,
      ...(tag === undefined ? {} : { tag }),
    }));
  return [...list(streaks), ...Object.entries(tags).flatMap(([tag, own]) => list(own.streaks, tag))];
}

/** What is remembered, with no rule that fires. */
export const silence = ({ tags, ...health }: Health): Health => ({
  ...health,
  streaks: {},
  ...(tags === undefined
    ? {}
    : {
        tags: Object.fromEntries(
          Object.entries(tags).map(([tag, { inputs }]) => [tag, { inputs, streaks: {} }]),
        ),
      }),
});

/** The last step whose weights no rule that fires has looked at; undefined where none fires. */
export function lastUnsuspectedStep(health: Health, cadence: Cadence): number | undefined {
  const steps = listFiring(health).map(({ rule, since }) => since - lookBack(rule, cadence));
  return steps.length === 0 ? undefined : Math.max(0, Math.min(...steps));
}

/** Says what a rule found, in a sentence without a full stop. */
function describeFinding({ rule, input, measure, value, baseline, limit, since }: HealthFinding): string {
  const { unit, side, summary } = healthRules[rule];
  const numbers = {
    value: short(value),
    baseline: baseline === null ? '' : short(baseline),
    measure: short(measure),
  };
  const { tag, name } = splitInput(input);
  const before = baseline === null ? '' : `, was ${numbers.baseline}`;
  const found =
    summary?.(numbers) ?? `${inputInMetrics(name)} is ${numbers.value}${before}: ${numbers.measure} ${unit}`;
  return `${rule}${tag === undefined ? '' : ` in ${tag}`}: ${found}, ${side} ${short(limit)} since step ${since}`;
}

/** Below it a number is what rounding has left of 0. */
const leastNumber = 1e-9;

const short = (value: number): string =>
  Math.abs(value) < leastNumber ? '0' : String(Number(value.toPrecision(3)));

/** Remembers a value of an input that is not measured at every check. */
export function noteInput(health: Health, input: HealthInput, value: number): Health {
  return {
    ...health,
    inputs: { ...health.inputs, [input]: remember(health.inputs[input] ?? noMemory, value) },
  };
}

/** Parses stored health; undefined when it is none. */
export function parseHealth(value: unknown): Health | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  const {
    state,
    since,
    evidence,
    calm,
    unhealthySince = since,
    tags = {},
    ...watched
  } = value as Partial<Health>;
  const isHealth =
    healthStates.some((known) => known === state) &&
    Number.isSafeInteger(since) &&
    typeof evidence === 'string' &&
    Number.isSafeInteger(calm) &&
    Number.isSafeInteger(unhealthySince) &&
    isObject(tags) &&
    [watched, ...Object.values(tags)].every(isWatched);
  if (!isHealth) return undefined;
  // earlier versions stored the latest change only
  const health = { ...(value as Health), ...(state === 'healthy' ? {} : { unhealthySince }) };
  return withoutMixedLengths(health);
}

/** Earlier versions remembered the length of replies as that of reasoning where there was none; that is begun anew. */
function withoutMixedLengths(health: Health): Health {
  const { reasoningLength: _mixed, ...inputs } = health.inputs;
  return health.inputs.replyLength === undefined ? { ...health, inputs } : health;
}

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null;
const isNumbers = (value: unknown): boolean => Array.isArray(value) && value.every(Number.isFinite);

function isWatched(value: unknown): boolean {
  if (!isObject(value)) return false;
  const { inputs, streaks } = value as Partial<Watched>;
  return (
    isObject(inputs) &&
    Object.values(inputs).every(isInputMemory) &&
    isObject(streaks) &&
    Object.values(streaks).every(isStreak)
  );
}

function isInputMemory(value: unknown): boolean {
  if (!isObject(value)) return false;
  const { first, recent, count, best } = value as Partial<InputMemory>;
  return (
    isNumbers(first) &&
    isNumbers(recent) &&
    Number.isSafeInteger(count) &&
    (best === null || Number.isFinite(best))
  );
}

const isStreak = (value: unknown): boolean =>
  isObject(value) &&
  (['since', 'count', 'warned', 'collapsed'] as const).every((name) =>
    Number.isSafeInteger((value as Partial<Streak>)[name]),
  );
