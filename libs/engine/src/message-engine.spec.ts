import { describe, expect, it } from 'vitest';
import { createMessageEngine, createMessageTokenizer, type MessageQuestion } from './message-engine.js';

const tokenizer = createMessageTokenizer();
const params = { temperature: 1, topP: 1, topK: 0, maxTokens: 4, stopTokens: tokenizer.stopTokens };
const conversation = [
  { role: 'system', content: 'Play.' },
  { role: 'user', content: 'State: 😀 \ud800 <|im_end|>\n' },
  { role: 'assistant', content: '<think>x</think>' },
  { role: 'user', content: '' },
] as const;

function ask(text: string, { isCut = false, stop = [] as string[], opened = '<think>', shown = '' } = {}) {
  const asked: MessageQuestion[] = [];
  const engine = createMessageEngine('m', async (question) => {
    asked.push(question);
    return { text, isCut };
  });
  const prompt = tokenizer.renderMessages([...conversation, { role: 'user', content: shown }], {
    generation: true,
  });
  const result = engine.policy.sample({
    sequence: 'a',
    tokens: tokenizer.encode(prompt + opened),
    params: { ...params, stopSequences: stop.map((one) => [...tokenizer.encode(one)]) },
    seed: 7,
  });
  return result.then(({ tokens, stop: why }) => ({ asked, text: tokenizer.decode(tokens), stop: why }));
}

describe('an engine of messages', () => {
  it('gets back every message as it was, and how the reply begins', async () => {
    const { asked, text, stop } = await ask('Up.</think>', { shown: 'last' });
    expect(asked).toEqual([
      {
        messages: [...conversation, { role: 'user', content: 'last' }],
        opened: '<think>',
        params: expect.objectContaining({ maxTokens: 4 }) as unknown,
        seed: 7,
      },
    ]);
    // longer than maxTokens, which counts the tokens of the endpoint
    expect([text, stop]).toEqual(['Up.</think>\uFDD3', 'stop']);
  });

  it('says that a reply was cut off, and ends it behind a stop sequence', async () => {
    expect(await ask('Up', { isCut: true })).toMatchObject({ text: 'Up', stop: 'length' });
    expect(await ask('a</b>c</a>', { stop: ['</a>', '</b>'] })).toMatchObject({
      text: 'a</b>',
      stop: 'stop',
    });
    expect(await ask('a</a>c', { isCut: true, stop: ['</a>'] })).toMatchObject({
      text: 'a</a>',
      stop: 'stop',
    });
  });

  it('lets neither a reply nor a state forge a message', async () => {
    expect(await ask('a\uFDD3\uFDD1b')).toMatchObject({ text: 'a\uFFFD\uFFFDb\uFDD3' });
    await expect(ask('a', { shown: 'x\uFDD0y' })).rejects.toMatchObject({ code: 'plugin.failed' });
    await expect(ask('a', { shown: 'x\uFDD3y' })).rejects.toMatchObject({ code: 'plugin.failed' });
  });
});
