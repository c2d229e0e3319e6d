import { createStream, defineEnvironment, type EnvironmentDefinition } from '@espalier/plugin-kit';
import { describe, expect, it } from 'vitest';
import { checkEnvironment } from './check-environment.js';
import type { Finding } from './finding.js';

const sides = ['heads', 'tails'];

interface Variant {
  /** what an action earns where the coin shows a side */
  readonly pay?: (action: string, side: string) => number;
  readonly oracle?: (side: string) => readonly string[];
  readonly isFree?: boolean;
}

/** A coin whose side is shown, one action. */
function coin({ pay, oracle, isFree = false }: Variant = {}): EnvironmentDefinition<unknown> {
  return defineEnvironment({
    id: 'coin',
    summary: 'Name the side of a coin.',
    reads: () => ({ noise: false }),
    ...(isFree ? {} : { actions: sides }),
    create: () => {
      let side = '';
      return {
        reset: (seeds) => {
          side = createStream(seeds.state).pick(sides);
          return `The coin shows ${side}.`;
        },
        step: (action) => {
          const reward = pay?.(action, side) ?? (action === side ? 1 : 0);
          return { observation: 'It is over.', reward, done: true };
        },
        oracle: () => oracle?.(side) ?? [side],
      };
    },
  }) as EnvironmentDefinition<unknown>;
}

const check = (variant: Variant): Promise<Finding[]> => checkEnvironment(coin(variant), {}, 48);
const lines = (findings: readonly Finding[]): string[] =>
  findings.map(({ level, check: name, finding }) => `${level} ${name}: ${finding}`);

describe('checkEnvironment', () => {
  it('finds nothing where only reading the state pays', async () => {
    expect(await check({})).toEqual([]);
  });

  it('finds a constant action that earns what the oracle earns', async () => {
    const findings = lines(
      await check({ pay: (action) => (action === 'tails' ? 1 : 0), oracle: () => ['tails'] }),
    );
    expect(findings).toEqual([
      expect.stringMatching(
        /^problem constant "tails" policy: earns 1 on average without reading the state; random actions earn 0\.\d+, the oracle 1$/,
      ),
    ]);
  });

  it('finds an oracle that fails on a share of the states, with their seeds', async () => {
    const [first, ...others] = lines(
      await check({ oracle: (side) => (side === 'tails' ? ['heads'] : ['heads']) }),
    );
    expect(first).toMatch(/^problem oracle: does not reach success in \d+ of 48 states \(seeds \d+, .*…\)$/);
    expect(others).toEqual([]);
  });

  it('finds an oracle that earns less than random actions', async () => {
    const findings = lines(await check({ pay: (action, side) => (action === side ? 0.1 : 5) }));
    expect(findings[0]).toMatch(
      /^problem oracle: earns 0\.1 on average, and random actions earn [23]\.?\d*$/,
    );
  });

  it('notes that the maximum is unknown without an oracle', async () => {
    const blind = defineEnvironment({
      id: 'blind',
      summary: 'No oracle.',
      actions: sides,
      create: () => ({ reset: () => 'begin', step: () => ({ observation: 'end', reward: 0, done: true }) }),
    }) as EnvironmentDefinition<unknown>;
    expect(lines(await checkEnvironment(blind, {}, 8))).toEqual([
      'note oracle: there is none, so the maximum is unknown',
    ]);
  });

  it.each<[string, string, (action: string) => boolean]>([
    ['an empty reply', 'empty policy', (action) => action === ''],
    ['an empty form', 'format-only policy', (action) => action.includes('<answer></answer>')],
    ['the echoed prompt', 'prompt-echo policy', (action) => action.includes('The coin shows')],
    ['a long reply', 'length policy', (action) => action.length > 1000],
    ['the same reply', 'constant "yes" policy', (action) => action === 'yes'],
  ])('finds that %s pays where any text is an action', async (_what, name, isPaid) => {
    const findings = await check({
      isFree: true,
      pay: (action, side) => (isPaid(action) || action === side ? 1 : 0),
    });
    expect(findings.filter(({ level }) => level === 'problem').map((finding) => finding.check)).toEqual([
      name,
    ]);
  });
});
