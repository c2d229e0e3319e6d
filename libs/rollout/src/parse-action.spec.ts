import { describe, expect, it } from 'vitest';
import { parseReply } from './parse-action.js';

const options = {
  thinking: 'required' as const,
  separator: '||',
  placeholder: '...',
  format: 'first-match' as const,
  maxActionsPerTurn: 2,
  available: ['Up', 'Down'],
};
const exact = { ...options, format: 'exact' as const };

describe('parseReply', () => {
  it('reads thought and actions, without regard to case', () => {
    expect(parseReply('<think> go up </think>\n <answer>UP || down</answer>', options)).toEqual({
      think: 'go up',
      answer: 'UP || down',
      formatValid: true,
      parsedActions: ['UP', 'down'],
      actions: ['Up', 'Down'],
      penalized: false,
    });
  });

  it('lets the dot match newlines and ignores text around the blocks', () => {
    const parsed = parseReply('junk<think>a\nb</think><answer>Up</answer> bye', options);
    expect(parsed.think).toBe('a\nb');
    expect(parsed.actions).toEqual(['Up']);
  });

  it.each([
    ['text before', 'so <think>a</think><answer>Up</answer>'],
    ['text after', '<think>a</think><answer>Up</answer> bye'],
    ['a second answer', '<think>a</think><answer>Up</answer><answer>Down</answer>'],
    ['a tag in the thought', '<think>a</think> hm </think><answer>Up</answer>'],
    ['a tag in the answer', '<think>a</think><answer></think><answer>Up</answer>'],
  ])('calls %s invalid where the format is exact, and takes the actions all the same', (_name, text) => {
    const actions = ['Up'];
    expect(parseReply(text, exact)).toMatchObject({ formatValid: false, penalized: true, actions });
    expect(parseReply(text, options)).toMatchObject({ formatValid: true, penalized: false, actions });
  });

  it('allows white space and control tokens around exact blocks', () => {
    const parsed = parseReply(' <think>a</think>\n<answer>Up</answer>\n<|im_end|>', exact);
    expect(parsed).toMatchObject({ formatValid: true, penalized: false, actions: ['Up'] });
  });

  it('cuts further actions without a penalty, even unknown ones', () => {
    const parsed = parseReply('<think></think><answer>Up||Up||Fly</answer>', options);
    expect(parsed.parsedActions).toEqual(['Up', 'Up', 'Fly']);
    expect(parsed.actions).toEqual(['Up', 'Up']);
    expect(parsed.penalized).toBe(false);
  });

  it('drops an unknown action, keeps the others and penalizes', () => {
    const parsed = parseReply('<think></think><answer>Fly || Up</answer>', options);
    expect(parsed.actions).toEqual(['Up']);
    expect(parsed.penalized).toBe(true);
    expect(parsed.formatValid).toBe(true);
  });

  it.each([
    ['no closing think tag', '<think>a<answer>Up</answer>'],
    ['text between the blocks', '<think>a</think> so <answer>Up</answer>'],
    ['no closing answer tag', '<think>a</think><answer>Up'],
    ['only an answer', '<answer>Up</answer>'],
  ])('finds no format in %s', (_name, text) => {
    const parsed = parseReply(text, options);
    expect(parsed).toMatchObject({ formatValid: false, actions: [], penalized: true });
  });

  it('penalizes an empty answer although the format is right', () => {
    expect(parseReply('<think>a</think><answer> || </answer>', options)).toMatchObject({
      formatValid: true,
      parsedActions: [],
      penalized: true,
    });
  });

  it('takes the first closing tag that an answer follows, as the reference does', () => {
    const parsed = parseReply('<think>a</think> hm </think><answer>Up</answer>', options);
    expect(parsed.think).toBe('a hm');
    expect(parsed.actions).toEqual(['Up']);
  });

  it('strips tags and chat markup inside the blocks', () => {
    const parsed = parseReply('<think>a<think>b<|im_end|></think><answer><|im_start|>Up</answer>', options);
    expect(parsed.think).toBe('ab');
    expect(parsed.answer).toBe('Up');
  });

  it('passes any text where there is no list of actions', () => {
    const free = { ...exact, thinking: 'none' as const, available: undefined };
    const parsed = parseReply('<answer>search[red shoes]</answer>', free);
    expect(parsed).toMatchObject({ actions: ['search[red shoes]'], penalized: false, think: '' });
  });

  it('takes no answer that only repeats what the prompt shows in its place', () => {
    const any = { ...options, thinking: 'none' as const, placeholder: '[your answer]', available: undefined };
    for (const echo of ['[your answer]', 'your answer]', ']', '> [your answer]'])
      expect(parseReply(`<answer>${echo}</answer>`, any)).toMatchObject({ formatValid: false, actions: [] });
    expect(parseReply('<answer>[3 + 4]</answer>', any)).toMatchObject({
      formatValid: true,
      penalized: false,
    });
    const listed = { ...any, placeholder: 'Up', available: ['Up', 'Down'] };
    expect(parseReply('<answer>Up</answer>', listed)).toMatchObject({ formatValid: true, actions: ['Up'] });
  });

  it.each([
    ['<think>a</think><answer>Up</answer>', true, 'a'],
    ['<answer>Up</answer>', true, ''],
    ['<think>a <answer>Up</answer>', false, ''],
  ])('with optional reasoning reads %s', (text, formatValid, think) => {
    expect(parseReply(text, { ...exact, thinking: 'optional' })).toMatchObject({ formatValid, think });
  });

  it('splits an answer at the separator of the prompt', () => {
    const parsed = parseReply('<think></think><answer>Up ; Down</answer>', { ...exact, separator: ';' });
    expect(parsed.actions).toEqual(['Up', 'Down']);
  });

  describe('where the prompt demands parts of the think block', () => {
    const world = { ...exact, parts: ['observation', 'reasoning', 'prediction'] as const };
    const reply = (thought: string): string => `<think>${thought}</think><answer>Up</answer>`;
    const whole = '<observation>a</observation> <reasoning>b</reasoning>\n<prediction>c</prediction>';

    it('counts them towards the format, and takes the actions all the same', () => {
      expect(parseReply(reply(whole), world)).toMatchObject({ formatValid: true, penalized: false });
      expect(parseReply(reply('free'), world)).toMatchObject({
        formatValid: false,
        penalized: true,
        actions: ['Up'],
      });
    });

    it.each([
      ['a part that is missing', '<observation>a</observation><reasoning>b</reasoning>'],
      ['a part that is not closed', whole.replace('</prediction>', '')],
      ['another order', '<reasoning>b</reasoning><observation>a</observation><prediction>c</prediction>'],
      [
        'parts inside each other',
        whole.replace('</observation>', '').replace('b</reasoning>', 'b</reasoning></observation>'),
      ],
    ])('finds no format in %s, exact or not', (_, thought) => {
      expect(parseReply(reply(thought), world).formatValid).toBe(false);
      const first = { ...world, format: 'first-match' as const };
      expect(parseReply(reply(thought), first).formatValid).toBe(false);
    });

    it.each([
      ['text before a part', `so ${whole}`],
      ['text between parts', whole.replace('</observation>', '</observation> and')],
      ['text after the last', `${whole} done`],
      ['a part twice', `${whole}<prediction>d</prediction>`],
    ])('calls %s invalid only where the format is exact', (_, thought) => {
      expect(parseReply(reply(thought), world).formatValid).toBe(false);
      const first = { ...world, format: 'first-match' as const };
      expect(parseReply(reply(thought), first).formatValid).toBe(true);
    });
  });

  it('reads a megabyte of hostile text in linear time', () => {
    const hostile = [
      '<think>'.repeat(150_000),
      `<think>${'</think> '.repeat(110_000)}`,
      `<think>${'</think><answer>'.repeat(60_000)}`,
      `<think></think>${' '.repeat(1_000_000)}`,
      `<think></think><answer>${'<|'.repeat(500_000)}</answer>`,
      `<think></think><answer>${'| '.repeat(500_000)}</answer>`,
      `<think></think><answer>${'\n'.repeat(1_000_000)}x</answer>`,
      `<think>${'<observation>'.repeat(80_000)}</think><answer>Up</answer>`,
    ];
    const started = performance.now();
    const parts = ['observation', 'reasoning', 'prediction'] as const;
    for (const text of hostile) parseReply(text, options);
    for (const text of hostile) parseReply(text, { ...options, parts });
    expect(performance.now() - started).toBeLessThan(2000);
  });
});
