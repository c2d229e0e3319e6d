import { spawn } from 'node:child_process';
import { existsSync, readlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { processesInUse } from './server/slots.js';
import { createOver, folder, isAlive, pidsOf, playTask, programOf, writeTasks } from './testing/play.js';
import { Workspace } from './workspace.js';

const work = 'work(text="worked")';
let logs = 0;

/** A task over a server that does what `mode` says, and where it writes its process numbers. */
function badTask(
  mode: string,
  change: Readonly<Record<string, unknown>> = {},
): { file: string; log: string } {
  const log = join(folder, `log-${logs++}`);
  const file = writeTasks({
    server: { name: 'clerk', command: process.execPath, args: [programOf('bad-server.mjs'), mode, log] },
    tasks: [
      {
        id: 'only',
        goal: 'Work.',
        check: { calls: [{ tool: 'show', contains: 'worked' }] },
        ...change,
      },
    ],
  });
  return { file, log };
}

const failed = (message: RegExp, code = 'plugin.failed') =>
  expect.objectContaining({ code, message: expect.stringMatching(message) as string });

describe('a server that fails', () => {
  it.each([
    [
      'dies',
      /^call work: MCP server "clerk" failed: its process ended with code 7; its last words: "out of paper"; /,
    ],
    [
      'garbage',
      /^call work: MCP server "clerk" failed: it wrote what is no message of the protocol: "<html>/,
    ],
    ['half', /wrote what is no message of the protocol: "\{\\"jsonrpc/],
    ['wrong', /^call work: MCP server "clerk" failed: .*[Ii]nvalid/],
    ['huge', /^call work: MCP server "clerk" failed: it sent a message of more than 1000000 bytes; /],
  ])('as one that %s in the midst of an episode, fails the episode and is named', async (mode, message) => {
    const { file, log } = badTask(mode);
    await expect(playTask(file, [work, 'finish()'], { maxMessageBytes: 1_000_000 })).rejects.toEqual(
      failed(message),
    );
    expect(pidsOf(log).filter(isAlive)).toEqual([]);
  });

  it.each(['hangs', 'busy'])('as one that %s, is ended after its time', async (mode) => {
    const { file, log } = badTask(mode);
    await expect(playTask(file, [work], { toolTimeoutMs: 3000 })).rejects.toEqual(
      failed(
        /^call work: MCP server "clerk" failed: it did not answer in time; raise toolTimeoutMs/,
        'plugin.timeout',
      ),
    );
    expect(pidsOf(log).filter(isAlive)).toEqual([]);
  });

  it('by another list of tools fails the episode before the next call', async () => {
    await expect(playTask(badTask('changes').file, [work, work])).rejects.toEqual(
      failed(
        /^use work: MCP server "clerk" failed: the list of tools changed during the episode: it is gone; /,
      ),
    );
  });

  it('at its start is named with its last words', async () => {
    await expect(playTask(badTask('early').file, [])).rejects.toEqual(
      failed(
        /^connect: MCP server "clerk" failed: its process ended with code 3; its last words: "no configuration found"/,
      ),
    );
  });

  it('by saying nothing at its start is ended after its time', async () => {
    const { file, log } = badTask('mute');
    await expect(playTask(file, [], { startTimeoutMs: 400 })).rejects.toEqual(
      failed(/^connect: MCP server "clerk" failed: it did not answer in time/, 'plugin.timeout'),
    );
    expect(pidsOf(log).filter(isAlive)).toEqual([]);
  });

  it('because there is no such program is named', async () => {
    const file = writeTasks({
      server: { command: '/no/such/program' },
      tasks: [{ id: 'a', goal: 'g', check: { answer: { equals: 'x' } } }],
    });
    await expect(playTask(file, [])).rejects.toEqual(failed(/could not be started .*ENOENT/));
    expect(processesInUse()).toBe(0);
  });

  it.each(['well', 'banner', 'strict'])('is not one that works %s', async (mode) => {
    const { results } = await playTask(badTask(mode).file, [work, 'finish()']);
    expect(results.map(({ reward, done, success }) => [reward, done, success])).toEqual([
      [0, false, false],
      [1, true, true],
    ]);
  });
});

describe('a check', () => {
  it('is never met by the error of a tool', async () => {
    const { results } = await playTask(badTask('error').file, ['finish()']);
    expect(results[0]).toMatchObject({ reward: 0, done: true, success: false, metrics: { checks_met: 0 } });
    const lacks = badTask('error', { check: { calls: [{ tool: 'show', lacks: 'fresh' }] } });
    expect((await playTask(lacks.file, ['finish()'])).results[0]).toMatchObject({
      reward: 0,
      success: false,
    });
  });

  it('that holds at the start has its task refused', async () => {
    const { file } = badTask('well', { check: { calls: [{ tool: 'show', equals: 'fresh' }] } });
    await expect(playTask(file, [])).rejects.toEqual(
      failed(
        /^task "only" of .*: check: it holds at the start, so there is nothing to do; change it or the setup$/,
      ),
    );
  });

  it.each([
    [{ answer: { lacks: 'zebra' } }, /an empty answer meets it/],
    [{ answer: { contains: 'work' } }, /the text of the goal meets it/],
  ])('of an answer that says nothing is refused: %j', async (check, message) => {
    await expect(playTask(badTask('well', { check }).file, [])).rejects.toEqual(failed(message));
  });

  it('that the solution does not meet has its task refused', async () => {
    const solution = { calls: [{ tool: 'work', arguments: { text: 'slept' } }] };
    await expect(playTask(badTask('well', { solution }).file, [])).rejects.toEqual(
      failed(/solution: it meets 0 of 1 demands of the check/),
    );
  });
});

describe('a task file', () => {
  const text = (change: object, server: object = { builtIn: 'desk' }): object => ({
    server,
    tasks: [{ id: 'a', goal: 'g', check: { answer: { equals: 'x' } }, ...change }],
  });
  const calls = (tool: string, given: object = {}): object => ({ calls: [{ tool, arguments: given }] });

  it.each<[string, unknown, RegExp]>([
    ['no YAML', 'a: [', /^read .*, line 1: it is no YAML/],
    ['a misspelt key', text({ chek: {} }), /, tasks\.0: it has no key "chek"; check the spelling/],
    ['a misspelt key of the server', text({}, { builtin: 'desk' }), /, server: it has no key "builtin"/],
    ['no server', text({}, {}), /, server: give builtIn, or else command, url or both/],
    ['a check without demands', text({ check: {} }), /, tasks\.0\.check: give answer, calls or files/],
    [
      'a check of nothing',
      text({ check: calls('show_all') }),
      /check\.calls\.0: give one of equals, contains, lacks, like/,
    ],
    [
      'two tasks with one id',
      { ...text({}), tasks: [1, 2].map(() => (text({}) as { tasks: unknown[] }).tasks[0]) },
      /task "a": an earlier task has this id/,
    ],
    [
      'an unknown tool',
      text({ tools: ['get_valu'] }),
      /^task "a" of .*: tools: the server has no tool "get_valu"; it has list_todos, /,
    ],
    [
      'an unknown tool of the setup',
      text({ setup: calls('nothing') }),
      /setup\.calls: the server has no tool "nothing"/,
    ],
    [
      'a misspelt argument',
      text({ setup: calls('get_value', { kee: 'a' }) }),
      /setup\.calls: get_value needs key/,
    ],
    [
      'one argument too many',
      text({ setup: calls('get_value', { key: 'a', kind: 'b' }) }),
      /setup\.calls: get_value has no argument kind; it has key/,
    ],
    [
      'an argument of another type',
      text({ setup: calls('finish_todo', { id: 'one' }) }),
      /setup\.calls: id of finish_todo is of type integer/,
    ],
    [
      'a setup that fails',
      text({ setup: calls('get_value', { key: 'a' }) }),
      /setup\.calls: get_value answered an error: there is no key a/,
    ],
    [
      'a solution with other tools',
      text({ tools: ['list_keys'], solution: calls('list_todos') }),
      /solution\.calls: "list_todos" is not among its tools/,
    ],
    [
      'files without a folder',
      text({ setup: { files: { 'a.txt': '' } } }),
      /files need a server with a command/,
    ],
    ...['../a.txt', '/files/../a.txt', '/etc/passwd', '/files/', '/filesystem/a.txt'].flatMap(
      (path): [string, unknown, RegExp][] => [
        [
          `the file ${path}, which is not in the folder, at its start`,
          text({ setup: { files: { [path]: '' } } }, { command: 'no-such-program' }),
          /, tasks\.0\.setup\.files: the path ".*" leads out of the folder, or is .*; name a file in it/,
        ],
        [
          `the file ${path}, which is not in the folder, in its check`,
          text({ check: { files: [{ path, exists: false }] } }, { command: 'no-such-program' }),
          /, tasks\.0\.check\.files\.0\.path: the path ".*" leads out of the folder, or is .*; name a file in it/,
        ],
      ],
    ),
    [
      'a variable that is not set',
      text({}, { command: 'x', environmentFrom: ['NO_SUCH_VARIABLE_HERE'] }),
      /the variable NO_SUCH_VARIABLE_HERE is not set/,
    ],
    [
      'aliases without end',
      `a: &a [x,x,x,x,x,x,x,x,x,x]\nb: &b [*a,*a,*a,*a,*a,*a,*a,*a,*a,*a]\nc: &c [*b,*b,*b,*b,*b,*b,*b,*b,*b,*b]\nd: [*c,*c,*c,*c,*c,*c,*c,*c,*c,*c]`,
      /it cannot be read/,
    ],
  ])('with %s is refused', async (_name, value, message) => {
    await expect(playTask(writeTasks(value), [])).rejects.toEqual(
      expect.objectContaining({ message: expect.stringMatching(message) as string }),
    );
  });

  it('that is not there is refused', async () => {
    await expect(playTask(join(folder, 'none.yaml'), [])).rejects.toEqual(failed(/there is no such file/));
  });
});

describe('processes', () => {
  it.each(['stays', 'child'])('of a server that %s end with its episode', async (mode) => {
    const { file, log } = badTask(mode);
    await playTask(file, [work, 'finish()']);
    const pids = pidsOf(log);
    expect(pids.length).toBeGreaterThanOrEqual(2);
    await expect.poll(() => pids.filter(isAlive)).toEqual([]);
  });

  it('end when an episode is closed while its server starts', async () => {
    const { file, log } = badTask('mute');
    const instance = createOver(file);
    const reset = Promise.resolve(instance.reset({ state: 0, noise: 0 })).catch((error: unknown) => error);
    await expect.poll(() => pidsOf(log).length).toBe(1);
    await instance.close?.();
    expect(await reset).toBeInstanceOf(Error);
    await expect.poll(() => pidsOf(log).filter(isAlive)).toEqual([]);
    expect(processesInUse()).toBe(0);
  });

  // the folder of a process is read from /proc
  it.skipIf(process.platform !== 'linux').each(['SIGKILL', 'SIGTERM'] as const)(
    'end with the process that started them, by %s: servers, what they started, and folders',
    async (signal) => {
      const { file, log } = badTask('child');
      const run = spawn(process.execPath, [programOf('run-episode.mjs'), file], {
        stdio: ['ignore', 'pipe', 'inherit'],
      });
      await new Promise((resolve) => run.stdout.once('data', resolve));
      // the trial of the task has ended, the episode's server and its child run
      const living = pidsOf(log).filter(isAlive);
      expect(living).toHaveLength(2);
      const [server = 0] = living;
      const place = readlinkSync(`/proc/${server}/cwd`);
      expect(existsSync(place)).toBe(true);
      run.kill(signal);
      await expect.poll(() => living.filter(isAlive)).toEqual([]);
      await expect.poll(() => existsSync(place)).toBe(false);
    },
  );

  it('give their slot back where the folder cannot be removed', async () => {
    const instance = createOver(badTask('well').file);
    await instance.reset({ state: 0, noise: 0 });
    const close = vi.spyOn(Workspace.prototype, 'close').mockImplementationOnce(() => {
      throw new Error('the folder is in use');
    });
    await expect(instance.close?.()).rejects.toThrow('the folder is in use');
    close.mockRestore();
    expect(processesInUse()).toBe(0);
  });

  it('are bounded: the next episode waits', async () => {
    const { file } = badTask('well');
    let most = 0;
    const play = async (): Promise<void> => {
      const instance = createOver(file, { servers: 2 });
      await instance.reset({ state: 0, noise: 0 });
      most = Math.max(most, processesInUse());
      await instance.step(work);
      await instance.close?.();
    };
    await Promise.all(Array.from({ length: 6 }, play));
    expect([most, processesInUse()]).toEqual([2, 0]);
  });
});
