/** @file A server that misbehaves: it passes requests on to a good one, and does something else with chosen answers. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface PassedAnswer {
  readonly status: number;
  readonly type: string;
  readonly body: Buffer;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface Asked {
  /** below /api/v1 */
  readonly path: string;
  /** how many requests of this path came before */
  readonly count: number;
  readonly body: Buffer;
  /** gives the request to the good server */
  pass(): Promise<PassedAnswer>;
}

/** Answers a request; `drop` closes the connection without an answer. */
export type Misbehaviour = (asked: Asked) => Promise<PassedAnswer | 'drop'> | PassedAnswer | 'drop';

export const json = (
  value: unknown,
  status = 200,
  headers: Readonly<Record<string, string>> = {},
): PassedAnswer => ({
  status,
  type: 'application/json',
  body: Buffer.from(JSON.stringify(value)),
  headers,
});

/** Starts one in front of a good server. */
export async function startMisbehaving(good: string, misbehave: Misbehaviour) {
  const counts = new Map<string, number>();
  const server = createServer((request, response) => {
    const parts: Buffer[] = [];
    request.on('data', (part: Buffer) => parts.push(part));
    request.on('end', () => {
      const body = Buffer.concat(parts);
      const path = (request.url ?? '').replace('/api/v1/', '');
      const count = counts.get(path) ?? 0;
      counts.set(path, count + 1);
      const pass = async (): Promise<PassedAnswer> => {
        const answer = await fetch(`${good}${request.url}`, {
          method: request.method ?? 'GET',
          headers: Object.entries(request.headers).flatMap(([name, value]) =>
            ['content-type', 'accept', 'x-api-key'].includes(name)
              ? [[name, String(value)] as [string, string]]
              : [],
          ),
          ...(request.method === 'POST' ? { body } : {}),
        });
        const type = answer.headers.get('content-type') ?? '';
        return { status: answer.status, type, body: Buffer.from(await answer.arrayBuffer()) };
      };
      void Promise.resolve(misbehave({ path, count, body, pass })).then((answer) => {
        if (answer === 'drop') return request.socket.destroy();
        response
          .writeHead(answer.status, { ...answer.headers, 'content-type': answer.type })
          .end(answer.body);
      });
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    /** requests of a path so far */
    countOf: (path: string): number => counts.get(path) ?? 0,
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
