/**
 * @file Every kind of tokenizer with every family of chat template: a conversation built turn by turn has the ids that the
 * template's own rendering of the whole conversation has, or it is refused before it begins.
 */
import type { ChatMessage, Tokenizer } from '@espalier/contracts';
import { resolvePrompt } from '@espalier/contracts/prompt-format';
import { createTokenizer } from '@espalier/model';
import { createContext, createContextFactory, validateTokenizer } from '@espalier/rollout';
import { describe, expect, it } from 'vitest';
import { templateCases } from './chat-templates.js';
import { tokenizerFiles, tokenizerKinds } from './tokenizer-kinds.js';

const options = {
  instruction: 'Reach the target.',
  limits: { maxTurns: 3, maxActions: 6, maxActionsPerTurn: 1 },
  format: resolvePrompt(),
  maxResponseTokens: 64,
};

const states = ['Target: 24, nums: [64, 38, 99, 21]', '_P_\n__G', ' indented\n\n(1, 2)'];
const replies = ['1 down.</think><answer>Down</answer>', 'I go  left\n</think>\n<answer>Left</answer>'];

/** Plays the conversation up to the third question; the contents of the messages are read back from the tokens. */
function play(tokenizer: Tokenizer, given = options) {
  const context = createContext(tokenizer, given);
  const responses: string[] = [];
  for (const [turn, text] of states.entries()) {
    context.appendObservation({
      observation: { text, actions: ['Left', 'Down'] },
      actionsLeft: 6,
      reward: -0.1,
    });
    const reply = replies[turn];
    if (reply !== undefined) responses.push(context.appendResponseText(reply).response);
  }
  return { context, responses };
}

/** Encodes a rendering; no token reaches across the end of a forced tag, where a model begins to write. */
function encodeWhole(tokenizer: Tokenizer, text: string): number[] {
  const ids: number[] = [];
  let from = 0;
  for (const reply of [...replies, undefined]) {
    const to = reply === undefined ? text.length : text.indexOf(reply, from);
    const section = text.slice(from, to);
    const after = from === 0 ? undefined : tokenizer.continuation?.encode(section, ids.at(-1));
    ids.push(...(after ?? tokenizer.encode(section)));
    from = to;
  }
  return ids;
}

const question = (turn: number): string =>
  `Turn ${turn + 1}:\nState:\n${states[turn] ?? ''}\nYou have 6 actions left.\nAlways reply <think>...</think><answer>...</answer> and nothing else.\nMax response length: 64 tokens.`;
const first = `Reach the target.\nActions: Left, Down\nGive one action per turn.\n${question(0)}`;

function messagesOf(system: 'role' | 'in the first user message'): ChatMessage[] {
  const text = 'You are a helpful agent.';
  return [
    ...(system === 'role' ? [{ role: 'system' as const, content: text }] : []),
    { role: 'user', content: system === 'role' ? first : `${text}\n${first}` },
    { role: 'assistant', content: `<think>${replies[0] ?? ''}` },
    { role: 'user', content: `Reward:\n-0.1\n${question(1)}` },
    { role: 'assistant', content: `<think>${replies[1] ?? ''}` },
    { role: 'user', content: `Reward:\n-0.1\n${question(2)}` },
  ];
}

describe.each(Object.keys(tokenizerKinds))('a tokenizer: %s', (kind) => {
  describe.each(Object.entries(templateCases))(
    'with a template: %s',
    (_, { template, begin, end, system, refusal }) => {
      const tokenizer = createTokenizer(tokenizerFiles(kind, template, end, begin));

      if (refusal !== undefined) {
        it('is refused with the first difference and the remedy, unless a prompt has one turn or no reasoning', () => {
          const refused = (): unknown => createContextFactory(tokenizer, options);
          expect(refused).toThrow(
            /they differ at token \d+ of \d+; the template has .+, the turns have .+; /,
          );
          expect(refused).toThrow(refusal);
          const limits = { ...options.limits, maxTurns: 1 };
          expect(() => createContextFactory(tokenizer, { ...options, limits })).not.toThrow();
          const context = { turns: 1, whenFull: 'end' } as const;
          expect(() => createContextFactory(tokenizer, { ...options, context })).not.toThrow();
          expect(() =>
            createContextFactory(tokenizer, { ...options, format: resolvePrompt({ thinking: 'none' }) }),
          ).not.toThrow();
        });
        return;
      }

      it('builds the ids of the whole rendering', () => {
        expect(() => validateTokenizer(tokenizer)).not.toThrow();
        const { context, responses } = play(tokenizer);
        const rendered = tokenizer.renderMessages(messagesOf(system), { generation: true });
        const space = rendered.endsWith('[/INST]') && template.includes("' ' + m.content") ? ' ' : '';
        expect([...context.tokens()]).toEqual(encodeWhole(tokenizer, `${rendered}${space}<think>`));
        // the space with which some templates close a reply counts as the teacher's
        expect(responses.map((response) => response.trimEnd())).toEqual(
          replies.map((reply) => `<think>${reply}`),
        );
      });

      it('knows which tokens the assistant wrote, and which the environment', () => {
        const { context } = play(tokenizer);
        const spans = context.spans();
        expect(spans.map(({ start }) => start)).toEqual([0, ...spans.map(({ end: to }) => to)].slice(0, -1));
        const textOf = (turn: number, ...kinds: string[]): string => {
          const chosen = spans.filter((span) => span.turn === turn && kinds.includes(span.kind));
          const ids = chosen.flatMap(({ start, end: to }) => [...context.tokens().subarray(start, to)]);
          return tokenizer.continuation?.decode(ids) ?? tokenizer.decode(ids);
        };
        for (const turn of [0, 1]) {
          expect(textOf(turn, 'think', 'answer').trim()).toBe(replies[turn]);
          expect(textOf(turn, 'think')).toMatch(/<\/think>/);
          expect(
            context.tokens()[spans.find((span) => span.turn === turn && span.kind === 'control')?.start ?? 0],
          ).toBe(tokenizer.endOfTurn);
        }
        for (const turn of [0, 1, 2]) expect(textOf(turn, 'observation')).toContain(states[turn]);
      });
    },
  );
});

it('hands variables to the template, and they change the opening', () => {
  const { template, end } = templateCases['headers, a date and trimmed contents, as Llama 3'] ?? {
    template: '',
    end: '',
  };
  const tokenizer = createTokenizer(tokenizerFiles('byte-level, cut as Llama 3', template, end));
  const open = (variables: object): string => {
    const context = createContext(tokenizer, { ...options, template: { variables: { ...variables } } });
    context.appendObservation({ observation: { text: 'x' }, actionsLeft: 1 });
    return tokenizer.decode(context.tokens());
  };
  expect(open({})).toContain('Today: 26 Jul 2024');
  expect(open({ date_string: '1 May 2025' })).toContain('Today: 1 May 2025');
});

it('renders the conversation of OLMo 2 as its published template does', () => {
  const { template, begin, end } = templateCases[
    'roles in plain text and one token that begins a conversation and ends replies, as OLMo 2'
  ] ?? { template: '', end: '' };
  const tokenizer = createTokenizer(tokenizerFiles('byte-level, cut as Llama 3', template, end, begin));
  const asked: ChatMessage[] = [
    { role: 'system', content: 'Be brief.' },
    { role: 'user', content: 'One?' },
  ];
  const answered: ChatMessage[] = [...asked, { role: 'assistant', content: 'Two.' }];
  const opening = '<|endoftext|><|system|>\nBe brief.\n<|user|>\nOne?\n<|assistant|>\n';
  expect(tokenizer.renderMessages(asked, { generation: true })).toBe(opening);
  // what follows a reply comes with the next message
  expect(tokenizer.renderMessages(answered, { generation: false })).toBe(`${opening}Two.<|endoftext|>`);
  expect(
    tokenizer.renderMessages([...answered, { role: 'user', content: 'And?' }], { generation: true }),
  ).toBe(`${opening}Two.<|endoftext|>\n<|user|>\nAnd?\n<|assistant|>\n`);
});
