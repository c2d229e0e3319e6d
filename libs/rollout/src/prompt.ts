/**
 * @file The prompt format: system message, opening of the first user message, turn heading, format instruction, reward
 * message. It follows RAGEN with shorter wording, because small models are trained on it. A text is a list of pieces, so
 * that the format (`template`) and the environment's text (`observation`) have separate token spans. Changing a word
 * degrades every warm-started model: they were trained on these exact tokens.
 */
import type { RunSpec } from '@espalier/contracts';
import type { EpisodeLimits, Observation } from '@espalier/plugin-kit';

/** Separates the actions of one answer. */
export const actionSeparator = '||';

/** First message of every conversation. */
export const systemText = 'You are a helpful agent.';

/** A segment of text that is encoded on its own. */
export interface Piece {
  readonly kind: 'template' | 'observation';
  readonly text: string;
}

/** The options that all turns of an episode share. */
export interface PromptOptions {
  /** the task in words, from the environment; may be empty */
  readonly instruction: string;
  readonly limits: EpisodeLimits;
  /** require `<think>…</think>` before the answer */
  readonly think: boolean;
  /** tokens; stated in the prompt */
  readonly maxResponseTokens: number;
  /** variables of the chat template; default: none */
  readonly template?: RunSpec['rollout']['template'] | undefined;
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

/** Returns the opening tag of every reply, which is given to the model. */
export function forcedTag(think: boolean): '<think>' | '<answer>' {
  return think ? '<think>' : '<answer>';
}

/** Writes a reward as the shortest decimal with at most 4 digits after the point. */
function formatReward(reward: number): string {
  const rounded = Number(reward.toFixed(4));
  return String(rounded === 0 ? 0 : rounded);
}

function actionLines(actions: readonly string[] | undefined, maxActionsPerTurn: number): Piece[] {
  const most =
    maxActionsPerTurn === 1
      ? 'Give one action per turn.\n'
      : `Separate actions with ${actionSeparator}\nAt most ${maxActionsPerTurn} actions per turn.\n`;
  if (actions === undefined || actions.length === 0) return [template(most)];
  return [template('Actions: '), observation(actions.join(', ')), template(`\n${most}`)];
}

/** Builds the head of the first user message: instruction, symbols, actions. */
export function openingPieces(
  options: PromptOptions,
  first: Pick<Observation, 'legend' | 'actions'>,
): Piece[] {
  const instruction = options.instruction.trim();
  const symbols = Object.entries(first.legend ?? {}).map(([symbol, meaning]) => `${symbol} ${meaning}`);
  return [
    ...(instruction === '' ? [] : [observation(instruction), template('\n')]),
    ...(symbols.length === 0 ? [] : [template('Symbols: '), observation(symbols.join(', ')), template('\n')]),
    ...actionLines(first.actions, options.limits.maxActionsPerTurn),
  ];
}

/** Builds the part of a user message that shows one turn's state and asks for a reply. */
export function turnPieces(options: PromptOptions, shown: TurnText): Piece[] {
  const left =
    shown.actionsLeft === 1 ? 'You have 1 action left.' : `You have ${shown.actionsLeft} actions left.`;
  const format = options.think ? '<think>...</think><answer>...</answer>' : '<answer>...</answer>';
  return [
    template(`Turn ${shown.turn + 1}:\nState:\n`),
    observation(shown.state),
    template(`\n${left}\nAlways reply ${format} and nothing else.\n`),
    template(`Max response length: ${options.maxResponseTokens} tokens.`),
  ];
}

/** Builds the opening of the user message after a turn: the environment's reward for it. */
export function rewardPieces(reward: number): Piece[] {
  return [template('Reward:\n'), observation(formatReward(reward)), template('\n')];
}
