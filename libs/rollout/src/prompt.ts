/**
 * @file Renders the prompt format of a run: opening of the first user message, what each turn shows, the reward message.
 * A text is a list of pieces, so that the format (`template`) and the environment's text (`observation`) have separate
 * token spans.
 */
import type { RunSpec } from '@espalier/contracts';
import type { PromptFormat } from '@espalier/contracts/prompt-format';
import type { EnvironmentDefinition, EpisodeLimits, Observation } from '@espalier/plugin-kit';

/** A segment of text of one kind. */
export interface Piece {
  /** `repeated`: the environment's text that an earlier prompt showed already; it counts as template */
  readonly kind: 'template' | 'observation' | 'repeated';
  readonly text: string;
}

/** The options that all turns of an episode share. */
export interface PromptOptions {
  /** the task in words, from the environment; may be empty */
  readonly instruction: string;
  readonly limits: EpisodeLimits;
  readonly format: PromptFormat;
  /** tokens; stated in the prompt */
  readonly maxResponseTokens: number;
  /** variables of the chat template; default: none */
  readonly template?: RunSpec['rollout']['template'] | undefined;
  /** which turns a prompt holds; default: all */
  readonly context?: RunSpec['rollout']['context'] | undefined;
}

/** Gives the prompt options of a run or a demonstration. */
export function promptOptionsOf<Params>(
  environment: Pick<EnvironmentDefinition<Params>, 'instruction'>,
  params: Params,
  rollout: EpisodeLimits &
    Pick<RunSpec['rollout'], 'prompt' | 'maxResponseTokens' | 'template'> &
    Partial<Pick<RunSpec['rollout'], 'context'>>,
): PromptOptions {
  const { prompt, maxResponseTokens, template, context, maxTurns, maxActions, maxActionsPerTurn } = rollout;
  return {
    instruction: environment.instruction(params),
    limits: { maxTurns, maxActions, maxActionsPerTurn },
    format: prompt,
    maxResponseTokens,
    template,
    context,
  };
}

/** Names the variables of a chat template as templates do. */
export function templateVariables(options: PromptOptions['template'] = {}): Record<string, unknown> {
  const { enableThinking, variables } = options;
  return { ...variables, ...(enableThinking === undefined ? {} : { enable_thinking: enableThinking }) };
}

/** The state that a turn shows. */
export interface TurnText {
  /** from 0; the heading counts from 1 */
  readonly turn: number;
  readonly state: string;
  readonly actionsLeft: number;
}

const template = (text: string): Piece => ({ kind: 'template', text });
const observation = (text: string): Piece => ({ kind: 'observation', text });

/** Gives the opening tag of every reply, which is given to the model; empty where the reply is free to begin. */
export function forcedTag({ thinking }: Pick<PromptFormat, 'thinking'>): '<think>' | '<answer>' | '' {
  if (thinking === 'required') return '<think>';
  return thinking === 'none' ? '<answer>' : '';
}

/** What stands for an answer: dots, or words in brackets. An example, such as `Up`, is an answer like any other. */
const standsForAnswer = /^(?:\.{2,}|…|\[\s*[a-z][^\]]*\])$/i;

/** Finds what the format demand shows between its answer tags, such as `...`: it is no answer when a model repeats it. */
export function answerPlaceholder({ formatDemand }: Pick<PromptFormat, 'formatDemand'>): string {
  const start = formatDemand.indexOf('<answer>');
  const end = formatDemand.indexOf('</answer>', start);
  const shown = start < 0 || end < 0 ? '' : formatDemand.slice(start + '<answer>'.length, end).trim();
  return standsForAnswer.test(shown) ? shown : '';
}

/** Writes a reward as the shortest decimal with at most 4 digits after the point. */
function formatReward(reward: number): string {
  const rounded = Number(reward.toFixed(4));
  return String(rounded === 0 ? 0 : rounded);
}

/** Fills the placeholders of a text; those of the environment keep their kind. */
function fill(text: string, values: Readonly<Record<string, Piece | undefined>>): Piece[] {
  return text
    .split(/(\{[A-Za-z]+\})/)
    .map((part) => values[part] ?? template(part))
    .filter(({ text: filled }) => filled !== '');
}

/** The placeholders that every text may use. */
function commonValues({
  format,
  limits,
  maxResponseTokens,
}: Pick<PromptOptions, 'format' | 'limits' | 'maxResponseTokens'>): Record<string, Piece> {
  return {
    '{maxTurns}': template(String(limits.maxTurns)),
    '{maxActions}': template(String(limits.maxActions)),
    '{maxActionsPerTurn}': template(String(limits.maxActionsPerTurn)),
    '{maxResponseTokens}': template(String(maxResponseTokens)),
    '{separator}': template(format.actionSeparator),
  };
}

const textOf = (pieces: readonly Piece[]): string => pieces.map(({ text }) => text).join('');

/** A text as lines of its own; nothing for an empty one. */
function lines(text: string, values: Readonly<Record<string, Piece>>): Piece[] {
  return text === '' ? [] : [...fill(text, values), template('\n')];
}

/** Environments write their example answers with `||`; the prompt shows its own separator in them. */
function withSeparator(text: string, separator: string): string {
  if (separator === '||') return text;
  return text.replace(/<answer>[^<]*<\/answer>/g, (example) => example.replaceAll('||', separator));
}

/** Gives the system message; undefined: the chat template's own. */
export function systemText(
  options: Pick<PromptOptions, 'format' | 'limits' | 'maxResponseTokens'>,
): string | undefined {
  const text = textOf(fill(options.format.system, commonValues(options)));
  return text === '' ? undefined : text;
}

/** Builds the head of the first user message: instruction, symbols, actions. */
export function openingPieces(
  options: PromptOptions,
  first: Pick<Observation, 'legend' | 'actions'>,
): Piece[] {
  const { format, limits } = options;
  const common = commonValues(options);
  const instruction = withSeparator(options.instruction.trim(), format.actionSeparator);
  const symbols = Object.entries(first.legend ?? {}).map(([symbol, meaning]) =>
    textOf(
      fill(format.symbol, {
        ...common,
        '{symbol}': observation(symbol),
        '{meaning}': observation(meaning),
      }),
    ),
  );
  const actions = first.actions ?? [];
  const withList = (text: string, name: string, list: readonly string[]): Piece[] =>
    list.length === 0 ? [] : lines(text, { ...common, [name]: observation(list.join(', ')) });
  return [
    ...(instruction === '' ? [] : [observation(instruction), template('\n')]),
    ...withList(format.symbols, '{symbols}', symbols),
    ...withList(format.actions, '{actions}', actions),
    ...lines(format.actionLimit[limits.maxActionsPerTurn === 1 ? 'one' : 'many'], common),
  ];
}

/** Builds the part of a user message that shows one turn's state and asks for a reply. */
export function turnPieces(options: PromptOptions, shown: TurnText): Piece[] {
  const { format } = options;
  const common = commonValues(options);
  const left = fill(format.actionsLeft[shown.actionsLeft === 1 ? 'one' : 'many'], {
    ...common,
    '{actionsLeft}': template(String(shown.actionsLeft)),
  });
  return fill(format.turn, {
    ...common,
    '{turn}': template(String(shown.turn + 1)),
    '{state}': observation(withSeparator(shown.state, format.actionSeparator)),
    '{actionsLeft}': template(textOf(left)),
    '{formatDemand}': template(textOf(fill(format.formatDemand, common))),
  });
}

/** Builds the opening of the user message after a turn: the environment's reward for it. */
export function rewardPieces(options: PromptOptions, reward: number): Piece[] {
  return lines(options.format.reward, {
    ...commonValues(options),
    '{reward}': observation(formatReward(reward)),
  });
}
