import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ChatMessage, PolicyEngine } from '@espalier/contracts';
import { createEmbeddedEngine } from '@espalier/engine';
import { loadTokenizer } from '@espalier/model';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { writeTinyModel } from '../../../../test/support/tiny-model.js';
import { createConversation } from './conversation.js';

let folder = '';
let engine: PolicyEngine;
beforeAll(async () => {
  folder = writeTinyModel(mkdtempSync(join(tmpdir(), 'conversation-')));
  engine = await createEmbeddedEngine({ folder, threads: 1 });
});
afterAll(async () => {
  await engine.dispose();
  rmSync(folder, { recursive: true });
});

const open = (seed: number) =>
  createConversation(engine, loadTokenizer(folder), {
    seed,
    params: { temperature: 1, topP: 1, topK: 0, maxTokens: 24 },
  });

describe('a conversation', () => {
  it('shows a reply in pieces that add up to it', async () => {
    const pieces: string[] = [];
    const reply = await open(3).reply([{ role: 'user', content: 'hello' }], (piece) => pieces.push(piece));
    expect(pieces.length).toBeGreaterThan(1);
    expect(pieces.join('')).toBe(reply);
  });

  it.each([1, 2, 3, 4, 5])('goes on after a reply that was stopped at piece %i', async (stopAt) => {
    const conversation = open(stopAt);
    const messages: ChatMessage[] = [{ role: 'user', content: 'hello' }];
    const abort = new AbortController();
    let shown = 0;
    const stopped = await conversation.reply(
      messages,
      () => ++shown === stopAt && setImmediate(() => abort.abort()),
      abort.signal,
    );
    messages.push({ role: 'assistant', content: stopped }, { role: 'user', content: 'again' });
    expect((await conversation.reply(messages, () => undefined)).length).toBeGreaterThan(0);
  });

  it('may be longer than a call may have arguments', async () => {
    const tokenizer = loadTokenizer(folder);
    const lengths: number[] = [];
    const sample: PolicyEngine['policy']['sample'] = ({ tokens }) => {
      lengths.push(tokens.length);
      return Promise.resolve({ ...sampled, tokens: Int32Array.of(tokenizer.endOfTurn) });
    };
    const sampled = await engine.policy.sample({
      sequence: 'one',
      tokens: Int32Array.of(0),
      params: { temperature: 0, topP: 1, topK: 0, maxTokens: 1, stopTokens: [], stopSequences: [] },
      seed: 0,
    });
    const long: PolicyEngine = {
      ...engine,
      description: { ...engine.description, contextLength: 2 ** 20 },
      policy: { ...engine.policy, sample },
    };
    const params = { temperature: 1, topP: 1, topK: 0, maxTokens: 1 };
    const content = 'x y z '.repeat(50_000);
    await createConversation(long, tokenizer, { seed: 0, params }).reply(
      [{ role: 'user', content }],
      () => undefined,
    );
    expect(lengths).toEqual([expect.any(Number)]);
    expect(lengths[0]).toBeGreaterThan(200_000);
  });

  it('that fills the context is refused', async () => {
    const content = 'x y z '.repeat(400);
    await expect(open(0).reply([{ role: 'user', content }], () => undefined)).rejects.toMatchObject({
      code: 'engine.context_exceeded',
    });
  });
});
