/** @file Steps and tests per second of code repair, each program in a fresh interpreter, one after the other. */
import codeRepair from '@espalier/environment-code-repair';
import type { EnvironmentInstance } from '@espalier/plugin-kit';
import { type BenchItem, buildRow } from '../row.js';
import { plainLoopRate } from './plain-loop.js';

interface ProgramRates {
  /** changes of the program, each run against all tests */
  readonly steps: number;
  readonly tests: number;
}

/** Changes programs for `seconds`: each is another text, so none is known. Rates are per second. */
async function submitPrograms(instance: EnvironmentInstance, seconds: number): Promise<ProgramRates> {
  const seed = 1;
  const first = await instance.reset({ state: seed, noise: seed });
  const facts = instance.facts?.() as { tests: number; function: string; language: string };
  const comment = facts.language === 'python' ? '#' : '//';
  const program = first.text
    .split('\n')
    .flatMap((line) => /^ *\d+ \| (.*)$/.exec(line)?.[1] ?? [])
    .join('\n');
  // the threads and their interpreters come up while the clock stands
  await instance.step(`submit\n${program}\n${comment} warm`);
  let programs = 0;
  const begin = performance.now();
  while (performance.now() - begin < seconds * 1000) {
    programs += 1;
    await instance.step(`submit\n${program}\n${comment} ${programs}`);
  }
  const steps = programs / ((performance.now() - begin) / 1000);
  return { steps, tests: steps * facts.tests };
}

/** Programs of our JavaScript tasks and of HumanEval. */
export const codeRepairPrograms: BenchItem = async ({ short }) => {
  const rows = [];
  for (const [language, set] of [
    ['javascript', 'javascript'],
    ['python', 'humaneval'],
  ] as const) {
    const params = codeRepair.params.parse({ tasks: { source: 'shipped', sets: [set] } });
    const instance = codeRepair.create(params);
    const { steps, tests } = await submitPrograms(instance, short ? 0.2 : 5);
    await instance.close?.();
    const baseline = { name: 'plain loop, 1e6 turns/s', value: plainLoopRate() };
    const perStep = `${Math.round(tests / steps)} tests a step`;
    rows.push(
      buildRow(`env/code-repair/${language}/step`, steps, 'steps/s', baseline, perStep),
      buildRow(`env/code-repair/${language}`, tests, 'tests/s', baseline),
    );
  }
  return rows;
};
