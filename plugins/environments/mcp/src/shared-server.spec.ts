import { afterAll, describe, expect, it } from 'vitest';
import mcp from './index.js';
import { createOver, deskProgram, playTask, writeTasks } from './testing/play.js';
import { startHttp, stopHttp } from './testing/start-http.js';

afterAll(stopHttp);

const set = (value: string): object => ({ tool: 'set_value', arguments: { key: 'total', value } });
const act = 'set_value(key="total", value="5")';

/** A task over a server: set the total to 5. */
const taskOver = (server: object, change: object = {}): string =>
  writeTasks({
    server: { name: 'ledger', ...server },
    tasks: [
      {
        id: 'sum',
        goal: 'Set total to 5.',
        check: { calls: [{ tool: 'get_value', arguments: { key: 'total' }, equals: '5' }] },
        ...change,
      },
    ],
  });
const solution = { calls: [set('5')] };
const refused = expect.objectContaining({
  code: 'plugin.failed',
  message: expect.stringMatching(
    /^task "sum" of .*: check: it holds after the setup, .*; the setup must restore the start, /,
  ) as string,
});

describe('a server that episodes share', () => {
  it('pays nothing for what the solution of the trial left there: the task is refused, each time', async () => {
    const url = await startHttp();
    const file = taskOver({ url }, { solution });
    await expect(playTask(file, ['finish()'])).rejects.toEqual(refused);
    await expect(playTask(file, ['finish()'])).rejects.toEqual(refused);
    // the turn at the server was given back
    const { results } = await playTask(taskOver({ url }, { setup: { calls: [set('1')] } }), ['finish()']);
    expect(results).toMatchObject([{ reward: 0, done: true }]);
  });

  it('pays nothing for what an earlier episode left there', async () => {
    const file = taskOver({ url: await startHttp() });
    const { results } = await playTask(file, [act, 'finish()']);
    expect(results).toMatchObject([{ reward: 0 }, { reward: 1, success: true }]);
    await expect(playTask(file, ['finish()'])).rejects.toEqual(refused);
  });

  it('is played again and again where the setup restores the start', async () => {
    const file = taskOver({ url: await startHttp() }, { setup: { calls: [set('0')] }, solution });
    for (let round = 0; round < 2; round++) {
      expect((await playTask(file, ['finish()'])).results).toMatchObject([{ reward: 0, success: false }]);
      expect((await playTask(file, 'oracle')).results.at(-1)).toMatchObject({ reward: 1, success: true });
    }
  });

  it('may hold the state of a check that asks for an answer too', async () => {
    const file = taskOver(
      { url: await startHttp() },
      {
        setup: { calls: [set('5')] },
        check: {
          calls: [{ tool: 'get_value', arguments: { key: 'total' }, equals: '5' }],
          answer: { equals: 'five' },
        },
      },
    );
    const { results } = await playTask(file, ['finish(answer="five")']);
    expect(results).toMatchObject([{ reward: 1, success: true }]);
  });

  it('has one episode at a time: others wait', async () => {
    const file = taskOver({ url: await startHttp() }, { setup: { calls: [set('0')] } });
    const play = (): Promise<number[]> =>
      playTask(file, [act, 'get_value(key="total")', 'finish()']).then(({ results }) =>
        results.map(({ reward }) => reward),
      );
    const rewards = await Promise.all(Array.from({ length: 4 }, play));
    expect(rewards).toEqual(rewards.map(() => [0, 0, 1]));
  });

  it('is asked for one episode at once, whatever servers says', () => {
    const url = 'http://127.0.0.1:9/mcp';
    const atOnce = (server: object): number | undefined => {
      const tasks = { source: 'files', train: [taskOver(server)] };
      return mcp.reads?.(mcp.params.parse({ tasks, servers: 5 })).episodes;
    };
    expect(atOnce({ url })).toBe(1);
    expect(atOnce({ url, state: 'own' })).toBe(5);
    expect(atOnce({ command: process.execPath, args: [deskProgram] })).toBe(5);
    expect(mcp.reads?.(mcp.params.parse({})).episodes).toBeUndefined();
  });
});

describe('random play', () => {
  it('never draws from the solution', async () => {
    const file = taskOver({ builtIn: 'desk' }, { goal: 'Set it.', solution });
    const instance = createOver(file);
    await instance.reset({ state: 0, noise: 0 });
    const drawn = new Set(Array.from({ length: 500 }, (_, seed) => instance.sampleAction!(seed)));
    await instance.close?.();
    expect(drawn.size).toBeGreaterThan(20);
    expect(drawn).not.toContain(act);
  });
});
