/**
 * @file The words around a state: system sentence, opening of the first user message, turn heading, format
 * demand, reward message. Facts of the protocol follow RAGEN; the wording is ours
 * and short, because small models are trained on it. A text is a list of pieces, so that what the protocol
 * says (`template`) and what the environment says (`observation`) keep separate token spans.
 * Changing a word here makes every warm-started model worse: they learned these very tokens.
 */
import type { RunSpec } from '@espalier/contracts';
import type { EpisodeLimits, Observation } from '@espalier/plugin-kit';

/** Stands between two actions of one answer. */
export const actionSeparator = '||';

/** First message of every conversation. */
export const systemText = 'You are a helpful agent.';

/** A stretch of text that is encoded on its own. */
export interface Piece {
  readonly kind: 'template' | 'observation';
  readonly text: string;
}

/** What stays the same over all turns of an episode. */
export interface ProtocolOptions {
  /** the task in words, from the environment; may be empty */
  readonly instruction: string;
  readonly limits: EpisodeLimits;
  /** demand `<think>…</think>` before the answer */
  readonly think: boolean;
  /** tokens, told to the model */
  readonly maxResponseTokens: number;
  /** what the chat template is told; default: nothing */
  readonly template?: RunSpec['rollout']['template'] | undefined;
}

/** Names the variables of a chat template as templates do. */
export function templateVariables(options: ProtocolOptions['template'] = {}): Record<string, unknown> {
  const { enableThinking, variables } = options;
  return { ...variables, ...(enableThinking === undefined ? {} : { enable_thinking: enableThinking }) };
}

/** What a turn shows. */
export interface TurnText {
  /** from 0; the heading counts from 1 */
  readonly turn: number;
  readonly state: string;
  readonly actionsLeft: number;
}

const template = (text: string): Piece => ({ kind: 'template', text });
const observation = (text: string): Piece => ({ kind: 'observation', text });

/** Returns the tag that opens every reply and is written for the model. */
export function forcedTag(think: boolean): '<think>' | '<answer>' {
  return think ? '<think>' : '<answer>';
}

/** Writes a reward as the shortest decimal with at most 4 digits after the point. */
export function formatReward(reward: number): string {
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
  options: ProtocolOptions,
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

/** Builds the part of a user message that shows one turn's state and demands a reply. */
export function turnPieces(options: ProtocolOptions, shown: TurnText): Piece[] {
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
