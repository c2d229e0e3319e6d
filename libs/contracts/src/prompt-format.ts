/**
 * @file The prompt of a run as options: a preset and what is changed of it. A text is a line or more with placeholders
 * such as `{state}`; one whose placeholder has nothing to show is left out.
 */
import { z } from 'zod';
import { type ThinkStyle, thinkStyles } from './think-style.js';

export { demandedParts, type ThinkPart, thinkParts, type ThinkStyle, thinkStyles } from './think-style.js';

const thinking = z.enum(['required', 'optional', 'none', 'template']);

/** How a reply reasons before its answer. */
export type Thinking = z.output<typeof thinking>;

/** Placeholders that every text may use. */
const everywhere = ['maxTurns', 'maxActions', 'maxActionsPerTurn', 'maxResponseTokens', 'separator'];
const placeholder = /\{([A-Za-z]+)\}/g;

/** A text with placeholders: an unknown one is an error, and so is a text without the one that it shows. */
function text(own: readonly string[], required?: string): z.ZodOptional<z.ZodString> {
  const known = [...own, ...everywhere];
  return z
    .string()
    .superRefine((written, issues) => {
      const names = [...written.matchAll(placeholder)].map((match) => match[1] ?? '');
      const unknown = names.find((name) => !known.includes(name));
      const listed = known.map((name) => `{${name}}`).join(', ');
      if (unknown !== undefined)
        issues.addIssue({ code: 'custom', message: `unknown placeholder {${unknown}}; use ${listed}` });
      const isLeftOut = written === '' && required !== 'state';
      if (required !== undefined && !isLeftOut && !names.includes(required))
        issues.addIssue({ code: 'custom', message: `expected a text with {${required}}` });
    })
    .optional();
}

/** Two forms of a text: for one action, and for more. */
const forms = (own: readonly string[], description: string) =>
  z
    .strictObject({
      one: text(own).describe('the text for one action'),
      many: text(own).describe('the text for several'),
    })
    .optional()
    .describe(description);

const fields = z.strictObject({
  preset: z
    .enum(['seedling', 'ragen', 'plain'])
    .optional()
    .describe(
      'texts to start from: `seedling` = those of the built-in model, `ragen` = those of RAGEN, `plain` = for instruct models; default: `seedling` for a model that a warm start of Espalier made, else `plain`',
    ),
  system: text([]).describe('system message; empty: that of the chat template, if it has one'),
  symbols: text(['symbols'], 'symbols').describe('line with the meaning of symbols, `{symbols}`'),
  symbol: text(['symbol', 'meaning']).describe('one of `{symbols}`, joined by commas'),
  actions: text(['actions'], 'actions').describe('line with the names of the actions, `{actions}`'),
  actionLimit: forms([], 'how many actions an answer may have, in the first message'),
  reward: text(['reward']).describe('opening of each later message: the `{reward}` of the turn before'),
  turn: text(['turn', 'state', 'actionsLeft', 'formatDemand'], 'state').describe(
    'what each turn shows: `{turn}`, `{state}`, `{actionsLeft}`, `{formatDemand}`',
  ),
  actionsLeft: forms(['actionsLeft'], 'how many actions are left in the episode'),
  formatDemand: text([]).describe('the form of a reply; default: that of the preset for `thinking`'),
  actionSeparator: z
    .string()
    .refine((written) => written !== '' && written === written.trim() && !/[<>]/.test(written), {
      message: 'expected a text without < and >, and without spaces around it',
    })
    .optional()
    .describe('between the actions of one answer, in the prompt and when a reply is parsed'),
  fewShot: z
    .array(
      z.strictObject({
        user: z.string().min(1).describe('message of the user'),
        assistant: z.string().min(1).describe('reply of the assistant, tags included'),
      }),
    )
    .max(32)
    .optional()
    .describe('turns of the chat before the first observation, as examples'),
  thinking: thinking
    .optional()
    .describe(
      '`required` = `<think>…</think>` before the answer, `optional` = may reason, `none` = only the answer, `template` = as the chat template decides (`rollout.template.enableThinking`)',
    ),
  thinkStyle: z
    .enum(thinkStyles)
    .optional()
    .describe(
      'parts that the think block must have, after VAGEN: `state-estimation` = `<observation>`, `<reasoning>`; `transition-modelling` = `<reasoning>`, `<prediction>`; `world-modelling` = all three; `free` = none (default). All but `free` need thoughts, so `thinking` is then `required`',
    ),
});

/** Parts of a think block that there need not be would be demanded of nobody. */
function requireThoughts(
  { thinking: written = 'required', thinkStyle = 'free' }: z.output<typeof fields>,
  issues: z.RefinementCtx,
): void {
  if (thinkStyle === 'free' || written === 'required') return;
  const message = `${thinkStyle} demands parts of the think block, and \`thinking\` is ${written}; set \`thinking: required\`, or leave out one of them`;
  issues.addIssue({ code: 'custom', path: ['thinkStyle'], message });
}

/** The prompt as it is written: what is left out comes from the preset. */
export type PromptChoice = ReadonlyDeep<z.input<typeof fields>>;

type ReadonlyDeep<T> = T extends object ? { readonly [Key in keyof T]: ReadonlyDeep<T[Key]> } : T;

/** Name of a set of texts. */
export type PromptPreset = NonNullable<PromptChoice['preset']>;

interface Forms {
  readonly one: string;
  readonly many: string;
}

/** Every text of a prompt. */
export interface PromptFormat {
  readonly preset: PromptPreset;
  readonly system: string;
  readonly symbols: string;
  readonly symbol: string;
  readonly actions: string;
  readonly actionLimit: Forms;
  readonly reward: string;
  readonly turn: string;
  readonly actionsLeft: Forms;
  readonly formatDemand: string;
  readonly actionSeparator: string;
  readonly fewShot: readonly { readonly user: string; readonly assistant: string }[];
  readonly thinking: Thinking;
  readonly thinkStyle: ThinkStyle;
}

type Preset = Omit<PromptFormat, 'preset' | 'formatDemand' | 'fewShot' | 'thinkStyle'> & {
  /** by the way of thinking, or by the parts of the think block where some are demanded */
  readonly formatDemand: Readonly<Record<Thinking | Exclude<ThinkStyle, 'free'>, string>>;
};

const ragenAnswer =
  'Always output: <answer> [your answer] </answer> with no extra text. Strictly follow this format.';

const presets: Readonly<Record<PromptPreset, Preset>> = {
  // The built-in model was trained on these exact tokens: a changed word degrades it.
  seedling: {
    system: 'You are a helpful agent.',
    symbols: 'Symbols: {symbols}',
    symbol: '{symbol} {meaning}',
    actions: 'Actions: {actions}',
    actionLimit: {
      one: 'Give one action per turn.',
      many: 'Separate actions with {separator}\nAt most {maxActionsPerTurn} actions per turn.',
    },
    reward: 'Reward:\n{reward}',
    turn: 'Turn {turn}:\nState:\n{state}\n{actionsLeft}\n{formatDemand}\nMax response length: {maxResponseTokens} tokens.',
    actionsLeft: { one: 'You have 1 action left.', many: 'You have {actionsLeft} actions left.' },
    formatDemand: {
      required: 'Always reply <think>...</think><answer>...</answer> and nothing else.',
      optional: 'Always end with <answer>...</answer>; you may put <think>...</think> before it.',
      none: 'Always reply <answer>...</answer> and nothing else.',
      template: 'Always reply <answer>...</answer> and nothing else.',
      'state-estimation':
        'Always reply <think><observation>...</observation><reasoning>...</reasoning></think><answer>...</answer> and nothing else.',
      'transition-modelling':
        'Always reply <think><reasoning>...</reasoning><prediction>...</prediction></think><answer>...</answer> and nothing else.',
      'world-modelling':
        'Always reply <think><observation>...</observation><reasoning>...</reasoning><prediction>...</prediction></think><answer>...</answer> and nothing else.',
    },
    actionSeparator: '||',
    thinking: 'required',
  },
  // The texts of RAGEN, word for word: a comparison with it needs the same prompt.
  ragen: {
    system: "You're a helpful assistant. ",
    symbols: 'The meaning of each symbol in the state is:\n{symbols}',
    symbol: '{symbol}: {meaning}',
    actions:
      'Your available actions are:\n{actions}\nYou can make up to {maxActions} actions, separated by the action separator " {separator} "',
    actionLimit: { one: '', many: '' },
    reward: 'Reward:\n{reward}',
    turn: '\nTurn {turn}:\nState:\n{state}\n{actionsLeft} {formatDemand} Max response length: {maxResponseTokens} words (tokens).\n',
    actionsLeft: { one: 'You have 1 actions left.', many: 'You have {actionsLeft} actions left.' },
    formatDemand: {
      required:
        'Always output: <think> [Your thoughts] </think> <answer> [your answer] </answer> with no extra text. Strictly follow this format.',
      optional: ragenAnswer,
      none: ragenAnswer,
      template: ragenAnswer,
      // RAGEN has no parts: its sentence with the tags of VAGEN
      'state-estimation':
        'Always output: <think> <observation> [what you see] </observation> <reasoning> [your thoughts] </reasoning> </think> <answer> [your answer] </answer> with no extra text. Strictly follow this format.',
      'transition-modelling':
        'Always output: <think> <reasoning> [your thoughts] </reasoning> <prediction> [what will happen] </prediction> </think> <answer> [your answer] </answer> with no extra text. Strictly follow this format.',
      'world-modelling':
        'Always output: <think> <observation> [what you see] </observation> <reasoning> [your thoughts] </reasoning> <prediction> [what will happen] </prediction> </think> <answer> [your answer] </answer> with no extra text. Strictly follow this format.',
    },
    actionSeparator: '||',
    thinking: 'required',
  },
  // No closing tag anywhere, so no part of the prompt reads as a whole answer.
  plain: {
    system: 'You are a helpful assistant that plays games.',
    symbols: 'Symbols: {symbols}.',
    symbol: '{symbol} means {meaning}',
    actions: 'Available actions: {actions}.',
    actionLimit: {
      one: 'Choose one action per turn.',
      many: 'You may give up to {maxActionsPerTurn} actions per turn, with {separator} between them.',
    },
    reward: 'Your last turn earned a reward of {reward}.',
    turn: 'Turn {turn}. The state is:\n{state}\n{actionsLeft}\n{formatDemand}',
    actionsLeft: { one: 'You have 1 action left.', many: 'You have {actionsLeft} actions left.' },
    formatDemand: {
      required:
        'First think in one short sentence inside <think> tags, then write the action inside <answer> tags.',
      optional: 'Write the action inside <answer> tags. You may think inside <think> tags first.',
      none: 'Write only the action, inside <answer> tags.',
      template: 'Write the action inside <answer> tags.',
      'state-estimation':
        'First think inside <think> tags: say what you see inside <observation> tags, then reason inside <reasoning> tags. Then write the action inside <answer> tags.',
      'transition-modelling':
        'First think inside <think> tags: reason inside <reasoning> tags, then say what will happen inside <prediction> tags. Then write the action inside <answer> tags.',
      'world-modelling':
        'First think inside <think> tags: say what you see inside <observation> tags, reason inside <reasoning> tags, then say what will happen inside <prediction> tags. Then write the action inside <answer> tags.',
    },
    actionSeparator: '||',
    // small instruct models hardly ever close a thought: SmolLM2-135M answered in form in 0 of 32 replies with one, in 7 without
    thinking: 'none',
  },
};

/** Completes a prompt by its preset, or by `preset` where none is written. */
export function resolvePrompt(choice: PromptChoice = {}, preset: PromptPreset = 'seedling'): PromptFormat {
  const name = choice.preset ?? preset;
  const base = presets[name];
  const thinkStyle = choice.thinkStyle ?? 'free';
  const hasParts = thinkStyle !== 'free';
  const thinking = choice.thinking ?? (hasParts ? 'required' : base.thinking);
  const form = (own: PromptChoice['actionLimit'], standard: Forms): Forms => ({
    one: own?.one ?? standard.one,
    many: own?.many ?? standard.many,
  });
  return {
    preset: name,
    system: choice.system ?? base.system,
    symbols: choice.symbols ?? base.symbols,
    symbol: choice.symbol ?? base.symbol,
    actions: choice.actions ?? base.actions,
    actionLimit: form(choice.actionLimit, base.actionLimit),
    reward: choice.reward ?? base.reward,
    turn: choice.turn ?? base.turn,
    actionsLeft: form(choice.actionsLeft, base.actionsLeft),
    formatDemand: choice.formatDemand ?? base.formatDemand[hasParts ? thinkStyle : thinking],
    actionSeparator: choice.actionSeparator ?? base.actionSeparator,
    fewShot: choice.fewShot ?? [],
    thinking,
    thinkStyle,
  };
}

/** The option `prompt` of rollouts: a preset with changes, completed. */
export const promptSchema = fields.superRefine(requireThoughts).transform((choice) => resolvePrompt(choice));
