import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { call } from '../support/ask.js';
import { startTestServer, type TestServer } from '../support/start-server.js';

/** Holds the lock for writing until it is told to go on. */
const holder = `
const Database = require('libsql');
const database = new Database(process.argv[1]);
database.exec('BEGIN IMMEDIATE');
console.log('held');
process.stdin.once('data', () => { database.exec('COMMIT'); process.exit(0); });
`;

describe('a SQLite file that another process has locked', () => {
  let server: TestServer;
  beforeAll(async () => {
    server = await startTestServer();
  });
  afterAll(() => server.close());

  it('holds up writes until it is free, and nothing else', async () => {
    const file = join(server.options.data, 'database.sqlite');
    const other = spawn(process.execPath, ['-e', holder, file], { stdio: ['pipe', 'pipe', 'inherit'] });
    await once(other.stdout, 'data');
    const source = 'environment: { use: bandit }\nalgorithm: { use: grpo }\n';
    let made: Awaited<ReturnType<typeof call>> | undefined;
    const making = call(server.url, server.adminKey, 'POST', '/api/v1/runs', { source }).then(
      (answer) => (made = answer),
    );
    for (let look = 0; look < 10; look += 1) {
      await setTimeout(50);
      const answers = await Promise.all(
        ['live', 'ready'].map((name) => fetch(`${server.url}/health/${name}`)),
      );
      expect([...answers.map(({ status }) => status), made]).toEqual([200, 200, undefined]);
    }
    other.stdin.write('go on');
    expect((await making).status).toBe(201);
  });
});
