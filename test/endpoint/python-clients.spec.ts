/**
 * Clients in Python: that of OpenAI, and a graph of LangGraph. `npm run check:peers -- --only openai` installs them and names
 * their interpreter in OPENAI_PYTHON; without it the test is skipped, as Python is no part of this project.
 */
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Trajectory } from '@espalier/contracts';
import { decodeTrajectory } from '@espalier/recorder';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openTinyEndpoint, type TinyEndpoint } from './open-tiny-endpoint.js';

const python = process.env['OPENAI_PYTHON'] ?? '';

interface Seen {
  readonly text: string;
  readonly logprobs: readonly number[];
  readonly tokens: readonly number[];
  readonly streamed: readonly [string, string, number];
  readonly responses: readonly unknown[];
  readonly models: readonly string[];
  readonly refused: string;
  readonly said: readonly string[];
}

describe.skipIf(!existsSync(python))('clients in Python (npm run check:peers -- --only openai)', () => {
  let endpoint: TinyEndpoint;
  let seen: Seen;
  beforeAll(async () => {
    endpoint = await openTinyEndpoint();
    const words = [join(import.meta.dirname, 'check_clients.py'), endpoint.url];
    const { stdout } = await promisify(execFile)(python, words);
    seen = JSON.parse(stdout) as Seen;
  }, 120_000);
  afterAll(() => endpoint?.close());

  it('get text, log-probabilities, token ids and numbers of tokens, streamed or not', () => {
    const { logprobs, tokens, streamed } = seen;
    expect(logprobs.every((value) => value < 0)).toBe(true);
    expect(tokens).toEqual([logprobs.length, logprobs.length]);
    expect(streamed[0]).toBe(streamed[1]);
    expect(streamed[2]).toBeGreaterThan(0);
  });

  it('continue a response, list the model, and are told what is not done', () => {
    expect(seen.responses).toEqual([expect.stringMatching(/^(completed|incomplete)$/), true]);
    expect(seen.models).toEqual(['tiny']);
    expect(seen.refused).toBe('endpoint.invalid_request');
  });

  const captured = async (session: string): Promise<Trajectory> => {
    const answer = await fetch(`${endpoint.url}/sessions/${session}/trajectory`);
    return decodeTrajectory(await answer.text());
  };

  it('have a session that is one conversation, with what was sampled', async () => {
    const { turns, windows, logprobs } = await captured('python');
    expect([turns.length, windows]).toEqual([2, undefined]);
    expect(turns[0]?.response).toBe(seen.text);
    const { start = 0, end = 0 } = turns[0]?.sampled ?? {};
    const sampled = [...logprobs.slice(start, end)];
    expect(sampled).toHaveLength(seen.logprobs.length);
    sampled.forEach((value, at) => expect(value).toBeCloseTo(seen.logprobs[at] ?? Number.NaN, 5));
  });

  it('give a graph of LangGraph a turn for each of its calls', async () => {
    const { turns, windows } = await captured('graph');
    expect([turns.length, windows]).toEqual([3, undefined]);
    expect(turns.map(({ response }) => response)).toEqual(seen.said);
  });
});
