/** @file Which panels an overview has, in their order; what a run does not report has none. */

export interface PanelLine {
  /** name of the metric; `*` at the end of a part: every metric of that form */
  readonly metric: string;
  /** `*`: what it stands for in the name */
  readonly label: string;
  /** drawn only where this one is not reported */
  readonly insteadOf?: string;
  /** reported at some steps only */
  readonly isSparse?: boolean;
  /** metrics that bound it: its interval */
  readonly interval?: readonly [low: string, high: string];
}

export interface PanelDefinition {
  readonly id: string;
  readonly title: string;
  readonly lines: readonly PanelLine[];
  /** parts of a whole, drawn one upon the other */
  readonly isStacked?: boolean;
  /** the axis goes from 0 to 1 at least as far as this */
  readonly from?: number;
  readonly to?: number;
  /** powers of ten */
  readonly isLogarithmic?: boolean;
  /** what 0, 1, 2 … stand for */
  readonly names?: readonly string[];
}

const line = (metric: string, label: string): PanelLine => ({ metric, label });
/** Validation at some steps and training at each, with their intervals. */
const both = (mean: string, name: string): PanelLine[] => [
  {
    metric: `validation/${mean}`,
    label: 'validation',
    isSparse: true,
    interval: [`validation/${name}_low`, `validation/${name}_high`],
  },
  {
    metric: `rollout/${mean}`,
    label: 'training',
    interval: [`rollout/${name}_low`, `rollout/${name}_high`],
  },
];
/** One line an environment in a run of several: its validation, else its training. */
const byTag = (mean: string): PanelLine[] => [
  { metric: `tag/*/validation/${mean}`, label: '*', isSparse: true },
  // a tag need not have a group in each step
  {
    metric: `tag/*/rollout/${mean}`,
    label: '*, training',
    isSparse: true,
    insteadOf: `tag/*/validation/${mean}`,
  },
];

export const panels: readonly PanelDefinition[] = [
  {
    id: 'success',
    title: 'Success',
    lines: [
      ...both('success_rate', 'success'),
      ...byTag('success_rate'),
      { ...line('curriculum/success_rate_*', 'level *'), isSparse: true },
    ],
    from: 0,
    to: 1,
  },
  {
    id: 'reward',
    title: 'Reward',
    lines: [...both('reward_mean', 'reward'), ...byTag('reward_mean')],
  },
  {
    id: 'deviation',
    title: 'Deviation of reward within groups',
    lines: [line('rollout/reward_std', 'deviation'), line('select/zero_variance_share', 'groups that agree')],
    from: 0,
  },
  {
    id: 'entropy',
    title: 'Entropy',
    lines: [line('policy/entropy', 'at the update'), line('rollout/entropy', 'at sampling')],
    from: 0,
  },
  {
    id: 'gradient',
    title: 'Gradient norm',
    lines: [line('policy/gradient_norm', 'policy'), line('critic/gradient_norm', 'critic')],
    isLogarithmic: true,
  },
  {
    id: 'kl',
    title: 'KL divergence',
    lines: [line('policy/approx_kl', 'from the sampler'), line('policy/kl_reference', 'from the reference')],
    from: 0,
  },
  {
    id: 'clip',
    title: 'Clipped ratios',
    lines: [
      line('policy/clip_fraction_low', 'low'),
      line('policy/clip_fraction_high', 'high'),
      line('policy/clip_fraction_dual', 'dual'),
    ],
    from: 0,
  },
  {
    id: 'length',
    title: 'Response length',
    lines: [line('rollout/response_length', 'response'), line('rollout/reasoning_length', 'reasoning')],
    from: 0,
  },
  {
    id: 'valid',
    title: 'Valid actions',
    lines: [
      line('rollout/valid_action_share', 'legal'),
      line('rollout/effective_action_share', 'effective'),
      line('rollout/format_valid_share', 'form kept'),
    ],
    to: 1,
  },
  {
    id: 'groups',
    title: 'Groups kept and dropped',
    lines: [line('select/kept_groups', 'kept'), line('select/dropped/*', '*')],
    isStacked: true,
    from: 0,
  },
  {
    id: 'labels',
    title: 'Failure labels',
    lines: [line('rollout/label_*', '*')],
    isStacked: true,
    from: 0,
  },
  {
    id: 'phases',
    title: 'Time of a step',
    lines: [
      line('time/collect_seconds', 'collect'),
      line('time/credit_seconds', 'credit'),
      line('time/update_seconds', 'update'),
      line('time/select_seconds', 'select'),
      line('time/report_seconds', 'report'),
      line('time/monitor_seconds', 'monitor'),
    ],
    isStacked: true,
    from: 0,
  },
  {
    id: 'throughput',
    title: 'Throughput',
    lines: [
      line('time/sampled_tokens_per_second', 'sampled'),
      line('time/trained_tokens_per_second', 'trained'),
    ],
    from: 0,
  },
  {
    id: 'devices',
    title: 'Device use',
    lines: [line('time/processor_share', 'processors, by this run'), line('device/*', '*')],
    from: 0,
    to: 1,
  },
  {
    id: 'explained',
    title: 'Critic',
    lines: [
      line('critic/explained_variance', 'explained variance'),
      // with several critics
      line('critic/ensemble_std', 'deviation between critics, in reward'),
    ],
    to: 1,
  },
  {
    id: 'monitor',
    title: 'Collapse monitor',
    lines: [line('monitor/state', 'state')],
    from: 0,
    to: 2,
    names: ['healthy', 'warning', 'collapsed'],
  },
];

/** What the asterisks of a pattern stand for in a name; undefined: the name is of another form. */
function partsOf(pattern: string, name: string): readonly string[] | undefined {
  const [wanted, found] = [pattern.split('/'), name.split('/')];
  if (wanted.length !== found.length) return undefined;
  const parts: string[] = [];
  for (const [at, one] of wanted.entries()) {
    const segment = found[at] ?? '';
    if (one === segment) continue;
    const start = one.slice(0, -1);
    if (!one.endsWith('*') || !segment.startsWith(start) || segment === start) return undefined;
    parts.push(segment.slice(start.length));
  }
  return parts;
}

const fill = (pattern: string, parts: readonly string[]): string => {
  const left = [...parts];
  return pattern.replaceAll('*', () => left.shift() ?? '');
};

/** The lines of a panel that a run has, with wildcards filled in; a part of a whole that is always 0 is left out. */
export function linesOf(
  { lines, isStacked = false }: PanelDefinition,
  names: readonly string[],
  isAlwaysZero: (metric: string) => boolean,
): PanelLine[] {
  const found = lines.flatMap((given) => {
    const { insteadOf } = given;
    return names.flatMap((metric) => {
      const parts = partsOf(given.metric, metric);
      if (parts === undefined) return [];
      if (insteadOf !== undefined && names.includes(fill(insteadOf, parts))) return [];
      const label = fill(
        given.label,
        // tags are names that people gave
        metric.startsWith('tag/') ? parts : parts.map((part) => part.replaceAll('_', ' ')),
      );
      return [{ ...given, metric, label }];
    });
  });
  return isStacked ? found.filter(({ metric }) => !isAlwaysZero(metric)) : found;
}

/** What tiles and lanes draw besides. */
const others = ['rollout/failed_share', 'time/step_seconds', 'time/validate_seconds', 'time/save_seconds'];

/** The metrics of a run that a panel, a tile or a lane draws. */
export const drawnOf = (names: readonly string[]): ReadonlySet<string> =>
  new Set([
    ...others,
    ...panels
      .flatMap((panel) => linesOf({ ...panel, isStacked: false }, names, () => false))
      .flatMap(({ metric, interval = [] }) => [metric, ...interval]),
  ]);

const wanted = [
  ...new Set(
    panels.flatMap(({ lines }) => lines.flatMap(({ metric, interval = [] }) => [metric, ...interval])),
  ),
  ...others,
  // whether a run samples ahead
  'rollout/policy_lag_mean',
];

const averaged = [
  ...panels.flatMap(({ isStacked, lines }) => (isStacked === true ? lines.map(({ metric }) => metric) : [])),
  // of a cell of several steps
  'rollout/success_rate',
  'rollout/reward_mean',
];

/** Whether a metric is told by means where it has many steps: a part of a whole, or what a cell of several steps tells. */
export const isAveraged = (name: string): boolean => averaged.some((one) => partsOf(one, name) !== undefined);

/** Whether the overview reads a metric. */
export const isShown = (name: string): boolean => wanted.some((one) => partsOf(one, name) !== undefined);
