import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { Pool } from './pool.js';

const limits = { timeMs: 45_000, memoryBytes: 64 * 2 ** 20 };
const job = (source: string, calls = ['[1]']): Parameters<Pool['run']>[1] => ({
  source,
  entry: 'f',
  calls,
});
const plain = job('function f(n) { return n; }');

describe('the pool', () => {
  it('has a bounded number of threads, whatever comes at once, and none after the last has left', async () => {
    const pool = new Pool(2);
    pool.enter();
    pool.enter();
    const python = job('def f(n): return n');
    const ends = await Promise.all(
      Array.from({ length: 24 }, async (_, place) => {
        const result = await pool.run(
          place % 2 ? 'python' : 'javascript',
          place % 2 ? python : plain,
          limits,
        );
        expect(pool.counts().lanes).toBeLessThanOrEqual(2);
        return result.answers[0]?.text;
      }),
    );
    expect(ends).toEqual(Array.from({ length: 24 }, () => '1'));
    await pool.leave();
    expect(pool.counts().lanes).toBeGreaterThan(0);
    await pool.leave();
    expect(pool.counts().lanes).toBe(0);
  });

  it('goes on after a program that was cut off, crashed or left', async () => {
    const pool = new Pool(1);
    pool.enter();
    const ends = [];
    ends.push((await pool.run('javascript', job('for (;;);'), { ...limits, timeMs: 1000 })).end);
    ends.push((await pool.run('javascript', plain, limits)).end);
    for (const source of ['import os\nos._exit(1)', 'def f(n): return n'])
      ends.push((await pool.run('python', job(source), limits)).end);
    expect(ends).toEqual(['cut_off', 'finished', 'exited', 'finished']);
    await pool.leave();
  });

  it('says what is wrong where an interpreter cannot start', async () => {
    const pool = new Pool(1);
    await expect(
      pool.run('python', job('def f(n): return n'), { ...limits, memoryBytes: 2 ** 20 }),
    ).rejects.toThrow('an interpreter needs at least 10 MiB');
    expect(pool.counts().lanes).toBe(0);
  });
});

describe('a process with sandboxes', () => {
  const built = new URL('../../dist/index.js', import.meta.url).href;
  const runChild = async (body: string): Promise<string> => {
    const script = `
      const { default: codeRepair } = await import(${JSON.stringify(built)});
      const open = (given) => codeRepair.create(codeRepair.params.parse(given));
      ${body}
      console.log(process.getActiveResourcesInfo().filter((name) => /Worker|Port|Timeout/.test(name)).length);`;
    const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', script], {
      cwd: fileURLToPath(new URL('../..', import.meta.url)),
      timeout: 80_000,
    });
    return stdout;
  };

  it('ends by itself, with its environments closed or left open', async () => {
    const body = `
      const instances = ['quixbugs', 'javascript'].map((set) => open({ tasks: { source: 'shipped', sets: [set] } }));
      for (const [place, instance] of instances.entries()) {
        await instance.reset({ state: 3, noise: 0 });
        await instance.step(instance.oracle()[0]);
        if (place === 0) await instance.close();
      }`;
    expect(await runChild(body)).toBe('0\n');
  });

  it('ends by itself after a program that does not', async () => {
    const body = `
      const instance = open({ tasks: { source: 'shipped', sets: ['javascript'] }, timeLimitMs: 300 });
      await instance.reset({ state: 3, noise: 0 });
      const { entry } = { entry: instance.facts().function };
      const { observation } = await instance.step('submit\\nfunction ' + entry + '() { for (;;); }');
      if (!observation.text.includes('did not end in time')) throw new Error(observation.text);`;
    expect(await runChild(body)).toBe('0\n');
  });
});
