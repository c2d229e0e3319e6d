import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { connect, type Connection } from './server/connection.js';
import { statelessProtocol } from './server/protocol.js';
import { createOver, deskProgram, playTask, serverOf, writeTasks } from './testing/play.js';
import { startHttp, stopHttp } from './testing/start-http.js';

// a server gets half of the start for its answer in the newer protocol
const limits = { startMs: 60_000, callMs: 60_000, maxMessageBytes: 1_000_000 };
const base = {
  name: 'under test',
  args: [],
  environment: {},
  cwd: process.cwd(),
  headers: {},
  protocol: 'auto' as const,
};
const command = process.execPath;
const tasksFolder = fileURLToPath(new URL('../tasks', import.meta.url));
const open = (spec: object): Promise<Connection> =>
  connect({ ...base, ...spec }, limits, new AbortController().signal);

afterAll(stopHttp);

/** Sums up what a connection does with the desk. */
async function useDesk(connection: Connection): Promise<unknown[]> {
  const seen: unknown[] = [[...connection.tools.keys()].length];
  for (const [tool, given] of [
    ['set_value', { key: 'a', value: '1' }],
    ['get_value', { key: 'a' }],
    ['get_value', { key: 'b' }],
    ['nothing', {}],
  ] as const) {
    const { isError, content } = await connection.call(tool, given);
    seen.push([isError, (content[0] as { text: string }).text.slice(0, 20)]);
  }
  await connection.close();
  return seen;
}
const expected = (gone: unknown): unknown[] => [
  9,
  [false, 'ok'],
  [false, '1'],
  [true, 'there is no key b'],
  [true, gone],
];

describe('a connection', () => {
  it.each([
    ['auto', statelessProtocol],
    [statelessProtocol, statelessProtocol],
    ['handshake', '2025-11-25'],
  ])('over stdio asks for %s and speaks %s', async (protocol, version) => {
    const connection = await open({ command, args: [deskProgram], protocol });
    expect(connection.version).toBe(version);
    expect(await useDesk(connection)).toEqual(expected(expect.stringMatching(/nothing/)));
  });

  it.each([
    ['auto', statelessProtocol],
    [statelessProtocol, statelessProtocol],
    ['handshake', '2025-11-25'],
  ])('over streamable HTTP asks for %s and speaks %s', async (protocol, version) => {
    const connection = await open({ url: await startHttp('well'), protocol });
    expect(connection.version).toBe(version);
    expect(await useDesk(connection)).toEqual(expected(expect.stringMatching(/nothing/)));
  });

  it('in this process gives what one over stdio gives', async () => {
    expect(await useDesk(await open({ builtIn: 'desk' }))).toEqual(
      await useDesk(await open({ command, args: [deskProgram] })),
    );
  });

  it.each(['filesystem', 'memory', 'everything'])(
    'with server-%s of the registry speaks its version',
    async (name) => {
      const args = [serverOf(name), ...(name === 'filesystem' ? [tasksFolder] : [])];
      const connection = await open({ command, args });
      expect(connection.version).toBe('2025-11-25');
      expect(connection.tools.size).toBeGreaterThan(5);
      await connection.close();
    },
  );

  it('with a server that it starts and that listens on a port ends that server', async () => {
    const connection = await open({
      command,
      args: [serverOf('everything'), 'streamableHttp'],
      environment: { PORT: '{port}' },
      url: 'http://127.0.0.1:{port}/mcp',
    });
    const answer = await connection.call('get-sum', { a: 20, b: 22 });
    expect(answer).toMatchObject({
      isError: false,
      content: [{ text: expect.stringContaining('42') as string }],
    });
    const { structured } = await connection.call('get-structured-content', { location: 'Chicago' });
    expect(structured).toHaveProperty('conditions');
    await connection.close();
  });

  it('refuses a server that speaks another protocol than demanded', async () => {
    await expect(
      open({ command, args: [serverOf('memory')], protocol: statelessProtocol }),
    ).rejects.toMatchObject({
      code: 'plugin.failed',
      message: expect.stringMatching(/^connect: MCP server "under test" failed: /) as string,
    });
  });
});

describe('a server over HTTP that fails', () => {
  it.each([
    ['huge', /it sent an answer of more than 1000000 bytes/],
    ['garbage', /text\/html/],
    ['reset', /failed/],
  ])('by %s is named', async (mode, message) => {
    const connection = await open({ url: await startHttp(mode) });
    await expect(connection.call('get_value', { key: 'a' })).rejects.toMatchObject({
      code: 'plugin.failed',
      message: expect.stringMatching(message) as string,
    });
    await connection.close();
  });

  it('by wanting a person to log in is named', async () => {
    const url = await startHttp('oauth');
    for (const protocol of ['auto', 'handshake'])
      await expect(open({ url, protocol })).rejects.toMatchObject({
        message: expect.stringMatching(
          /^connect: MCP server "under test" failed: it wants a person to log in \(OAuth\)/,
        ) as string,
      });
  });

  it('by refusing a token does not show the token, and lets another in', async () => {
    const url = await startHttp('token');
    const error = await open({ url, headers: { authorization: 'Bearer wrong-secret' } }).catch(
      (e: unknown) => e as Error,
    );
    expect(error).toMatchObject({
      message: expect.stringMatching(/it refused access \(HTTP 403\)/) as string,
    });
    expect(String(error)).not.toContain('wrong-secret');
    const connection = await open({ url, headers: { authorization: 'Bearer secret-of-mine' } });
    await connection.close();
  });

  it('because nobody listens is named', async () => {
    await expect(open({ url: 'http://127.0.0.1:9/mcp' })).rejects.toMatchObject({ code: 'plugin.failed' });
  });
});

describe('the tasks that ship', () => {
  it.each(['desk', 'filesystem', 'memory'])(
    'for %s are solved by their solutions, several at once',
    async (name) => {
      const { tasks } = parse(readFileSync(join(tasksFolder, `${name}.yaml`), 'utf8')) as {
        tasks: { id: string; solution: { calls: unknown[] } }[];
      };
      const instances = tasks.map(() => createOver(join(tasksFolder, `${name}.yaml`), { servers: 3 }));
      const solved = await Promise.all(
        instances.map(async (instance, state) => {
          await instance.reset({ state, noise: 0 });
          const { task } = instance.facts!() as { task: string };
          let success = false;
          for (const action of instance.oracle!()) ({ success } = await instance.step(action));
          await instance.close?.();
          return [task, success];
        }),
      );
      expect(Object.fromEntries(solved)).toEqual(Object.fromEntries(tasks.map(({ id }) => [id, true])));
      for (const { solution } of tasks) expect(solution.calls.length).toBeGreaterThanOrEqual(2);
    },
  );
});

describe('files of a task', () => {
  it.each([
    ['as the agent knows them', '/files/'],
    ['from the folder', ''],
  ])('may be named %s', async (_how, before) => {
    const move = { source: '/files/old.txt', destination: '/files/new.txt' };
    const file = writeTasks({
      server: { command, args: [serverOf('filesystem'), '{folder}'] },
      tasks: [
        {
          id: 'move',
          goal: 'Rename /files/old.txt to /files/new.txt.',
          setup: { files: { [`${before}old.txt`]: 'the cat sat' } },
          check: {
            files: [
              { path: `${before}old.txt`, exists: false },
              { path: `${before}new.txt`, equals: 'the cat sat' },
            ],
          },
          solution: { calls: [{ tool: 'move_file', arguments: move }] },
        },
      ],
    });
    // the file is still where it was, and not yet where it has to be
    const { results: early } = await playTask(file, ['finish()']);
    expect(early).toMatchObject([{ success: false, metrics: { checks_met: 0 } }]);
    const { results } = await playTask(file, 'oracle');
    expect(results.at(-1)).toMatchObject({ success: true });
  });
});
