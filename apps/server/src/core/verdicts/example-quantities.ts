/** @file By which quantity of a trajectory the ones that show an alarm best are chosen. Pure functions. */
import type { RuleName } from '@espalier/contracts/health';
import type { StoredTrajectory } from '@espalier/recorder';

/** What trajectories are chosen by: what it is, and its unit as metrics name them. */
export const exampleQuantities = {
  'group-deviation': ['standard deviation (n − 1) of the rewards in its group', '1'],
  entropy: ['mean entropy of the sampling distributions over its sampled tokens', 'nats'],
  reasoning: ['think tokens; mean over its turns', 'tokens'],
  'invalid-format': ['its turns whose reply lacks the required format / its turns', 'probability'],
  'distinct-2': ['different pairs of words / all pairs of words, over its replies', '1'],
  'shared-phrases': [
    'mean over the pairs of words of its replies: the share of the others that have the pair too',
    'probability',
  ],
  'shared-reasoning': [
    'mean over the pairs of words of its reasoning: the share of the others that have the pair too',
    'probability',
  ],
  clipped: ['clipped tokens / loss tokens at the last optimizer pass', 'probability'],
  'update-share': ['its share of the update of its step', 'probability'],
  reward: ['its reward', '1'],
} as const satisfies Record<string, readonly [meaning: string, unit: string]>;
export type ExampleQuantity = keyof typeof exampleQuantities;

/** Whether the least or the most of the quantity shows an alarm. */
export const exampleOrders = {
  least: 'those with the least of it',
  most: 'those with the most of it',
} as const;
export type ExampleOrder = keyof typeof exampleOrders;

export interface ExampleChoice {
  readonly quantity: ExampleQuantity;
  readonly order: ExampleOrder;
}

const choose = (quantity: ExampleQuantity, order: ExampleOrder): ExampleChoice => ({ quantity, order });

/** What shows each rule; `policy-drift` is measured on fixed prompts, so what moved most in the updates stands for it. */
export const choiceOfRule: Readonly<Record<RuleName, ExampleChoice>> = {
  'update-drift': choose('clipped', 'most'),
  'policy-drift': choose('clipped', 'most'),
  'reward-deviation': choose('group-deviation', 'least'),
  'deviation-lost': choose('group-deviation', 'least'),
  'entropy-fall': choose('entropy', 'least'),
  'entropy-rise': choose('entropy', 'most'),
  'gradient-spike': choose('update-share', 'most'),
  'gradient-lost': choose('update-share', 'least'),
  'short-reasoning': choose('reasoning', 'least'),
  'long-reasoning': choose('reasoning', 'most'),
  'invalid-format': choose('invalid-format', 'most'),
  'few-phrases': choose('distinct-2', 'least'),
  'one-answer-for-all': choose('shared-phrases', 'most'),
  'template-collapse': choose('shared-reasoning', 'most'),
  'success-decline': choose('reward', 'least'),
  'success-drop': choose('reward', 'least'),
  'validation-lost': choose('reward', 'least'),
};
/** Where a rule's own quantity is not known, and for alerts without a rule. */
export const otherwise = choose('reward', 'least');

/** What the list of a run knows of a trajectory. */
export interface ExampleRow {
  readonly id: string;
  readonly runId: string;
  readonly step: number;
  readonly split: string;
  readonly environment: string;
  readonly group: number;
  readonly stateSeed: number;
  readonly success: boolean;
  readonly reward: number | null;
  readonly lossTokens: number | null;
  readonly clippedTokens: number | null;
  readonly updateShare: number | null;
}

/** What only the stored turns and tokens tell. */
export interface ExampleBody {
  readonly entropy: number | null;
  readonly reasoning: number | null;
  readonly invalidFormat: number | null;
  /** pairs of words of all replies, in order, and of all reasoning */
  readonly replies: readonly string[];
  readonly thoughts: readonly string[];
}

const bodyQuantities: ReadonlySet<ExampleQuantity> = new Set([
  'entropy',
  'reasoning',
  'invalid-format',
  'distinct-2',
  'shared-phrases',
  'shared-reasoning',
]);
/** Whether a quantity needs the stored turns and tokens. */
export const needsBody = (quantity: ExampleQuantity): boolean => bodyQuantities.has(quantity);

/** of a trajectory; what follows says little more about repetition */
const mostCharacters = 20_000;

/** Pairs of words that follow each other, in lower case. */
export function wordPairs(texts: readonly string[]): string[] {
  let left = mostCharacters;
  return texts.flatMap((text) => {
    const part = text.slice(0, Math.max(0, left));
    left -= part.length;
    const words = part.toLowerCase().match(/[\p{L}\p{M}\p{N}]+|[^\s\p{L}\p{M}\p{N}]/gu) ?? [];
    return words.slice(1).map((word, i) => `${words[i]} ${word}`);
  });
}

const ratio = (part: number, whole: number): number | null => (whole === 0 ? null : part / whole);

/** Keeps what the quantities need of a stored trajectory. */
export function toExampleBody({ spans, turns, entropies }: StoredTrajectory): ExampleBody {
  let sampled = 0;
  let nats = 0;
  let thought = 0;
  for (const { kind, start, end } of spans) {
    if (kind === 'template' || kind === 'observation') continue;
    if (kind === 'think') thought += end - start;
    for (const value of entropies.subarray(start, end))
      if (Number.isFinite(value)) {
        sampled += 1;
        nats += value;
      }
  }
  const invalid = turns.filter(({ formatValid }) => !formatValid).length;
  return {
    entropy: ratio(nats, sampled),
    reasoning: ratio(thought, turns.length),
    invalidFormat: ratio(invalid, turns.length),
    replies: wordPairs(turns.map(({ response }) => response)),
    thoughts: wordPairs(turns.map(({ think }) => think)),
  };
}

/** The value of each trajectory, by id; those that have none are left out. */
export function measureExamples(
  quantity: ExampleQuantity,
  rows: readonly ExampleRow[],
  bodies: ReadonlyMap<string, ExampleBody>,
): ReadonlyMap<string, number> {
  const of = (value: (row: ExampleRow, body: ExampleBody | undefined) => number | null | undefined) =>
    new Map(
      rows.flatMap((row) => {
        const found = value(row, bodies.get(row.id));
        return typeof found === 'number' && Number.isFinite(found) ? [[row.id, found] as const] : [];
      }),
    );
  switch (quantity) {
    case 'reward':
      return of(({ reward }) => reward);
    case 'clipped':
      return of(({ clippedTokens, lossTokens }) =>
        clippedTokens === null || lossTokens === null ? null : ratio(clippedTokens, lossTokens),
      );
    case 'update-share':
      return of(({ updateShare }) => updateShare);
    case 'group-deviation': {
      const deviations = deviationsOf(rows);
      return of((row) => deviations.get(groupOf(row)));
    }
    case 'entropy':
      return of((_row, body) => body?.entropy);
    case 'reasoning':
      return of((_row, body) => body?.reasoning);
    case 'invalid-format':
      return of((_row, body) => body?.invalidFormat);
    case 'distinct-2':
      return of((_row, body) => body && ratio(new Set(body.replies).size, body.replies.length));
    case 'shared-phrases':
      return sharedWithOthers(bodies, ({ replies }) => replies);
    case 'shared-reasoning':
      return sharedWithOthers(bodies, ({ thoughts }) => thoughts);
  }
}

/** Trajectories of one state of one step. */
export const groupOf = ({ step, split, environment, group }: ExampleRow): string =>
  JSON.stringify([step, split, environment, group]);

/** Of groups with two rewards or more. */
function deviationsOf(rows: readonly ExampleRow[]): ReadonlyMap<string, number> {
  const rewards = new Map<string, number[]>();
  for (const row of rows)
    if (row.reward !== null) rewards.set(groupOf(row), [...(rewards.get(groupOf(row)) ?? []), row.reward]);
  return new Map(
    [...rewards].flatMap(([group, values]) => {
      if (values.length < 2) return [];
      const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
      const squares = values.reduce((sum, value) => sum + (value - mean) ** 2, 0);
      return [[group, Math.sqrt(squares / (values.length - 1))] as const];
    }),
  );
}

function sharedWithOthers(
  bodies: ReadonlyMap<string, ExampleBody>,
  pairsOf: (body: ExampleBody) => readonly string[],
): ReadonlyMap<string, number> {
  const having = new Map<string, number>();
  for (const body of bodies.values())
    for (const pair of new Set(pairsOf(body))) having.set(pair, (having.get(pair) ?? 0) + 1);
  const others = bodies.size - 1;
  if (others < 1) return new Map();
  return new Map(
    [...bodies].flatMap(([id, body]) => {
      const pairs = pairsOf(body);
      if (pairs.length === 0) return [];
      const shared = pairs.reduce((sum, pair) => sum + ((having.get(pair) ?? 1) - 1) / others, 0);
      return [[id, shared / pairs.length] as const];
    }),
  );
}
