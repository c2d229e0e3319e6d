import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { discoverPlugins } from '@espalier/plugin-host';
import { defineEnvironment } from '@espalier/plugin-kit';
import { createStream } from '@espalier/random';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type FuzzFailure, isClean } from '../tally.js';
import { environmentNames, runNamed } from '../targets.js';
import { drawAction, longest } from './draw-action.js';
import { runEnvironment } from './run-environment.js';
import type { Subject } from './subject.js';

const root = fileURLToPath(new URL('../../../..', import.meta.url));

/** Strings for each environment; `npm run fuzz` plays millions. */
const inputsEach = process.env['TEST_LONG'] === undefined ? 1000 : 5000;

describe('hostile strings', () => {
  // each refusal is an error, and mapping its stack to the sources takes longer than all the rest
  const { stackTraceLimit } = Error;
  beforeAll(() => void (Error.stackTraceLimit = 0));
  afterAll(() => void (Error.stackTraceLimit = stackTraceLimit));

  it('are played in every environment that is installed', async () => {
    const installed = (await discoverPlugins({ root }))
      .list()
      .filter(
        (plugin) =>
          plugin.kind === 'environment' &&
          plugin.agent === undefined &&
          !['harbor', 'openenv'].includes(plugin.id),
      );
    expect(environmentNames).toEqual(installed.map(({ id }) => `env/${id}`));
  });

  it.each(environmentNames)(
    'in %s are answered or refused, in time, and change nothing for others',
    async (name) => {
      const failures: string[] = [];
      const onFailure = ({ index, finding }: FuzzFailure): void => void failures.push(`${index}: ${finding}`);
      const report = await runNamed(name, { seed: 1, from: 0, inputs: inputsEach, onFailure });
      expect(failures).toEqual([]);
      expect(isClean(report), JSON.stringify(report)).toBe(true);
      // strings that are all alike would prove nothing
      expect(report.accepted).toBeGreaterThan(name === 'env/code-repair' ? 0 : inputsEach / 100);
      expect(report.refused).toBeGreaterThan(inputsEach / 250);
    },
    240_000,
  );
});

/** Counts to ten; `x` goes on, everything else is not valid. */
function counting(flaw: (action: string) => Partial<Flaw> | void = () => undefined, isSaved = true): Subject {
  const definition = defineEnvironment({
    id: 'counting',
    summary: 'Counts to ten, with a flaw.',
    create: () => {
      let count = 0;
      const text = (): string => `${count} of 10: x`;
      return {
        reset: () => {
          count = 0;
          return text();
        },
        step: (action) => {
          const isX = action === 'x';
          if (isX) count += 1;
          const result = { valid: isX, effective: isX, reward: 0, done: count === 10, success: count === 10 };
          return { observation: text(), ...result, ...flaw(action) };
        },
        render: text,
        sampleAction: () => 'x',
        snapshot: () => (isSaved ? count : 0),
        restore: (saved) => void (count = saved as number),
      };
    },
  });
  const given = definition as unknown as Subject['definition'];
  return {
    name: 'env/counting',
    definition: given,
    variants: [{}],
    strings: 64,
    seeds: 12,
    patienceMs: 60_000,
    isCostly: () => false,
  };
}

interface Flaw {
  readonly observation: string;
  readonly success: boolean;
}

async function findingsIn(subject: Subject): Promise<string[]> {
  const findings: string[] = [];
  const onFailure = ({ finding }: FuzzFailure): void => void findings.push(finding.split('\n')[0]!);
  const report = await runEnvironment(subject, { seed: 2, from: 0, inputs: 640, onFailure });
  expect(report.failures).toBe(findings.length);
  return findings;
}

describe('a flaw of an environment is found', () => {
  const { stringify } = JSON;
  afterEach(() => {
    delete (Object.prototype as Record<string, unknown>)['leaked'];
    delete (globalThis as Record<string, unknown>)['leaked'];
    JSON.stringify = stringify;
  });

  it('where there is one', async () => {
    expect(await findingsIn(counting())).toEqual([]);
  });

  it('that throws', async () => {
    const flaw = (action: string): void => {
      if (action.includes('__proto__')) throw new TypeError('surprised');
    };
    expect((await findingsIn(counting(flaw)))[0]).toMatch(/__proto__.* threw .*surprised/);
  });

  it('that takes long', async () => {
    const flaw = (action: string): void => {
      const begin = process.cpuUsage();
      const used = (): number => process.cpuUsage(begin).user + process.cpuUsage(begin).system;
      while (action.length > 1000 && used() < 80_000);
    };
    expect((await findingsIn(counting(flaw)))[0]).toMatch(/took \d+ ms; at most 50 are allowed/);
  });

  it('whose instances share what they count', async () => {
    let steps = 0;
    const flaw = (): Partial<Flaw> => ({ observation: `step ${steps++} of all` });
    expect((await findingsIn(counting(flaw)))[0]).toMatch(/of a second instance is .*; expected /);
  });

  it('whose game is changed by strings of another', async () => {
    let last = '';
    const flaw = (action: string): Partial<Flaw> | void => {
      if (action !== 'x') last = action.slice(0, 9);
      else if (last.startsWith('7')) return { observation: 'seven' };
    };
    const findings = await findingsIn(counting(flaw));
    expect(findings.some((finding) => finding.startsWith('another instance: '))).toBe(true);
  });

  it('whose snapshot leaves something out', async () => {
    expect((await findingsIn(counting(undefined, false)))[0]).toMatch(
      /render\(\) of a restored instance is /,
    );
  });

  it('that changes a prototype', async () => {
    const flaw = (action: string): void => {
      if (action.includes('prototype')) (Object.prototype as Record<string, unknown>)['leaked'] = 1;
    };
    expect((await findingsIn(counting(flaw)))[0]).toBe('Object.prototype has changed: leaked');
  });

  it.each([
    [
      'leaves a global variable',
      'globalThis has changed: leaked',
      () => ((globalThis as Record<string, unknown>)['leaked'] = 1),
    ],
    [
      'replaces a function',
      'JSON has changed: stringify',
      () => (JSON.stringify = (value: unknown) => stringify(value)),
    ],
  ])('that %s', async (_, finding, leak) => {
    const flaw = (action: string): void => {
      if (action.includes('prototype')) leak();
    };
    expect((await findingsIn(counting(flaw)))[0]).toBe(finding);
  });

  it('that never answers', async () => {
    const subject = counting();
    const definition: Subject['definition'] = {
      ...subject.definition,
      create: (params) => {
        const instance = subject.definition.create(params);
        const step: typeof instance.step = (action) =>
          action.includes('__proto__') ? new Promise(() => undefined) : instance.step(action);
        return { ...instance, step };
      },
    };
    const findings = await findingsIn({ ...subject, definition, patienceMs: 100 });
    expect(findings[0]).toMatch(/__proto__.* was not answered within 100 ms/);
  });

  it('that goes on for ever, which ends the program and names the string', async () => {
    const child = spawn(process.execPath, [
      fileURLToPath(new URL('../testing/endless.mjs', import.meta.url)),
    ]);
    let said = '';
    child.stderr.on('data', (text: Buffer) => (said += text.toString()));
    const [, signal] = (await once(child, 'close')) as [unknown, string];
    expect([signal, said]).toEqual([
      'SIGKILL',
      expect.stringMatching(
        /^\s*fuzz env\/endless: input \d+ of seed 2 does not end; see it with --only env\/endless /,
      ),
    ]);
  }, 60_000);

  it.each([
    ['with success before the end', { success: true }, / succeeds, and the episode goes on/],
    ['at length', { observation: 'x'.repeat(90_000) }, / is answered with 90000 characters/],
  ])('that answers %s', async (_, flaw, finding) => {
    expect((await findingsIn(counting(() => flaw)))[0]).toMatch(finding);
  });
});

describe('the strings', () => {
  const grammar = { actions: ['search[red lamp]', 'next'], words: ['red', 'lamp', '['], plans: new Map() };
  const draw = (seed: number): string[] => {
    const stream = createStream(seed);
    return Array.from({ length: 3000 }, () =>
      drawAction(
        stream,
        grammar,
        () => 'next',
        () => 'page 1 of 2',
      ),
    );
  };

  it('are the same for the same seed, and differ among themselves', () => {
    expect(draw(5)).toEqual(draw(5));
    expect(new Set(draw(5)).size).toBeGreaterThan(1500);
  });

  it('hold valid actions, names of properties, control characters, halves of pairs and 100,000 characters', () => {
    const strings = draw(6);
    for (const pattern of [
      /^next$/,
      /__proto__/,
      /constructor/,
      /[\0-\x08]/,
      /[\ud800-\udfff](?![\udc00-\udfff])/,
      /💥/,
    ])
      expect(strings.filter((text) => pattern.test(text)).length, String(pattern)).toBeGreaterThan(10);
    expect(Math.max(...strings.map(({ length }) => length))).toBe(longest);
  });
});
