import { fileURLToPath } from 'node:url';
import {
  demandedParts,
  type PromptPreset,
  resolvePrompt,
  type Thinking,
  type ThinkStyle,
  thinkStyles,
} from '@espalier/contracts/prompt-format';
import { discoverPlugins } from '@espalier/plugin-host';
import { createContext, parseReply, promptOptionsOf } from '@espalier/rollout';
import { describe, expect, it } from 'vitest';
import { answerPlaceholder, forcedTag } from '../../libs/rollout/src/prompt.js';
import { chatMl, createWordTokenizer } from '../../libs/rollout/src/testing/word-tokenizer.js';

const registry = await discoverPlugins({ root: fileURLToPath(new URL('../..', import.meta.url)) });
const tokenizer = createWordTokenizer(chatMl);
const presets: readonly PromptPreset[] = ['seedling', 'ragen', 'plain'];
const styles = ['required', 'optional', 'none', 'template'] as const satisfies readonly Thinking[];
/** Every way of thinking, and every demand of parts. */
const ways: readonly { readonly thinking: Thinking; readonly thinkStyle?: ThinkStyle }[] = [
  ...styles.map((thinking) => ({ thinking })),
  ...thinkStyles
    .filter((style) => style !== 'free')
    .map((thinkStyle) => ({ thinking: 'required', thinkStyle }) as const),
];
/** But for agent programs, which have prompts of their own, and harbor and openenv, which show what a sandbox or a server says. */
const environments = registry
  .list()
  .flatMap((plugin) =>
    plugin.kind === 'environment' && plugin.agent === undefined && !['harbor', 'openenv'].includes(plugin.id)
      ? [plugin.id]
      : [],
  );

/** The first message of an environment as the model reads it, and the actions it offers. */
async function promptOf(id: string, prompt: ReturnType<typeof resolvePrompt>) {
  const definition = registry.get('environment', id);
  const params = definition.params.parse({});
  const limits = definition.limits(params);
  const instance = definition.create(params);
  const observation = await instance.reset({ state: 1, noise: 1 });
  await instance.close?.();
  const options = promptOptionsOf(definition, params, { ...limits, prompt, maxResponseTokens: 64 });
  const context = createContext(tokenizer, options);
  context.appendObservation({ observation, actionsLeft: limits.maxActions });
  const shown = `${options.instruction}\n${observation.text}`;
  const examples = [...shown.matchAll(/<answer>([^<]*)<\/answer>/g)].map((match) => match[1] ?? '');
  return { text: tokenizer.decode(context.tokens()), available: observation.actions, limits, examples };
}

/** Every part of a text that could be read as an answer: those that hold a closing tag. */
function* partsWithAnswer(text: string): Generator<string> {
  const tag = '</answer>';
  for (let end = text.indexOf(tag); end >= 0; end = text.indexOf(tag, end + 1))
    for (let start = end; start >= 0; start -= 1) yield text.slice(start, end + tag.length);
}

describe.each(presets)('the preset %s', (preset) => {
  it.each(environments)(
    'shows nothing in %s that reads as an answer, except for its own examples',
    async (id) => {
      for (const way of ways) {
        const format = resolvePrompt({ preset, ...way });
        const { text, available, limits, examples } = await promptOf(id, format);
        const reading = {
          thinking: way.thinking,
          parts: demandedParts(format),
          separator: format.actionSeparator,
          placeholder: answerPlaceholder(format),
          maxActionsPerTurn: limits.maxActionsPerTurn,
          format: 'exact' as const,
        };
        for (const echo of [...text.split('\n'), ...partsWithAnswer(text)]) {
          const reply = forcedTag(format) + echo;
          const parsed = parseReply(reply, { ...reading, available });
          const isExample = examples.some(
            (example) => example.endsWith(parsed.answer) || parsed.answer.endsWith(example),
          );
          const isAnswer = !parsed.penalized && !isExample;
          expect(isAnswer, `${Object.values(way).join(' ')}: ${JSON.stringify(reply)}`).toBe(false);
        }
      }
    },
  );

  it('shows nothing of its own that reads as an answer, even where any text is an action', () => {
    for (const way of ways) {
      const format = resolvePrompt({ preset, ...way });
      const limits = { maxTurns: 5, maxActions: 10, maxActionsPerTurn: 5 };
      const options = { instruction: 'Reach G.', limits, format, maxResponseTokens: 64 };
      const context = createContext(tokenizer, options);
      context.appendObservation({ observation: { text: 'P_G', legend: { P: 'player' } }, actionsLeft: 10 });
      const text = tokenizer.decode(context.tokens());
      for (const echo of [...text.split('\n'), ...partsWithAnswer(text)]) {
        const reply = forcedTag(format) + echo;
        const parsed = parseReply(reply, {
          thinking: way.thinking,
          parts: demandedParts(format),
          separator: format.actionSeparator,
          placeholder: answerPlaceholder(format),
          maxActionsPerTurn: 5,
          format: 'exact',
        });
        expect(parsed.penalized, `${Object.values(way).join(' ')}: ${JSON.stringify(reply)}`).toBe(true);
      }
    }
  });

  it('is read by the parser that it asks for, with its separator', async () => {
    for (const thinking of styles) {
      const format = resolvePrompt({ preset, thinking, actionSeparator: ';' });
      const { text } = await promptOf('sokoban', format);
      expect(text).not.toContain('||');
      expect(text).toContain('<answer>Right ; Up</answer>');
      const reply = `${thinking === 'required' ? '<think>a</think>' : ''}<answer>Up; Down</answer>`;
      const parsed = parseReply(reply, {
        thinking,
        separator: format.actionSeparator,
        placeholder: answerPlaceholder(format),
        format: 'exact',
        maxActionsPerTurn: 5,
        available: ['Up', 'Down'],
      });
      expect(parsed).toMatchObject({ formatValid: true, actions: ['Up', 'Down'], penalized: false });
    }
  });
});

describe('the preset ragen', () => {
  it('has the words of RAGEN', async () => {
    const { text } = await promptOf('frozen-lake', resolvePrompt({ preset: 'ragen' }));
    expect(text).toMatch(/^<\|im_start\|>system\nYou're a helpful assistant\. <\|im_end\|>\n/);
    expect(text).toMatch(/The meaning of each symbol in the state is:\n\S+: \w/);
    expect(text).toMatch(
      /\nYour available actions are:\nLeft, Down, Right, Up\nYou can make up to 10 actions, separated by the action separator " \|\| "\n\nTurn 1:\nState:\n/,
    );
    expect(text).toContain(
      '\nYou have 10 actions left. Always output: <think> [Your thoughts] </think> <answer> [your answer] </answer> with no extra text. Strictly follow this format. Max response length: 64 words (tokens).\n<|im_end|>',
    );
  });
});
