import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { call } from '../support/ask.js';
import { startTestServer, type TestServer } from '../support/start-server.js';

type Operation = { security?: object[]; responses: Record<string, object>; parameters: { name: string }[] };

describe('the description of REST', () => {
  let server: TestServer;
  let document: Record<string, unknown>;
  beforeAll(async () => {
    server = await startTestServer();
    document = (await call(server.url, undefined, 'GET', '/docs/json')).body;
  }, 60_000);
  afterAll(async () => server.close());

  it('asks for a key everywhere but at the health checks, and says how each operation refuses', () => {
    expect(document['security']).toEqual([{ bearer: [] }]);
    const paths = document['paths'] as Record<string, Record<string, Operation>>;
    for (const [path, methods] of Object.entries(paths))
      for (const { security, responses } of Object.values(methods)) {
        if (path.startsWith('/health/')) expect([path, security]).toEqual([path, []]);
        else
          expect(Object.keys(responses)).toEqual(
            expect.arrayContaining(['400', '401', '403', '404', '409', '429']),
          );
      }
  });

  it('names what lists of runs can be asked for', () => {
    const paths = document['paths'] as Record<string, { get: Operation }>;
    const names = paths['/api/v1/runs']?.get.parameters.map(({ name }) => name);
    expect(names).toEqual(
      expect.arrayContaining([
        'project',
        'state',
        'tag',
        'text',
        'parent',
        'from',
        'before',
        'first',
        'after',
      ]),
    );
  });
});
