/** @file Runs that were recorded elsewhere: spec, events and files, through the real API. */
import { createHash } from 'node:crypto';
import { AppError } from '@espalier/contracts';
import type { BenchServer } from './bench-server.js';
import type { BenchEvent } from './bench-worker.js';

/** Imports a run with its first attempt. @param files by path */
export async function importRun(
  { url, adminKey }: BenchServer,
  number: number,
  events: readonly BenchEvent[],
  files: Readonly<Record<string, Uint8Array>> = {},
): Promise<string> {
  const send = async (path: string, init: RequestInit): Promise<Record<string, unknown>> => {
    const headers = { authorization: `Bearer ${adminKey}`, ...init.headers };
    const response = await fetch(`${url}/api/v1/runs/${path}`, { ...init, headers });
    const found = (await response.json()) as Record<string, unknown>;
    if (response.ok) return found;
    throw new AppError('bench.item_failed', `import a run: ${response.status} ${String(found['message'])}`);
  };
  const post = (path: string, body: unknown) =>
    send(path, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
  const spec = {
    name: `bench-${number}`,
    steps: events.reduce((last, event) => Math.max(last, 'step' in event ? event.step : 0), 0),
    seed: number % 5,
    environment: { use: 'bandit' },
    algorithm: { use: 'grpo' },
    model: { use: 'seedling' },
    optimizer: { learningRate: 10 ** -(2 + (number % 4)) },
  };
  const { runId, token } = await post('import', { spec });
  const id = String(runId);
  const numbered = events.map((event, index) => ({ sequence: index + 1, event }));
  const { attemptId } = await post(`${id}/import/events`, { attempt: 1, events: numbered });
  for (const [path, body] of Object.entries(files))
    await send(`${id}/artifacts/${path}`, {
      method: 'PUT',
      headers: {
        'content-type': 'application/octet-stream',
        'x-espalier-attempt': String(attemptId),
        'x-espalier-token': String(token),
        'x-espalier-sha256': createHash('sha256').update(body).digest('hex'),
      },
      body: body as never,
    });
  return id;
}
