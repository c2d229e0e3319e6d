import { AppError, defineReward } from '@espalier/plugin-kit';
import { chatEndpointOptions, chatPriceOptions } from '@espalier/plugin-kit/chat';
import { z } from 'zod';
import { cohenKappa, correlation, type Pair, pairwiseAgreement } from './agreement.js';
import { Judge, type Verdict } from './judge.js';
import { parts, writePrompt } from './prompt.js';

const endpoint = {
  ...chatEndpointOptions,
  model: chatEndpointOptions.model.describe('name of the model that judges'),
};

const params = z
  .strictObject({
    ...endpoint,
    question: z
      .string()
      .min(1)
      .max(20_000)
      .default(
        'How sound is the reasoning of the agent: does it say what is so, and does it lead to what it did?',
      )
      .describe('what to judge, with the rubric'),
    scale: z
      .strictObject({ min: z.number().default(0), max: z.number().default(10) })
      .prefault({})
      .describe('the lowest score gives 0, the highest 1'),
    show: z
      .array(z.enum(parts))
      .min(1)
      .default(['observation', 'think', 'answer'])
      .describe('which parts of each turn are shown; `outcome` is of the episode'),
    maxCharacters: z
      .int()
      .min(100)
      .max(1_000_000)
      .default(12_000)
      .describe(
        'characters of an episode that are shown: its beginning and its end; the judge is told how many are missing',
      ),
    temperature: z.number().min(0).max(2).default(0).describe('temperature of the judge'),
    maxTokens: z.int().min(1).max(100_000).default(1024).describe('tokens of an answer, reasoning included'),
    samples: z.int().min(1).max(32).default(1).describe('answers for each episode, whose mean counts'),
    second: z
      .strictObject(endpoint)
      .optional()
      .describe('another judge that is asked too, for agreement; neither its score nor its failure counts'),
    retries: z
      .int()
      .min(0)
      .max(20)
      .default(3)
      .describe('further tries where a request fails or its answer cannot be read'),
    backoffMs: z
      .int()
      .min(0)
      .max(60_000)
      .default(500)
      .describe('wait before the first further try; doubled each time'),
    timeoutMs: z.int().min(1).max(600_000).default(60_000).describe('time limit of one request'),
    concurrency: z.int().min(1).max(1000).default(8).describe('requests at once'),
    cache: z
      .union([z.literal(false), z.string().min(1)])
      .default('.cache/judge')
      .describe('folder of answers, so that nothing is asked twice, also by a resumed run; false: none'),
    budget: z
      .strictObject({
        requests: z.int().min(1).optional(),
        tokens: z.int().min(1).optional(),
        cost: z.number().positive().optional(),
        then: z.enum(['stop', 'fail']).default('stop'),
      })
      .refine(
        ({ requests, tokens, cost }) => (requests ?? tokens ?? cost) !== undefined,
        'give requests, tokens or cost',
      )
      .optional()
      .describe(
        'what all requests may take, counted in the cache folder; then the run stops, or episodes fail',
      ),
    price: chatPriceOptions.optional().describe('price of a million tokens, for `budget.cost`'),
  })
  .refine(({ scale }) => scale.max > scale.min, '`scale.max` must exceed `scale.min`')
  .refine(
    ({ samples, temperature }) => samples === 1 || temperature > 0,
    '`samples` above 1 need a `temperature` above 0, or all are equal',
  )
  .refine(
    ({ budget, price }) => (budget?.cost === undefined) === (price === undefined),
    '`budget.cost` and `price` need each other',
  )
  .refine(
    ({ budget, cache }) => budget === undefined || cache !== false,
    '`budget` needs a `cache` folder, where it is counted; without one a resumed run would begin to count again',
  )
  .refine(
    ({ second, baseUrl, model }) => second?.baseUrl !== baseUrl || second.model !== model,
    '`second` is the same model at the same address, which agrees with itself; choose another, or `samples`',
  );

type Params = z.infer<typeof params>;

/** Judges of this process, with the scores of both where there are two. */
const judges = new Map<string, { readonly judge: Judge; readonly pairs: Pair[] }>();
/** How many judges, and how many pairs of each, are kept. */
const kept = { judges: 8, pairs: 500 };

function judgeOf(options: Params): { readonly judge: Judge; readonly pairs: Pair[] } {
  const key = JSON.stringify(options);
  const known = judges.get(key);
  if (known !== undefined) return known;
  const [oldest] = judges.keys();
  if (judges.size >= kept.judges && oldest !== undefined) judges.delete(oldest);
  const opened = { judge: new Judge(options), pairs: [] };
  judges.set(key, opened);
  return opened;
}

const mean = (values: readonly number[]): number =>
  values.reduce((sum, value) => sum + value, 0) / values.length;
const sumOf = (verdicts: readonly Verdict[], of: 'tokens' | 'requests' | 'unread'): number =>
  verdicts.reduce((sum, verdict) => sum + verdict[of], 0);

/** Nothing depends on the second judge but numbers for people; a spent budget concerns both. */
function skipFailure(error: unknown): undefined {
  if (error instanceof AppError && error.code !== 'plugin.budget_exhausted') return undefined;
  throw error;
}

export default defineReward({
  id: 'judge',
  summary: 'Asks a language model how good an episode is, and gives up to 1 at its end.',
  metrics: {
    cached: { unit: 'probability', formula: 'answers that were known already / answers' },
    tokens: {
      unit: 'tokens',
      formula: 'tokens of all requests for an episode, those that could not be read included',
    },
    requests: { unit: '1', formula: 'requests for an episode' },
    unread: { unit: 'probability', formula: 'answers that could not be read / requests; 0 without requests' },
    left_out: { unit: 'characters', formula: 'characters of an episode that were not shown' },
    agreement: { unit: 'probability', formula: 'pairs of samples with the same score / pairs' },
    second_difference: { unit: '1', formula: '|score − score of the second judge|, both from 0 to 1' },
    second_failed: { unit: 'probability', formula: 'episodes for which the second judge failed / episodes' },
    kappa: { unit: '1', formula: "Cohen's kappa of both judges over the last 500 episodes of the process" },
    correlation: {
      unit: '1',
      formula: 'correlation of both judges over the last 500 episodes of the process',
    },
  },
  params,
  score: async (trajectory, options, signal) => {
    const { samples, second, scale } = options;
    const { judge, pairs } = judgeOf(options);
    const { messages, leftOut } = writePrompt(trajectory, options);
    const asked = Array.from({ length: samples }, (_, sample) =>
      judge.score(options, messages, sample, signal),
    );
    const [other, ...own] = await Promise.all([
      second === undefined ? undefined : judge.score(second, messages, 0, signal).catch(skipFailure),
      ...asked,
    ]);
    const share = (score: number): number => (score - scale.min) / (scale.max - scale.min);
    const value = mean(own.map(({ score }) => share(score)));
    const verdicts = other === undefined ? own : [...own, other];
    const requests = sumOf(verdicts, 'requests');
    const metrics: Record<string, number> = {
      cached: mean(verdicts.map(({ cached }) => (cached ? 1 : 0))),
      tokens: sumOf(verdicts, 'tokens'),
      requests,
      unread: requests === 0 ? 0 : sumOf(verdicts, 'unread') / requests,
      left_out: leftOut,
    };
    if (samples > 1) metrics['agreement'] = pairwiseAgreement(own.map(({ score }) => score));
    if (second !== undefined) metrics['second_failed'] = other === undefined ? 1 : 0;
    if (other !== undefined) {
      pairs.push([own[0]!.score, other.score]);
      if (pairs.length > kept.pairs) pairs.shift();
      metrics['second_difference'] = Math.abs(value - share(other.score));
      const [kappa, related] = [cohenKappa(pairs), correlation(pairs)];
      if (kappa !== undefined) metrics['kappa'] = kappa;
      if (related !== undefined) metrics['correlation'] = related;
    }
    const last = trajectory.turns.length - 1;
    return { perTurn: trajectory.turns.map((_, turn) => (turn === last ? value : 0)), metrics };
  },
});
