/** @file Parses a model's reply as actions. The first byte selects the options. */
import { demandedParts } from '@espalier/contracts/prompt-format';
import { parseReply } from '@espalier/rollout';
import type { FuzzTarget } from '../fuzz-target.js';

const words = [
  '<think>', '</think>', '<answer>', '</answer>', '<observation>', '</observation>', '<reasoning>', '</reasoning>', '<prediction>', '</prediction>', '||', ' || ', '|', '<|im_end|>', '<|', '|>', '<', '</', ' ',
  '\n', '\u00a0', '\u2028', '\u{1f600}', '\u0000', 'Left', 'left', 'LEFT', 'Down', 'İ', 'ß', '__proto__',
]; // prettier-ignore

const replies = [
  '<think>goal 1 down.</think><answer>Down</answer><|im_end|>',
  '<think></think> \n <answer>Left || Right || Up</answer>',
  '<think><observation>a</observation><reasoning>b</reasoning><prediction>c</prediction></think><answer>Down</answer>',
  '<answer>Phoenix</answer>',
  '<think>a</think>b</think><answer>||</answer></answer>',
  'no tags at all',
  '',
];

const names = ['Left', 'Down', 'Right', 'Up', 'İ', 'toString'];

/** Builds the target. */
export function createReplyTarget(): FuzzTarget {
  const decoder = new TextDecoder();
  const read = (input: Uint8Array): void => {
    const choice = input[0] ?? 0;
    const format = (choice & 32) === 0 ? ('exact' as const) : ('first-match' as const);
    const options = {
      thinking:
        (choice & 1) === 0
          ? ('none' as const)
          : (choice & 64) === 0
            ? ('required' as const)
            : ('optional' as const),
      parts: (choice & 66) === 2 ? demandedParts({ thinkStyle: 'world-modelling' }) : [],
      separator: '||',
      placeholder: (choice & 128) === 0 ? '' : '[your answer]',
      format,
      maxActionsPerTurn: 1 + ((choice >> 1) & 7),
    };
    const available = (choice & 16) === 0 ? names : undefined;
    const reply = parseReply(decoder.decode(input.subarray(1)), { ...options, available });
    const wrong =
      reply.actions.length > options.maxActionsPerTurn ||
      (available !== undefined && reply.actions.some((action) => !available.includes(action))) ||
      (format === 'first-match' &&
        options.parts.length === 0 &&
        !reply.formatValid &&
        reply.actions.length > 0) ||
      (!reply.formatValid && !reply.penalized) ||
      (!reply.penalized && reply.actions.length === 0);
    if (wrong) throw new Error(`an impossible reading: ${JSON.stringify(reply)}`);
  };
  const encoder = new TextEncoder();
  const corpus = replies.flatMap((reply) =>
    [1, 17, 0, 19, 35, 65, 193].map((choice) => withFirst(choice, encoder.encode(reply))),
  );
  return { name: 'reply', corpus, words, read };
}

function withFirst(first: number, rest: Uint8Array): Uint8Array {
  const bytes = new Uint8Array(1 + rest.length);
  bytes[0] = first;
  bytes.set(rest, 1);
  return bytes;
}
