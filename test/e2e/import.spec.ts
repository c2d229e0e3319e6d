import { execFileSync } from 'node:child_process';
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { joinRecorded } from '@espalier/endpoint';
import { loadTokenizer } from '@espalier/model';
import { readRecordedEvents, readTrajectories } from '@espalier/recorder';
import { goldenFolder, removeFolder } from '@espalier/testing';
import { afterAll, describe, expect, it } from 'vitest';
import { callCli } from '../support/call-cli.js';

const folder = mkdtempSync(join(tmpdir(), 'espalier-import-'));
afterAll(() => removeFolder(folder));
const golden = goldenFolder('verifiers');
for (const name of ['traces.jsonl', 'results.jsonl']) copyFileSync(join(golden, name), join(folder, name));

const call = async (...words: string[]) => callCli(words, { cwd: folder });
const stored = (run: string) => readTrajectories(join(folder, run, 'trajectories'), { step: 0 });
/** Prompts and replies as a person reads them. */
const saidIn = (run: string) =>
  stored(run).map(({ turns }) => turns.map(({ observation, response }) => [observation, response]));

describe('espalier import', () => {
  it('makes trajectories of the episodes of verifiers 0.4, branches and weights included', async () => {
    const { code, stdout } = await call('import', 'traces.jsonl', '--out', 'runs/traces', '--json');
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({
      episodes: 3,
      tasks: 2,
      successes: 1,
      knownLogprobs: 0,
      skipped: [],
    });
    const all = stored('runs/traces');
    expect(
      all.map(({ id, environment, stopReason, score }) => [id, environment, stopReason, score.total]),
    ).toEqual([
      ['validation/0/0/0', 'guess', 'success', 1],
      ['validation/0/0/1', 'guess', 'failure', 0],
      ['validation/0/1/0', 'guess', 'error', 1],
    ]);
    expect(all[0]?.score.rewards).toEqual({ right: { value: 0.5, weight: 2 } });
    expect(all[0]?.turns.at(-1)?.actions[0]?.metrics).toEqual({ turns: 2 });
    expect(all[2]?.error).toBe('ToolError: late');
    expect(saidIn('runs/traces')[0]).toEqual([
      ['Dragon or Phoenix?', 'Phoenix'],
      ['Once more.', '<think>\nIt is red.\n</think>\n\nPhoenix'],
      [expect.stringContaining('Dragon or Phoenix?'), 'None'],
    ]);
    // the third reply is of a conversation that began anew, and was cut off
    expect(all[0]?.windows?.map(({ firstTurn }) => firstTurn)).toEqual([0, 2]);
    expect(all[0]?.turns.map(({ sampleStop }) => sampleStop)).toEqual(['stop', 'stop', 'length']);
    for (const { tokens, turns, logprobs } of all)
      for (const { sampled } of turns) {
        expect(sampled.end).toBeLessThanOrEqual(tokens.length);
        expect(logprobs.subarray(sampled.start, sampled.end).every(Number.isNaN)).toBe(true);
      }
  });

  it('makes trajectories of rows of earlier versions, compressed ones too', async () => {
    writeFileSync(join(folder, 'results.jsonl.gz'), gzipSync(readFileSync(join(folder, 'results.jsonl'))));
    const words = ['--success-reward', '0.25'];
    const { code, stdout } = await call('import', 'results.jsonl.gz', '--out', 'runs/results', ...words);
    expect([code, stdout]).toEqual([
      0,
      expect.stringContaining('3 episodes of 3 tasks, 2 successes, mean reward 0.0833'),
    ]);
    expect(stored('runs/results').map(({ stopReason }) => stopReason)).toEqual([
      'success',
      'success',
      'error',
    ]);
    expect(saidIn('runs/results')).toEqual([
      [
        ['Dragon or Phoenix?', 'Dragon'],
        ['Once more.', 'Phoenix'],
      ],
      [
        ['What is on the page?', ''],
        ['A tree.', 'A tree.'],
      ],
      [['The bird is a', ' Phoenix']],
    ]);
    const shown = await call('show', 'runs/results', '--limit', '9');
    expect([shown.code, shown.stdout]).toEqual([0, expect.stringContaining("ValueError('late')")]);
  });

  it('writes a run that a server takes: its events in order', async () => {
    const events = [...readRecordedEvents(join(folder, 'runs/traces'))].map(
      ({ event }) => event as { kind: string },
    );
    expect(events.map(({ kind }) => kind)).toEqual([
      'run-started',
      'trajectory',
      'trajectory',
      'trajectory',
      'metrics',
      'run-ended',
    ]);
  });

  it('refuses lines that are broken, or names and skips them, and leaves nothing half-written', async () => {
    const [whole = ''] = readFileSync(join(folder, 'traces.jsonl'), 'utf8').split('\n');
    const loop = whole.replace('"parent":0', '"parent":9');
    writeFileSync(
      join(folder, 'bad.jsonl'),
      `${whole}\n{"prompt": 1\n\n{"a": 1}\n${loop}\n{"prompt": "p", "completion": "c", "reward": "1"}\n`,
    );
    const refused = await call('import', 'bad.jsonl', '--out', 'runs/bad');
    expect([refused.code, refused.stderr]).toEqual([
      3,
      expect.stringContaining('cli.invalid_record: import bad.jsonl: line 2: it is no JSON; mend it'),
    ]);
    expect(readdirSync(join(folder, 'runs')).sort()).toEqual(['results', 'traces']);
    const { code, stdout } = await call(
      'import',
      'bad.jsonl',
      '--out',
      'runs/bad',
      '--invalid',
      'skip',
      '--json',
    );
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({
      episodes: 1,
      skipped: [
        { line: 2, finding: 'it is no JSON' },
        { line: 4, finding: expect.stringContaining('neither') },
        { line: 5, finding: 'traces.0.nodes.1.parent: 9 is not before it' },
        { line: 6, finding: expect.stringContaining('reward: ') },
      ],
    });
    const again = await call('import', 'traces.jsonl', '--out', 'runs/bad');
    expect([again.code, again.stderr]).toEqual([3, expect.stringContaining('cli.run_exists')]);
    writeFileSync(join(folder, 'empty.jsonl'), '\n');
    expect((await call('import', 'empty.jsonl', '--out', 'runs/empty')).stderr).toContain('no episode');
  });
});

describe('a recorded reply', () => {
  const tokenizer = loadTokenizer('plugins/models/seedling/model');
  const rollout = {
    environment: 'e',
    split: 'validation',
    step: 0,
    group: 0,
    index: 0,
    seeds: { state: 0, noise: 0, sampling: 0 },
  } as const;
  const outcome = { stopReason: 'success', reward: 1, metrics: {}, totalMs: 0 } as const;
  const recordedAs = (sampled?: { ids: number[]; logprobs: number[] }) => {
    const one = {
      messages: [{ role: 'user', content: 'Dragon or Phoenix?' }],
      tools: [],
      reply: { role: 'assistant', content: 'Phoenix' },
      isCut: false,
      sampled,
    };
    const { tokens, logprobs, turns } = joinRecorded(tokenizer, [one], rollout, outcome);
    const { start, end } = turns[0]!.sampled;
    return {
      ids: [...tokens.subarray(start, end)],
      logprobs: [...logprobs.subarray(start, end)],
      turn: turns[0],
    };
  };

  it('keeps the log-probabilities of ids that are those of the tokenizer, and no others', () => {
    const { ids, logprobs: unknown, turn } = recordedAs();
    expect(tokenizer.decode(ids)).toContain('Phoenix');
    expect(turn).not.toHaveProperty('policyVersion');
    expect(unknown.every(Number.isNaN)).toBe(true);
    const logprobs = ids.map((_, at) => -0.5 * at);
    expect(recordedAs({ ids, logprobs }).logprobs).toEqual(logprobs);
    const others = ids.map((id) => id + 1);
    expect(recordedAs({ ids: others, logprobs }).logprobs.every(Number.isNaN)).toBe(true);
  });
});

/** `npm run check:peers -- --only verifiers` names one that has it; without it the golden files stand for the package. */
const python = process.env['VERIFIERS_PYTHON'] ?? '';

describe.skipIf(!existsSync(python))('verifiers itself (npm run check:peers -- --only verifiers)', () => {
  it('saves episodes that are read with its rewards and numbers of replies', async () => {
    const fresh = join(folder, 'fresh');
    mkdirSync(fresh);
    const said = execFileSync(python, [join(golden, 'make_traces.py'), fresh], { encoding: 'utf8' });
    expect((await call('import', 'fresh/traces.jsonl', '--out', 'runs/fresh')).code).toBe(0);
    const ours = stored('runs/fresh').map(({ score, turns }) => [score.total, turns.length]);
    expect(ours).toEqual(JSON.parse(said));
  });
});
