import Anthropic from '@anthropic-ai/sdk';
import type { ScriptedQuestion } from '@espalier/engine';
import { createScriptedEngine } from '@espalier/engine';
import { type Endpoint, openEndpoint } from '@espalier/endpoint';
import { createTokenizer, trainTokenizer } from '@espalier/model';
import OpenAI from 'openai';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

/** In the manner of Qwen: tools in the system message, calls and answers as marked JSON. */
const template = `{%- if tools %}{{ '<|im_start|>system\\nTools:' }}{% for tool in tools %}{{ '\\n' + (tool | tojson) }}{% endfor %}{{ '<|im_end|>\\n' }}{% endif %}
{%- for message in messages %}
{%- if message.role == 'tool' %}{{ '<|im_start|>user\\n<tool_response>\\n' + message.content + '\\n</tool_response><|im_end|>\\n' }}
{%- else %}{{ '<|im_start|>' + message.role + '\\n' + message.content }}
{%- for call in message.tool_calls or [] %}{{ '\\n<tool_call>\\n' + ({'name': call.function.name, 'arguments': call.function.arguments} | tojson) + '\\n</tool_call>' }}{% endfor %}{{ '<|im_end|>\\n' }}
{%- endif %}{% endfor %}
{%- if add_generation_prompt %}{{ '<|im_start|>assistant\\n' }}{% endif %}`;

const files = trainTokenizer({
  corpus: ['Always output: tools'],
  phrases: [],
  vocabularySize: 300,
  contextLength: 4096,
});
const tokenizer = createTokenizer({ ...files, config: { ...files.config, chat_template: template } });
const weather = {
  name: 'weather',
  description: 'Tells the weather.',
  parameters: { type: 'object', properties: { city: { type: 'string' } } },
};
// JSON as a model may write it, other than the template would
const call = 'Let me see.\n<tool_call>{"name":"weather","arguments":{"city":"Ulm"}}</tool_call>';

let endpoint: Endpoint;
let openai: OpenAI;
let anthropic: Anthropic;
let says = call;
const asked: string[] = [];

beforeAll(async () => {
  const engine = createScriptedEngine({
    answer: ({ request }: ScriptedQuestion) => {
      asked.push(tokenizer.decode(request.tokens));
      return [...tokenizer.encode(says), tokenizer.endOfTurn];
    },
    vocabularySize: 300,
    contextLength: 4096,
  });
  endpoint = await openEndpoint({
    answering: { policy: engine.policy, tokenizer, contextLength: 4096, variables: {} },
    model: 'scripted',
    host: '127.0.0.1',
    port: 0,
    maxSessions: 10,
    idleTimeoutMs: 60_000,
    opensByCall: true,
    needsSession: false,
    admit: () => ({
      rollout: {
        environment: 'x',
        split: 'test',
        step: 0,
        group: 0,
        index: 0,
        seeds: { state: 0, noise: 0, sampling: 0 },
      },
    }),
  });
  openai = new OpenAI({ baseURL: `${endpoint.url}/v1`, apiKey: 'none', maxRetries: 0 });
  anthropic = new Anthropic({ baseURL: endpoint.url, apiKey: 'none', maxRetries: 0 });
});
afterAll(() => endpoint.close());

const question = { role: 'user' as const, content: 'Weather in Ulm?' };
const chatRequest = {
  model: 'x',
  messages: [question],
  tools: [{ type: 'function' as const, function: weather }],
};

describe('tools in /v1/chat/completions', () => {
  it('are rendered by the chat template, and calls are read back', async () => {
    says = call;
    const { choices } = await openai.chat.completions.create(chatRequest);
    expect(asked.at(-1)).toContain('Tools:\n{"type": "function", "function": {"name": "weather"');
    expect(choices[0]).toMatchObject({
      finish_reason: 'tool_calls',
      message: {
        content: 'Let me see.',
        tool_calls: [{ type: 'function', function: { name: 'weather', arguments: '{"city":"Ulm"}' } }],
      },
    });
  });

  it('are streamed as calls, and their markup is not shown', async () => {
    says = call;
    let text = '';
    const calls: unknown[] = [];
    for await (const { choices } of await openai.chat.completions.create({ ...chatRequest, stream: true })) {
      text += choices[0]?.delta.content ?? '';
      calls.push(...(choices[0]?.delta.tool_calls ?? []));
    }
    expect(text.trim()).toBe('Let me see.');
    expect(calls).toMatchObject([{ index: 0, function: { name: 'weather', arguments: '{"city":"Ulm"}' } }]);
  });

  it('stay what was sampled when their answer continues them, whatever the template makes of the JSON', async () => {
    says = call;
    const client = new OpenAI({
      baseURL: `${endpoint.url}/sessions/tools/v1`,
      apiKey: 'none',
      maxRetries: 0,
    });
    const { choices } = await client.chat.completions.create(chatRequest);
    const message = choices[0]!.message;
    says = 'It rains.';
    const id = message.tool_calls![0]!.id;
    await client.chat.completions.create({
      ...chatRequest,
      messages: [question, message, { role: 'tool', tool_call_id: id, content: 'rain' }],
    });
    expect(asked.at(-1)).toContain(`${call}<|im_end|>\n<|im_start|>user\n<tool_response>\nrain`);
    const session = endpoint.sessions.get('tools');
    const { windows, turns, spans, tokens } = session.reward({ reward: 1 });
    expect(windows).toBeUndefined();
    expect(turns.map(({ response }) => response)).toEqual([call, 'It rains.']);
    const said = spans
      .filter(({ kind }) => kind === 'observation')
      .map(({ start, end }) => tokenizer.decode(tokens.subarray(start, end)));
    expect(said.map((one) => one.trim())).toEqual(['Weather in Ulm?', 'rain']);
  });

  it.each([
    ['one of no known tool', '<tool_call>{"name":"other","arguments":{}}</tool_call>'],
    ['broken JSON', '<tool_call>{"name":"weather"</tool_call>'],
  ])('leave %s as text', async (_what, text) => {
    says = text;
    const { choices } = await openai.chat.completions.create(chatRequest);
    expect(choices[0]).toMatchObject({ finish_reason: 'stop', message: { content: text } });
    expect(choices[0]?.message.tool_calls).toBeUndefined();
  });

  it.each([
    ['Llama 3', '{"name": "weather", "parameters": {"city": "Ulm"}}'],
    ['Mistral', '[TOOL_CALLS][{"name": "weather", "arguments": {"city": "Ulm"}}]'],
  ])('are read as %s writes them', async (_who, text) => {
    says = text;
    const { choices } = await openai.chat.completions.create(chatRequest);
    expect(choices[0]?.message.content).toBeNull();
    expect(choices[0]?.message.tool_calls).toMatchObject([
      { function: { name: 'weather', arguments: '{"city":"Ulm"}' } },
    ]);
  });

  it('are not promised', async () => {
    const forced = openai.chat.completions.create({ ...chatRequest, tool_choice: 'required' });
    await expect(forced).rejects.toMatchObject({ status: 400, param: 'tool_choice' });
    await openai.chat.completions.create({ ...chatRequest, tool_choice: 'none' });
    expect(asked.at(-1)).not.toContain('Tools:');
  });
});

describe('tools in the other dialects', () => {
  it('are blocks of /v1/messages, streamed or not', async () => {
    says = call;
    const request = {
      model: 'x',
      max_tokens: 200,
      messages: [question],
      tools: [{ name: 'weather', description: 'Tells.', input_schema: { type: 'object' as const } }],
    };
    const whole = await anthropic.messages.create(request);
    expect(whole.stop_reason).toBe('tool_use');
    expect(whole.content).toMatchObject([
      { type: 'text', text: 'Let me see.' },
      { type: 'tool_use', name: 'weather', input: { city: 'Ulm' } },
    ]);
    const streamed = await anthropic.messages.stream(request).finalMessage();
    expect(streamed.content).toMatchObject([
      { type: 'text' },
      { type: 'tool_use', name: 'weather', input: { city: 'Ulm' } },
    ]);
    const use = whole.content[1] as { id: string };
    says = 'Rain.';
    await anthropic.messages.create({
      ...request,
      messages: [
        question,
        { role: 'assistant', content: whole.content as never },
        { role: 'user', content: [{ type: 'tool_result', tool_use_id: use.id, content: 'rain' }] },
      ],
    });
    expect(asked.at(-1)).toContain('<tool_response>\nrain\n</tool_response>');
  });

  it('are items of /v1/responses, streamed or not, and their answers continue them', async () => {
    says = call;
    const tools = [{ type: 'function' as const, strict: false, ...weather }];
    const whole = await openai.responses.create({ model: 'x', input: 'Weather?', tools });
    expect(whole.output).toMatchObject([
      { type: 'message' },
      { type: 'function_call', name: 'weather', arguments: '{"city":"Ulm"}' },
    ]);
    const stream = openai.responses.stream({ model: 'x', input: 'Weather?', tools });
    expect((await stream.finalResponse()).output).toMatchObject([
      { type: 'message' },
      { type: 'function_call', arguments: '{"city":"Ulm"}' },
    ]);
    const item = whole.output[1] as { call_id: string };
    says = 'Rain.';
    await openai.responses.create({
      model: 'x',
      previous_response_id: whole.id,
      input: [{ type: 'function_call_output', call_id: item.call_id, output: 'rain' }],
      tools,
    });
    expect(asked.at(-1)).toContain('</tool_call><|im_end|>\n<|im_start|>user\n<tool_response>\nrain');
  });
});

describe('a reply that has begun', () => {
  it('is continued: by /v1/messages always, by chat where it is asked to', async () => {
    says = ' up</answer>';
    const begun = [question, { role: 'assistant' as const, content: '<answer>' }];
    const { content } = await anthropic.messages.create({ model: 'x', max_tokens: 50, messages: begun });
    expect(content).toMatchObject([{ text: ' up</answer>' }]);
    expect(asked.at(-1)?.endsWith('<|im_start|>assistant\n<answer>')).toBe(true);
    // @ts-expect-error a field of vLLM
    await openai.chat.completions.create({ model: 'x', messages: begun, continue_final_message: true });
    expect(asked.at(-1)?.endsWith('<|im_start|>assistant\n<answer>')).toBe(true);
  });
});
