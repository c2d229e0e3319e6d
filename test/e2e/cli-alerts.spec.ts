/** @file `espalier alerts` against a real server: listed, narrowed, acknowledged and given to somebody. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { callCli } from '../support/call-cli.js';
import { writeRatedRun } from '../support/rated-run.js';
import type { CliResult } from '../support/run-cli.js';
import { startTestServer, type TestServer } from '../support/start-server.js';

interface Listed {
  readonly id: string;
  readonly runId: string;
  readonly assignee: string | null;
  readonly acknowledgedBy: string | null;
}

describe('espalier alerts', () => {
  let server: TestServer;
  const runIds: string[] = [];
  let keys: Readonly<Record<'ann' | 'far' | 'vic', string>>;
  beforeAll(async () => {
    server = await startTestServer();
    for (let i = 0; i < 3; i++) runIds.push((await writeRatedRun(server)).runId);
    keys = {
      ann: await server.createKey({ name: 'ann', role: 'operator', projects: ['default'] }),
      far: await server.createKey({ name: 'far', role: 'operator', projects: ['elsewhere'] }),
      vic: await server.createKey({ name: 'vic', role: 'viewer', projects: ['default'] }),
    };
  }, 120_000);
  afterAll(() => server.close());
  const as = (key: keyof typeof keys, ...words: string[]): Promise<CliResult> =>
    callCli(['alerts', ...words, '--server', server.url, '--key', keys[key]]);
  const listed = async (...words: string[]): Promise<Listed[]> => {
    const { code, stdout, stderr } = await as('ann', ...words, '--json');
    expect([code, stderr]).toEqual([0, '']);
    return stdout
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line) as Listed);
  };
  const idOf = async (run: number): Promise<string> =>
    (await listed('--run', runIds[run] ?? ''))[0]?.id ?? '';

  it('are listed newest first, as a table and as objects', async () => {
    const { code, stdout } = await as('ann');
    const [head, ...lines] = stdout.trimEnd().split('\n');
    expect([code, head]).toEqual([0, expect.stringMatching(/^ALERT +RUN +STEP +AGE +ASSIGNEE +FOUND$/)]);
    expect(lines).toHaveLength(3);
    for (const line of lines)
      expect(line).toMatch(
        /^alert-\S+ {2}fading {2}8 .* – {9}warning: entropy-fall: entropy is 0\.41, was 1\.17$/,
      );
    expect((await listed('list', '--limit', '2')).map(({ runId }) => runId)).toHaveLength(2);
    expect((await as('ann', '--limit', '2')).stderr).toContain('more: --limit 10');
    expect((await as('far')).stderr).toContain('no alerts');
  });

  it('are narrowed by run, rule and severity', async () => {
    expect((await listed('--run', runIds[1] ?? '')).map(({ runId }) => runId)).toEqual([runIds[1]]);
    expect(await listed('--rule', 'entropy-fall', '--severity', 'warning')).toHaveLength(3);
    expect(await listed('--rule', 'entropy-rise')).toEqual([]);
    expect((await as('ann', '--rule', 'entropy-rise')).stderr).toMatch(
      /no such alerts; `.+ alerts` shows all/,
    );
    const unknown = await as('ann', '--rule', 'entropy');
    expect([unknown.code, unknown.stderr]).toEqual([2, expect.stringContaining('entropy-fall')]);
  });

  it('are given to a key by its name, and to nobody', async () => {
    const ids = [await idOf(0), await idOf(1)];
    const { code, stdout } = await as('ann', 'assign', ...ids, 'ann');
    expect([code, stdout.match(/assigned to ann/g)]).toEqual([0, ['assigned to ann', 'assigned to ann']]);
    expect((await listed('--assignee', 'ann')).map(({ id }) => id).toSorted()).toEqual(ids.toSorted());
    expect((await listed('--nobody')).map(({ runId }) => runId)).toEqual([runIds[2]]);
    expect((await as('ann', '--assignee', 'ann')).stdout).toContain('  ann  ');
    await as('ann', 'assign', ids[1] ?? '', '--nobody');
    expect((await listed('--assignee', 'ann')).map(({ id }) => id)).toEqual([ids[0]]);
  });

  it('are acknowledged by the beginning of an id, and open no longer', async () => {
    const [first, second] = [await idOf(0), await idOf(1)];
    const { code, stdout } = await as('ann', 'ack', first.slice('alert-'.length), second);
    expect([code, stdout.match(/acknowledged/g)?.length]).toEqual([0, 2]);
    expect((await listed('--open')).map(({ runId }) => runId)).toEqual([runIds[2]]);
    expect((await listed('--run', runIds[0] ?? ''))[0]?.acknowledgedBy).toBe('ann');
    expect((await as('ann')).stdout).toContain('[acknowledged by ann] entropy-fall');
  });

  it('say what to do where it cannot be done', async () => {
    const id = await idOf(2);
    const refusals: readonly (readonly [
      who: keyof typeof keys,
      words: string[],
      code: number,
      says: string,
    ])[] = [
      ['ann', ['ack', id, 'alert-none'], 2, 'none of the 3 newest alerts has an id that begins so'],
      ['ann', ['ack', 'alert-'], 2, '3 alerts match'],
      ['ann', ['assign', id], 2, 'alerts assign ALERT… NAME`'],
      ['ann', ['assign', id, 'eve'], 2, 'no operator or admin key of this name may act in project default'],
      ['ann', ['assign', id, 'far'], 2, 'expected one of '],
      ['far', ['ack', id], 2, 'none of the 0 newest alerts'],
      ['vic', ['ack', id], 77, 'operator'],
      ['ann', ['--nobody', '--assignee', 'ann'], 2, '--assignee'],
    ];
    for (const [who, words, code, says] of refusals) {
      const result = await as(who, ...words);
      expect([words, result.code, result.stderr]).toEqual([words, code, expect.stringContaining(says)]);
    }
    // nothing of it was done
    expect(await listed('--open', '--nobody')).toMatchObject([{ id }]);
  });
});
