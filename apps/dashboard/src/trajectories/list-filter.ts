/** @file The filters of a list of trajectories, as they are in the address. */
import type { Client } from '@espalier/client';
import { formatNumber } from '../format/numbers.js';
import { toVisible } from '../format/visible-text.js';
import { wholeNumber } from '../routing/router.js';

export type ListFilter = NonNullable<Parameters<Client['trajectories']['list']>[1]>;
type Order = NonNullable<NonNullable<Parameters<Client['trajectories']['list']>[2]>['orderBy']>;

const splits = ['train', 'validation', 'test'] as const;
export const labelNames = [
  'format-failure',
  'invalid-action',
  'no-op-loop',
  'cycle',
  'dead-end',
  'misplanning',
  'premature-stop',
  'reasoning-action-mismatch',
  'budget-exhausted',
  'unlucky-slip',
] as const;

/** What became of a trajectory in the update of its step. */
export const outcomeNames = [
  'trained',
  'dropped',
  'failed',
  'no-loss-tokens',
  'no-signal',
  'critic-only',
  'greedy-baseline',
] as const;

const decimal = (text: string | null): number | undefined =>
  text !== null && text.trim() !== '' && Number.isFinite(Number(text)) ? Number(text) : undefined;
const oneOf = <T extends string>(text: string | null, known: readonly T[]): T | undefined =>
  known.find((one) => one === text);
const yesOrNo = (text: string | null): boolean | undefined =>
  text === 'yes' ? true : text === 'no' ? false : undefined;

/** What an address narrows beside the steps, which have a place of their own. */
export function readNarrowing(search: URLSearchParams): ListFilter {
  const { fromStep: _from, toStep: _to, ...narrowing } = readFilter(search);
  return narrowing;
}

/** Values that are none are left out, as an address may be typed by hand. */
export function readFilter(search: URLSearchParams): ListFilter {
  const given = {
    text: search.get('text') ?? undefined,
    fromStep: wholeNumber(search.get('from')),
    toStep: wholeNumber(search.get('to')),
    environmentTag: search.get('tag') ?? undefined,
    split: oneOf(search.get('split'), splits),
    success: yesOrNo(search.get('success')),
    kept: yesOrNo(search.get('kept')),
    outcome: oneOf(search.get('outcome'), outcomeNames),
    dropReason: search.get('reason') ?? undefined,
    masked: yesOrNo(search.get('masked')),
    clipped: yesOrNo(search.get('clipped')),
    label: oneOf(search.get('label'), labelNames),
    minReward: decimal(search.get('least')),
    maxReward: decimal(search.get('most')),
    group: wholeNumber(search.get('group')),
  };
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined && value !== ''));
}

const orders: Readonly<Record<string, Order>> = {
  step: { field: 'step', direction: 'asc' },
  'step-down': { field: 'step', direction: 'desc' },
  best: { field: 'reward', direction: 'desc' },
  worst: { field: 'reward', direction: 'asc' },
};

/** The environments of a run of several: those that it trains or validates in, and others that its metrics name. */
export function tagsOf(spec: unknown, metrics: readonly string[]): string[] {
  const { environments, validation } = (spec ?? {}) as {
    readonly environments?: object;
    readonly validation?: { readonly environments?: object };
  };
  const named = metrics.flatMap((name) => {
    const [first, tag, ...rest] = name.split('/');
    return first === 'tag' && tag !== undefined && rest.length > 0 ? [tag] : [];
  });
  const written = [environments, validation?.environments].flatMap((of) => Object.keys(of ?? {}));
  return [...new Set([...written, ...named])].sort();
}

/** The newest step first unless the address says otherwise. */
export const readOrder = (search: URLSearchParams): Order =>
  orders[search.get('sort') ?? ''] ?? { field: 'step', direction: 'desc' };

const filterWords: Readonly<Record<string, string>> = {
  tag: 'environment',
  split: 'split:',
  success: 'success:',
  label: 'label',
  kept: 'trained on:',
  outcome: 'in the update:',
  reason: 'dropped:',
  group: 'group',
  masked: 'outside the loss mask:',
  clipped: 'clipped tokens:',
  least: 'reward ≥',
  most: 'reward ≤',
  text: 'text',
};
/** Their values are codes of words with hyphens. */
const coded = ['label', 'outcome', 'reason'];

/** What a parameter of the address narrows the list to, in words; undefined: to nothing, as it has no such value. */
export function tellFilter(search: URLSearchParams, name: string): string | undefined {
  const value = search.get(name) ?? '';
  const words = filterWords[name];
  const narrows = Object.keys(readFilter(new URLSearchParams([[name, value]]))).length > 0;
  if (words === undefined || !narrows) return undefined;
  // as a sum of rewards, such as 0.30000000000000004, is in a link
  if (value.length > 8 && (name === 'least' || name === 'most'))
    return `${words} ${formatNumber(Number(value))}`;
  return `${words} ${toVisible(coded.includes(name) ? value.replaceAll('-', ' ') : value)}`;
}
