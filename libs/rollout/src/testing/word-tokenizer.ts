/**
 * @file A tokenizer for tests: chat markup and tags are one token each, all else is one token per character.
 * Three chat templates show the families that real models use.
 */
import type { Tokenizer } from '@espalier/contracts';
import type { TemplateMessage } from '@espalier/contracts/template-message';

/** A chat template as a function. */
export interface TestTemplate {
  readonly end: string;
  readonly specials: readonly string[];
  readonly render: (messages: readonly TemplateMessage[], generation: boolean) => string;
}

const tags = ['<think>', '</think>', '<answer>', '</answer>'];

/** Markup of the ChatML family. */
export const chatMl: TestTemplate = {
  end: '<|im_end|>',
  specials: ['<|im_start|>', '<|im_end|>'],
  render: (messages, generation) =>
    messages.map(({ role, content }) => `<|im_start|>${role}\n${content}<|im_end|>\n`).join('') +
    (generation ? '<|im_start|>assistant\n' : ''),
};

/** Trims contents and writes no newline after a message. */
export const headerStyle: TestTemplate = {
  end: '<|eot_id|>',
  specials: ['<|begin_of_text|>', '<|start_header_id|>', '<|end_header_id|>', '<|eot_id|>'],
  render: (messages, generation) =>
    '<|begin_of_text|>' +
    messages
      .map(
        ({ role, content }) => `<|start_header_id|>${role}<|end_header_id|>\n\n${content.trim()}<|eot_id|>`,
      )
      .join('') +
    (generation ? '<|start_header_id|>assistant<|end_header_id|>\n\n' : ''),
};

/** Plain-text role markers, a shared end token, and no newline after the last message. */
export const markerStyle: TestTemplate = {
  end: '</s>',
  specials: ['</s>'],
  render: (messages, generation) =>
    messages.map(({ role, content }) => `<|${role}|>\n${content.trim()}</s>`).join('\n') +
    (generation ? '\n<|assistant|>\n' : ''),
};

/** Creates a tokenizer: tags and markup are one token each (`splitTags` spells tags letter by letter). */
export function createWordTokenizer(
  template: TestTemplate,
  options: { readonly splitTags?: boolean; readonly stopTokens?: readonly number[] } = {},
): Tokenizer {
  const specials = [...template.specials, ...(options.splitTags ? [] : tags)];
  const ids = new Map(specials.map((text, index) => [text, index] as const));
  // built from -- alternatives of plain text from a template of tests
  const pattern = new RegExp(
    `${specials.map((text) => text.replace(/[|\\/]/g, '\\$&')).join('|')}|[^]`,
    'gu',
  );
  const first = specials.length;
  return {
    vocabularySize: first + 0x10000,
    endOfTurn: ids.get(template.end) ?? 0,
    stopTokens: [ids.get(template.end) ?? 0, ...(options.stopTokens ?? [])],
    pad: 0,
    encode: (text) =>
      Int32Array.from(
        text.match(pattern) ?? [],
        (part) => ids.get(part) ?? first + (part.codePointAt(0) ?? 0),
      ),
    decode: (tokens) => Array.from(tokens, (id) => specials[id] ?? String.fromCodePoint(id - first)).join(''),
    renderMessages: (messages, { generation }) => template.render(messages, generation),
  };
}
