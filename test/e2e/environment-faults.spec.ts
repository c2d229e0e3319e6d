/** @file Runs whose MCP server dies or whose database is damaged: said whose fault it is, and gone on with once it is mended. */
import { existsSync, mkdtempSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { gunzipSync } from 'node:zlib';
import { hashFile } from '@espalier/files';
import { removeFolder } from '@espalier/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { afterCheckpoint, lastingRows } from '../support/lasting.js';
import { type CliOptions, runCli } from '../support/run-cli.js';
import { writeTinyModel } from '../support/tiny-model.js';

const root = fileURLToPath(new URL('../..', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'espalier-environment-faults-'));
beforeAll(() => writeTinyModel(join(folder, 'model'), { contextLength: 4096 }));
afterAll(() => removeFolder(folder));

const train = (name: string, more: readonly string[] = [], options: CliOptions = {}) =>
  runCli(['train', `${name}.yaml`, '--json', ...more], { cwd: folder, ...options });

function writeRun(name: string, environment: object): void {
  const spec = {
    environment,
    algorithm: { use: 'grpo' },
    model: { path: './model' },
    steps: 4,
    rollout: { promptsPerStep: 2, groupSize: 2, maxResponseTokens: 8, maxTurns: 2, maxActions: 2 },
    validation: { every: 0, atStart: false, atEnd: false },
    checkpoint: { every: 1, keep: 9 },
    device: { threads: 1 },
  };
  // YAML holds JSON
  writeFileSync(join(folder, `${name}.yaml`), JSON.stringify(spec));
}

/** Weights and rows at the end of a run, without what the clock says. */
function lastingOf(out: string) {
  const rows = lastingRows(join(folder, out));
  const weights = hashFile(join(folder, out, 'checkpoints/step-000004/policy/model.safetensors'));
  expect(rows.at(-1)!.step).toBe(4);
  return { weights, rows };
}

describe('a run over an MCP server', () => {
  it('that begins to die stops with its last words, and goes on when the server is mended', async () => {
    const broken = join(folder, 'broken');
    const program = join(root, 'plugins/environments/mcp/src/testing/bad-server.mjs');
    const clerk = join(folder, 'clerk.mjs');
    writeFileSync(
      clerk,
      [
        "import { existsSync } from 'node:fs';",
        `process.argv[2] = existsSync(${JSON.stringify(broken)}) ? 'dies' : 'well';`,
        `await import(${JSON.stringify(pathToFileURL(program).href)});`,
      ].join('\n'),
    );
    const files = ['train', 'validation', 'test'].map((split) => {
      const tasks = ['a', 'b'].map((id) => ({
        id,
        goal: `Work for ${split} ${id}.`,
        setup: { calls: [{ tool: 'work', arguments: { text: `${split} ${id}` } }] },
        check: { calls: [{ tool: 'show', contains: 'worked' }] },
      }));
      const server = { name: 'clerk', command: process.execPath, args: [clerk] };
      writeFileSync(join(folder, `${split}.yaml`), JSON.stringify({ server, tasks }));
      return [split, [`./${split}.yaml`]] as const;
    });
    const tasks = { source: 'files', ...Object.fromEntries(files) };
    writeRun('mcp', { use: 'mcp', tasks, startTimeoutMs: 60_000, toolTimeoutMs: 60_000 });
    const whole = await train('mcp', ['--out', 'mcp-whole']);
    expect([whole.code, whole.stderr]).toEqual([0, '']);

    const stopped = await train('mcp', ['--out', 'mcp-cut'], {
      onOutput: afterCheckpoint(1, () => writeFileSync(broken, '')),
    });
    expect(stopped.stdout).toMatch(
      /"rollout\.too_many_errors".*MCP server \\"clerk\\" failed: its process ended with code 7; its last words: \\"out of paper\\"/,
    );
    expect(stopped.code).toBe(5);
    expect(existsSync(join(folder, 'mcp-cut/run.lock'))).toBe(false);
    rmSync(broken);
    const resumed = await train('mcp', ['--out', 'mcp-cut', '--resume']);
    expect([resumed.code, resumed.stderr]).toEqual([0, '']);
    expect(lastingOf('mcp-cut')).toEqual(lastingOf('mcp-whole'));
  }, 300_000);
});

describe('a run over a database', () => {
  it('that is damaged when it is resumed is refused, and goes on when the database is back', async () => {
    const database = join(folder, 'shop.sqlite');
    const content = gunzipSync(readFileSync(join(root, 'plugins/environments/sql/data/chinook.sqlite.gz')));
    writeFileSync(database, content);
    const rows = Array.from({ length: 20 }, (_, at) => ({
      question: `What is genre ${at + 1}?`,
      query: `SELECT Name FROM Genre WHERE GenreId = ${at + 1}`,
    }));
    writeFileSync(join(folder, 'tasks.jsonl'), rows.map((row) => JSON.stringify(row)).join('\n'));
    writeRun('sql', {
      use: 'sql',
      database: { source: 'files', database: './shop.sqlite', tasks: ['./tasks.jsonl'] },
    });
    const whole = await train('sql', ['--out', 'sql-whole']);
    expect([whole.code, whole.stderr]).toEqual([0, '']);

    const killed = await train('sql', ['--out', 'sql-cut'], {
      onOutput: afterCheckpoint(1, (kill) => kill('SIGKILL')),
    });
    expect(killed.code).toBe(null);
    truncateSync(database, content.length - 50_000);
    const refused = await train('sql', ['--out', 'sql-cut', '--resume']);
    expect(refused.stdout).toMatch(
      /"rollout\.too_many_errors".*read \.\/shop\.sqlite, opening it: cannot be read: SQLITE_CORRUPT.*restore it from a copy; the last good checkpoint is/,
    );
    expect(refused.code).toBe(5);
    writeFileSync(database, content);
    const resumed = await train('sql', ['--out', 'sql-cut', '--resume']);
    expect([resumed.code, resumed.stderr]).toEqual([0, '']);
    expect(lastingOf('sql-cut')).toEqual(lastingOf('sql-whole'));
  }, 300_000);
});
