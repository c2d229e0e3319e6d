/** @file Sends REST requests and validates each response against the OpenAPI document; imports a small run to query. */
import { gzipSync } from 'node:zlib';
import { encodeTrajectory } from '@espalier/recorder';
import { expect } from 'vitest';
import { listFlaws } from './check-schema.js';
import { sha256Of, uploadHeaders } from './held-attempt.js';
import { sproutSpec } from './sprout.js';
import type { TestServer } from './start-server.js';
import { wholeTrajectory } from './whole-trajectory.js';
import { metricsEvent, trajectoryEvent } from './events.js';

type Body = Readonly<Record<string, unknown>>;
type Place = Readonly<Record<string, string>>;

export interface Checked {
  /** operations with a documented response, such as `get /api/v1/runs` */
  readonly done: ReadonlySet<string>;
  /** @param path as in the description, with `{names}` that `place` fills */
  get(path: string, place?: Place, query?: string, status?: number, key?: string): Promise<Body>;
  send(
    method: string,
    path: string,
    place: Place,
    body?: unknown,
    status?: number,
    key?: string,
    headers?: Place,
  ): Promise<Body>;
}

interface Described {
  readonly paths: Record<string, Record<string, { responses: Record<string, { content?: Body }> }>>;
  readonly components: { readonly schemas: Body };
}

/** @param document the description, from /docs/json */
export function checkAnswers({ url, adminKey }: TestServer, document: Body): Checked {
  const { paths, components } = document as unknown as Described;
  const done = new Set<string>();
  const ask = async (
    method: string,
    path: string,
    place: Place,
    query: string,
    status: number,
    init: RequestInit,
  ): Promise<Body> => {
    const filled = path.replace(/\{(\w+)\}/g, (_whole, name: string) => place[name] ?? '');
    const response = await fetch(`${url}${filled}${query === '' ? '' : `?${query}`}`, {
      ...init,
      method: method.toUpperCase(),
    });
    const type = response.headers.get('content-type')?.split(';')[0] ?? '';
    const told: unknown = type === 'application/json' ? await response.json() : await response.text();
    const operation = `${method} ${path}`;
    const described = paths[path]?.[method]?.responses[String(response.status)];
    const content = described?.content?.[type] as { schema: Body } | undefined;
    const flaws =
      content === undefined
        ? [`${response.status} as ${type} is not described: ${JSON.stringify(told).slice(0, 500)}`]
        : listFlaws(told, content.schema, components.schemas);
    expect([operation, response.status, flaws.slice(0, 5)]).toEqual([operation, status, []]);
    if (status < 300) done.add(operation);
    return told as Body;
  };
  return {
    done,
    get: (path, place = {}, query = '', status = 200, key = adminKey) =>
      ask('get', path, place, query, status, { headers: { authorization: `Bearer ${key}` } }),
    send(method, path, place, body, status = 200, key = adminKey, headers = {}) {
      const isBytes = body instanceof Uint8Array;
      return ask(method, path, place, '', status, {
        headers: {
          authorization: `Bearer ${key}`,
          ...(body === undefined || isBytes ? {} : { 'content-type': 'application/json' }),
          ...headers,
        },
        ...(body === undefined ? {} : { body: isBytes ? (body as never) : JSON.stringify(body) }),
      });
    },
  };
}

/** Imports a run with a metric, a trajectory, a warning and a checkpoint, step by step; gives its id. */
export async function importSmallRun({ send }: Checked): Promise<string> {
  const spec = sproutSpec('', { model: { use: 'seedling' } });
  const fingerprint = 'ab'.repeat(32);
  const begin = (status: number): Promise<Body> =>
    send('post', '/api/v1/runs/import', {}, { spec, fingerprint }, status);
  const handle = await begin(201);
  await begin(200);
  const place = { id: String(handle['runId']) };
  const warning = { kind: 'warning', time: 3, step: 7, code: 'health.x', message: 'careful' };
  const told = [trajectoryEvent(7, 0), metricsEvent(7, { 'a/b': 1, 'c/d': null }), warning];
  const events = told.map((event, index) => ({ sequence: index + 1, event }));
  await send('post', '/api/v1/runs/{id}/import/events', place, { attempt: 1, events });
  const line = encodeTrajectory(wholeTrajectory('train/7/0/0'), { kept: true });
  const files: readonly (readonly [string, Buffer])[] = [
    ['checkpoints/step-000007/manifest.json', Buffer.from('{}')],
    ['spec.json', Buffer.from(JSON.stringify(spec))],
    ['trajectories/step-000007.jsonl.gz', gzipSync(`${line}\n`)],
  ];
  const holder = { attemptId: String(handle['attemptId']), token: Number(handle['token']) };
  for (const [path, bytes] of files)
    await send(
      ...(['put', '/api/v1/runs/{id}/artifacts/{path}', { ...place, path }, bytes, 200, undefined] as const),
      uploadHeaders(holder, sha256Of(bytes)),
    );
  const lines = files.map(([path, bytes]) => `${sha256Of(bytes)}  ${path}\n`).join('');
  const bytes = files.reduce((sum, [, content]) => sum + content.length, 0);
  const whole = { count: files.length, bytes, sha256: sha256Of(lines) };
  const end = { state: 'finished', events: [events.length], files: whole };
  await send('post', '/api/v1/runs/{id}/import/end', place, { ...end, events: [9] }, 409);
  await send('post', '/api/v1/runs/{id}/import/end', place, end);
  return place.id;
}
