import { warmStartSpecSchema } from '@espalier/contracts';
import { createTokenizer } from '@espalier/model';
import { stateSeedRanges } from '@espalier/random';
import { createContextFactory, parseReply } from '@espalier/rollout';
import { beforeAll, describe, expect, it } from 'vitest';
import type { PluginLookup } from '@espalier/trainer';
import { createCurriculum } from './curriculum.js';
import { type Demonstration, resolveDemonstrations } from './demonstration.js';
import { cutSequences } from './nll-step.js';
import { type TaughtEpisode, taughtSeeds, teachEpisode } from './teacher.js';
import { corridor } from '../../trainer/src/testing/corridor.js';
import { findCommonPhrases, listChangingWords, trainVocabulary } from './vocabulary.js';

const plugins = { get: () => corridor } as unknown as PluginLookup;
const spec = warmStartSpecSchema.parse({
  model: { vocabularySize: 400 },
  demonstrations: [
    { environment: { use: 'corridor' }, noise: 0, share: 3 },
    { environment: { use: 'corridor', length: 9 }, noise: 1, share: 1 },
  ],
});
const demonstrations = resolveDemonstrations(spec, plugins);
const [exact, random] = demonstrations as [Demonstration, Demonstration];
let tokenizer: ReturnType<typeof createTokenizer>;

beforeAll(async () => {
  tokenizer = createTokenizer(await trainVocabulary(spec.seed, spec.model, demonstrations));
});

const options = { seed: 7, batchTokens: 2000, contextLength: 1024, isNewModel: true };

describe('resolveDemonstrations', () => {
  it('numbers a repeated environment, fills in limits and turns shares into a sum of 1', () => {
    expect(demonstrations.map(({ name, share }) => [name, share])).toEqual([
      ['corridor', 0.75],
      ['corridor-2', 0.25],
    ]);
    expect(exact.limits).toEqual({ maxTurns: 4, maxActions: 6, maxActionsPerTurn: 2 });
  });

  it('names the option that an environment refuses', () => {
    const wrong = warmStartSpecSchema.parse({
      demonstrations: [{ environment: { use: 'corridor', length: 1 }, noise: 0 }],
    });
    expect(() => resolveDemonstrations(wrong, plugins)).toThrow(/demonstrations\.corridor\.length/);
  });

  it('refuses an environment that a program plays', () => {
    const definition = plugins.get('environment', 'corridor');
    const played = { ...definition, agent: () => ({ port: 0 }) } as unknown as typeof definition;
    const ofPrograms = { ...plugins, get: () => played } as unknown as typeof plugins;
    expect(() => resolveDemonstrations(spec, ofPrograms)).toThrow(
      /a program plays its episodes, so there is no oracle to imitate; leave it out/,
    );
  });
});

describe('trainVocabulary', () => {
  it('makes the fixed sentences single tokens and leaves grids apart', () => {
    expect(tokenizer.vocabularySize).toBe(400);
    expect(tokenizer.encode(' Walk to the goal.')).toHaveLength(1);
    expect(tokenizer.encode('P___G')).toHaveLength(5);
  });

  it('gives the same files again', async () => {
    expect(await trainVocabulary(spec.seed, spec.model, demonstrations)).toEqual(
      await trainVocabulary(spec.seed, spec.model, demonstrations),
    );
  });

  it('keeps names that have to be copied out of phrases', () => {
    const texts = [
      ['Choose wisely one arm: Dragon or none at all.'],
      ['Choose wisely one arm: Dragon or none at all.'],
    ];
    expect(findCommonPhrases(texts)).toEqual(['Choose wisely one arm: Dragon or none at all.']);
    expect(findCommonPhrases(texts, ['Dragon'])).toEqual(['Choose wisely one arm: ', ' or none at all.']);
  });

  it('spells a word of free-text answers the same wherever it stands', () => {
    const play = (place: string) => [
      `You arrive at ${place} 1. On the ${place} 1, you see a countertopper.`,
      `x</think><answer>go to ${place} 1</answer>`,
    ];
    const episodes = [play('countertop'), play('countertop'), play('countertop'), play('fridge')];
    const words = listChangingWords(episodes);
    expect(words).toEqual(['countertop', 'fridge']);
    expect(findCommonPhrases(episodes)).toContain('You arrive at countertop ');
    const phrases = findCommonPhrases(episodes, [], words);
    expect(phrases).toEqual(['You arrive at', ' On the', ', you see a countertopper.']);
  });
});

describe('teachEpisode', () => {
  it('writes replies that the parser of rollout accepts, and counts exactly their tokens', async () => {
    const contexts = createContextFactory(tokenizer, exact.prompt);
    const { tokens, positions, success } = await teachEpisode(exact, contexts, taughtSeeds(1, 'corridor', 3));
    expect(success).toBe(true);
    const counted = tokenizer.decode(Array.from(positions, (position) => tokens[position]!));
    const replies = counted.split('<|im_end|>').slice(0, -1);
    expect(replies.length).toBeGreaterThan(0);
    for (const reply of replies) {
      const parsed = parseReply(`<think>${reply}`, {
        thinking: 'required',
        separator: '||',
        placeholder: '...',
        format: 'exact',
        maxActionsPerTurn: 2,
        available: ['Left', 'Right'],
      });
      expect(parsed.formatValid).toBe(true);
      expect(new Set(parsed.actions)).toEqual(new Set(['Right']));
    }
  });

  it('reasons behind the tag that a chat template opens itself', async () => {
    const files = await trainVocabulary(spec.seed, spec.model, demonstrations);
    const template = `${String(files.config['chat_template'])}{% if add_generation_prompt %}<think>\n{% endif %}`;
    const opening = createTokenizer({ ...files, config: { ...files.config, chat_template: template } });
    const prompt = { ...exact.prompt, format: { ...exact.prompt.format, thinking: 'template' as const } };
    const contexts = createContextFactory(opening, prompt);
    const taught = await teachEpisode({ ...exact, prompt }, contexts, taughtSeeds(1, 'corridor', 3));
    const text = opening.decode(taught.tokens);
    expect(text).toMatch(/assistant\n<think>\n[^<]+<\/think><answer>Right/);
    expect(text).not.toContain('<think>\n<answer>');
  });

  it('errs as often as the noise says', async () => {
    const contexts = createContextFactory(tokenizer, random.prompt);
    const texts: string[] = [];
    for (let index = 0; index < 60; index++) {
      const { tokens } = await teachEpisode(random, contexts, taughtSeeds(1, 'corridor-2', index));
      texts.push(...(tokenizer.decode(tokens).match(/<answer>[A-Z].*?<\/answer>/g) ?? []));
    }
    const actions = texts.flatMap((text) => text.match(/Left|Right/g) ?? []);
    const share = actions.filter((action) => action === 'Left').length / actions.length;
    expect(share).toBeGreaterThan(0.4);
    expect(share).toBeLessThan(0.6);
  });

  it('shows the teacher’s replies in the windows that a run would have, each counted once', async () => {
    const context = { turns: 1, whenFull: 'end' } as const;
    const prompt = { ...random.prompt, context };
    const own = { ...random, prompt };
    const contexts = createContextFactory(tokenizer, prompt);
    const whole = createContextFactory(tokenizer, random.prompt);
    const textOf = ({ tokens, positions }: TaughtEpisode): string =>
      tokenizer.decode(Array.from(positions, (position) => tokens[position]!));
    for (let index = 0; index < 10; index++) {
      const seeds = taughtSeeds(1, 'corridor-2', index);
      const episode = await teachEpisode(own, contexts, seeds);
      expect(textOf(episode)).toBe(textOf(await teachEpisode(random, whole, seeds)));
      const batch = {
        demonstrations: [0],
        episodes: [episode],
        tokenCount: episode.tokens.length,
        lossTokens: episode.positions.length,
      };
      const data = cutSequences(batch);
      expect(data).toHaveLength(episode.windows.length);
      for (const { datum } of data) {
        const text = tokenizer.decode(datum.tokens);
        expect(text.match(/Turn \d+/g)).toHaveLength(1);
        expect(text.startsWith('<|im_start|>system')).toBe(true);
        const last = datum.positions.at(-1);
        expect(last).toBe(datum.tokens.length - 1);
      }
    }
  });

  it('ends before a turn whose prompt and longest reply would not fit, as rollout does', async () => {
    const contexts = createContextFactory(tokenizer, random.prompt);
    const seeds = taughtSeeds(1, 'corridor-2', 0);
    const whole = await teachEpisode(random, contexts, seeds);
    const { tokens, positions } = whole;
    const starts = positions.filter((position, i) => position !== positions[i - 1]! + 1);
    expect(starts).toHaveLength(4);
    const needed = starts.at(-1)! + random.spec.rollout.maxResponseTokens + contexts.closingLength;
    expect(await teachEpisode(random, contexts, seeds, needed)).toEqual(whole);
    const short = await teachEpisode(random, contexts, seeds, needed - 1);
    expect(short.success).toBe(false);
    expect(short.positions).toEqual(positions.filter((position) => position < short.tokens.length));
    expect(short.tokens).toEqual(tokens.subarray(0, short.tokens.length));
    expect(short.tokens.length).toBeLessThan(starts.at(-1)!);
  });

  it.each(['reset', 'step', 'close'] as const)('waits for %s only as long as it may', async (hook) => {
    const { environment, params } = exact;
    let closed = 0;
    const create = () => {
      const instance = environment.create(params);
      const close = () => {
        closed += 1;
      };
      return { ...instance, close, [hook]: () => new Promise(() => undefined) };
    };
    const rollout = { ...exact.spec.rollout, environmentTimeoutMs: 20 };
    const hanging = { ...exact, spec: { ...exact.spec, rollout }, environment: { ...environment, create } };
    const contexts = createContextFactory(tokenizer, exact.prompt);
    await expect(teachEpisode(hanging, contexts, taughtSeeds(1, 'corridor', 3))).rejects.toMatchObject({
      code: 'plugin.timeout',
      message: expect.stringMatching(
        new RegExp(`^corridor\\.${hook}\\(\\) did not end within 20 ms`),
      ) as string,
    });
    expect(closed).toBe(hook === 'close' ? 0 : 1);
  });

  it('draws states from the train split only', () => {
    const { first, count } = stateSeedRanges.train;
    for (let index = 0; index < 50; index++) {
      const { state } = taughtSeeds(index, 'corridor', index * 1000);
      expect(state).toBeGreaterThanOrEqual(first);
      expect(state).toBeLessThan(first + count);
    }
  });
});

describe('createCurriculum', () => {
  it('keeps the demonstrations at their shares of the tokens', async () => {
    const curriculum = createCurriculum(demonstrations, tokenizer, options);
    for (let i = 0; i < 5; i++) await curriculum.next();
    const [a = 0, b = 0] = curriculum.position.tokens;
    expect(a / (a + b)).toBeCloseTo(0.75, 1);
  });

  it('goes on from a position as if it had never stopped', async () => {
    const whole = createCurriculum(demonstrations, tokenizer, options);
    await whole.next();
    const resumed = createCurriculum(demonstrations, tokenizer, { ...options, start: whole.position });
    expect(await resumed.next()).toEqual(await whole.next());
  });

  it.each([
    [{ contextLength: 40 }, /tokens, the context of the model holds 40; raise model\.contextLength, shorten/],
    [{ contextLength: 40, isNewModel: false }, /tokens, the context of the model holds 40; shorten/],
  ])(
    'refuses a prompt and a reply that are too long for the context of a model: %o',
    async (given, words) => {
      const curriculum = createCurriculum(demonstrations, tokenizer, { ...options, ...given });
      await expect(curriculum.next()).rejects.toThrow(words);
    },
  );

  it('refuses a first prompt that is too long for rollout.contextTokens', async () => {
    const rollout = { ...exact.spec.rollout, contextTokens: 30 };
    const own = [{ ...exact, spec: { ...exact.spec, rollout } }];
    await expect(createCurriculum(own, tokenizer, options).next()).rejects.toThrow(
      /"corridor": a prompt and its reply have \d+ tokens, rollout\.contextTokens allows 30; raise rollout/,
    );
  });
});

describe('cutSequences', () => {
  it('makes one of each episode and lets all weights add up to 1', async () => {
    const batch = await createCurriculum(demonstrations, tokenizer, options).next();
    const sequences = cutSequences(batch);
    expect(sequences.map(({ demonstration }) => demonstration)).toEqual(batch.demonstrations);
    const total = sequences.reduce((sum, { datum }) => sum + datum.weights.reduce((a, b) => a + b, 0), 0);
    expect(total).toBeCloseTo(1, 5);
  });
});
