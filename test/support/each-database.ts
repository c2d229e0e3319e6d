/** @file Runs the same tests with the server on SQLite and on PostgreSQL. */
import { afterAll, beforeAll, describe } from 'vitest';
import { type PostgresService, startPostgres } from '@espalier/testing';
import { describeWith } from './service.js';
import { startTestServer, type TestServer } from './start-server.js';

/** Describes tests for both databases; `server` gives the one that runs while a test runs. */
export function describeOnEach(
  name: string,
  define: (server: () => TestServer) => void,
  settings: Parameters<typeof startTestServer>[0] = {},
): void {
  describe(`${name}, on SQLite`, () => {
    let server: TestServer;
    beforeAll(async () => {
      server = await startTestServer(settings);
    });
    afterAll(async () => server.close());
    define(() => server);
  });
  describeWith(['postgres'], `${name}, on PostgreSQL`, () => {
    let postgres: PostgresService;
    let server: TestServer;
    beforeAll(async () => {
      postgres = await startPostgres();
      server = await startTestServer({ ...settings, database: { kind: 'postgres', url: postgres.url } });
    }, 60_000);
    afterAll(async () => {
      await server.close();
      await postgres.stop();
    });
    define(() => server);
  });
}
