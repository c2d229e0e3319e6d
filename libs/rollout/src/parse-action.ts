/**
 * @file From a reply's text to actions. Follows RAGEN: first
 * `<think>…</think>` followed by `<answer>…</answer>`, or the answer alone; split at the action separator; names are looked up
 * without regard to case. Unlike there, a reply with anything beside its blocks or tags inside them counts as invalid
 * (its actions are taken all the same), unless the first match is requested. Where the prompt demands parts of the think
 * block, a reply without them is invalid, too. The search is by hand and linear, because a pattern with two lazy parts is quadratic
 * on hostile text. Text is only read here: what is trained are the sampled tokens.
 */
import type { Thinking, ThinkPart } from '@espalier/contracts/prompt-format';

export interface ParseOptions {
  readonly thinking: Thinking;
  /** what the think block must consist of, in order; absent or empty: any text */
  readonly parts?: readonly ThinkPart[];
  /** between the actions of one answer */
  readonly separator: string;
  /** what the prompt shows in the place of an answer, which is none when it is repeated; empty: nothing */
  readonly placeholder: string;
  /** `exact`: the blocks are all there is; `first-match`: as the reference, whatever stands around them */
  readonly format: 'exact' | 'first-match';
  /** further parts of an answer are cut; that costs nothing */
  readonly maxActionsPerTurn: number;
  /** names of the available actions; absent = any text is an action */
  readonly available?: readonly string[] | undefined;
}

export interface ParsedReply {
  readonly think: string;
  readonly answer: string;
  /** the required blocks were found (and nothing else, with format `exact`), whatever the answer names */
  readonly formatValid: boolean;
  /** parts of the answer, before cutting and look-up */
  readonly parsedActions: readonly string[];
  /** actions to take, in the spelling of the environment */
  readonly actions: readonly string[];
  /** the format is invalid, there is no action, or one of those looked up is unknown */
  readonly penalized: boolean;
}

const opening = { think: '<think>', answer: '<answer>' } as const;
const closing = { think: '</think>', answer: '</answer>' } as const;
const innerTags = /<\/?(?:think|answer)>|<\|[^<>|]{1,40}\|>/g;

const controlTokens = /<\|[^<>|]{1,40}\|>/g;

interface Blocks {
  readonly think: string;
  readonly answer: string;
  /** what stands before the first block and after the last */
  readonly around: string;
}

/** Index of the first character at or after `from` that is not white space. */
function skipSpace(text: string, from: number): number {
  const visible = /\S/g;
  visible.lastIndex = from;
  return visible.exec(text)?.index ?? text.length;
}

function findThinkAndAnswer(text: string): Blocks | undefined {
  const start = text.indexOf(opening.think);
  if (start < 0) return undefined;
  const from = start + opening.think.length;
  for (let end = text.indexOf(closing.think, from); end >= 0; end = text.indexOf(closing.think, end + 1)) {
    const answer = skipSpace(text, end + closing.think.length);
    if (!text.startsWith(opening.answer, answer)) continue;
    const body = answer + opening.answer.length;
    const stop = text.indexOf(closing.answer, body);
    if (stop < 0) return undefined;
    return {
      think: text.slice(from, end),
      answer: text.slice(body, stop),
      around: text.slice(0, start) + text.slice(stop + closing.answer.length),
    };
  }
  return undefined;
}

function findAnswer(text: string): Blocks | undefined {
  const start = text.indexOf(opening.answer);
  if (start < 0) return undefined;
  const body = start + opening.answer.length;
  const stop = text.indexOf(closing.answer, body);
  if (stop < 0) return undefined;
  const around = text.slice(0, start) + text.slice(stop + closing.answer.length);
  return { think: '', answer: text.slice(body, stop), around };
}

/** Finds the blocks that the thinking style asks for. */
function findBlocks(text: string, thinking: Thinking): Blocks | undefined {
  if (thinking === 'required') return findThinkAndAnswer(text);
  if (thinking === 'none') return findAnswer(text);
  const thought = text.indexOf(opening.think);
  const answer = text.indexOf(opening.answer);
  return thought >= 0 && thought < answer ? findThinkAndAnswer(text) : findAnswer(text);
}

const partTags = /<\/?(?:observation|reasoning|prediction)>/;

/** Whether a thought has its parts in order, each closed; when `isAlone`, nothing else in, between or around them. */
function hasParts(thought: string, parts: readonly ThinkPart[], isAlone: boolean): boolean {
  let from = 0;
  for (const part of parts) {
    const start = thought.indexOf(`<${part}>`, from);
    const body = start + part.length + 2;
    const end = start < 0 ? -1 : thought.indexOf(`</${part}>`, body);
    if (end < 0) return false;
    const [before, inside] = [thought.slice(from, start), thought.slice(body, end)];
    if (isAlone && (before.trim() !== '' || partTags.test(inside))) return false;
    from = end + part.length + 3;
  }
  return !isAlone || parts.length === 0 || thought.slice(from).trim() === '';
}

/** No tags inside the blocks, and nothing but white space and control tokens around them. */
function isExact({ think, answer, around }: Blocks): boolean {
  const inside = think + answer;
  return inside.replace(innerTags, '') === inside && around.replace(controlTokens, '').trim() === '';
}

function lookUp(parts: readonly string[], available: readonly string[] | undefined): string[] {
  if (available === undefined) return [...parts];
  const names = new Map(available.map((name) => [name.toLowerCase(), name] as const));
  return parts.map((part) => names.get(part.toLowerCase())).filter((name) => name !== undefined);
}

/** Reports an answer that only repeats what the prompt shows in its place. */
function isPlaceholder(answer: string, { placeholder }: ParseOptions): boolean {
  if (answer === '' || placeholder === '') return false;
  return placeholder.endsWith(answer) || answer.endsWith(placeholder);
}

/** Parses a reply, forced opening tag included; takes time linear in its length. */
export function parseReply(response: string, options: ParseOptions): ParsedReply {
  const found = findBlocks(response, options.thinking);
  if (found === undefined) {
    return { think: '', answer: '', formatValid: false, parsedActions: [], actions: [], penalized: true };
  }
  const think = found.think.replace(innerTags, '').trim();
  const answer = found.answer.replace(innerTags, '').trim();
  const parsedActions = answer
    .split(options.separator)
    .map((part) => part.trim())
    .filter((part) => part !== '');
  const considered = parsedActions.slice(0, options.maxActionsPerTurn);
  const actions = lookUp(considered, options.available);
  if ((options.available === undefined || actions.length === 0) && isPlaceholder(answer, options))
    return { think, answer, formatValid: false, parsedActions, actions: [], penalized: true };
  const isFirst = options.format === 'first-match';
  const formatValid = (isFirst || isExact(found)) && hasParts(found.think, options.parts ?? [], !isFirst);
  const penalized = !formatValid || actions.length === 0 || actions.length !== considered.length;
  return { think, answer, formatValid, parsedActions, actions, penalized };
}
