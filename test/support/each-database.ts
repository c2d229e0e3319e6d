/** @file Runs the same tests with the server, or parts of it, on SQLite and on PostgreSQL. */
import { DataSource } from 'typeorm';
import { afterAll, beforeAll, describe } from 'vitest';
import { type PostgresService, startPostgres } from '@espalier/testing';
import { describeWith } from './service.js';
import { startTestServer, type TestServer } from './start-server.js';

type Define = (server: () => TestServer) => void;
type Settings = Parameters<typeof startTestServer>[0];

/** Describes tests of what no database decides, with a server; `server` returns that of the current test. */
export function describeOnSqlite(name: string, define: Define, settings: Settings = {}): void {
  describe(`${name}, on SQLite`, () => {
    let server: TestServer;
    beforeAll(async () => {
      server = await startTestServer(settings);
    });
    afterAll(async () => server.close());
    define(() => server);
  });
}

/** Describes tests for both databases; `server` returns the server of the current test. */
export function describeOnEach(name: string, define: Define, settings: Settings = {}): void {
  describeOnSqlite(name, define, settings);
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

/** Settings for an empty database; a new one at each call. */
export type OpenDatabase = () => Promise<{ database?: { kind: 'postgres'; url: string } }>;

/**
 * Describes tests for both databases that open databases of their own, without a server. What PostgreSQL says is stored
 * it may lose when the machine does: nothing here is about that, and thousands of writes would wait for the disk.
 */
export function describePartsOnEach(
  name: string,
  define: (open: OpenDatabase, kind: 'sqlite' | 'postgres') => void,
): void {
  describe(`${name}, on SQLite`, () => define(() => Promise.resolve({}), 'sqlite'));
  describeWith(['postgres'], `${name}, on PostgreSQL`, () => {
    let postgres: PostgresService;
    let made = 0;
    beforeAll(async () => {
      postgres = await startPostgres();
    }, 60_000);
    afterAll(async () => postgres.stop());
    const open: OpenDatabase = async () => {
      const database = `parts_${++made}`;
      const source = await new DataSource({ type: 'postgres', url: postgres.url }).initialize();
      await source.query(`CREATE DATABASE ${database}`);
      await source.query(`ALTER DATABASE ${database} SET synchronous_commit TO off`);
      await source.destroy();
      return { database: { kind: 'postgres', url: postgres.url.replace(/[^/]*$/, database) } };
    };
    define(open, 'postgres');
  });
}
