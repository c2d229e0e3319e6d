import { defineEnvironment } from '@espalier/plugin-kit';
import { z } from 'zod';
import { fewestGoals } from './goals.js';
import { versions } from './rules.js';
import { openShop } from './shop.js';
import { observations } from './views.js';
import { createWebShop } from './webshop.js';

const generated = z
  .strictObject({
    source: z.literal('generated'),
    seed: z.int().min(0).max(4294967295).default(0).describe('seed of the products'),
    products: z.int().min(50).max(100_000).default(1000).describe('number of products'),
    style: z
      .enum(['full', 'short'])
      .default('full')
      .describe(
        '`full`: texts as long as those of WebShop; `short`: products of three words, for small models',
      ),
  })
  .describe('products made from a seed');

const files = z
  .strictObject({
    source: z.literal('files'),
    products: z
      .string()
      .min(1)
      .describe('path of a products file of WebShop, such as items_shuffle_1000.json'),
    attributes: z
      .string()
      .min(1)
      .describe('path of the attributes and generated tasks, such as items_ins_v2_1000.json'),
    human: z.string().min(1).optional().describe('path of the tasks that people wrote: items_human_ins.json'),
    count: z.int().min(1).optional().describe('how many products to read; all of them by default'),
  })
  .describe('products read from files of WebShop');

const params = z
  .strictObject({
    catalogue: z
      .discriminatedUnion('source', [generated, files])
      .prefault({ source: 'generated' })
      .describe('where the products come from'),
    observation: z
      .enum(observations)
      .default('text')
      .describe(
        '`text` and `text_rich` are modes of WebShop; `compact` shows a page in a few lines, without RAGEN’s advice',
      ),
    version: z
      .enum(versions)
      .default('r2')
      .describe(
        'whose words and grammar: `r1` joins two lines of advice and wants actions letter by letter, `r2` reads them as the shop does',
      ),
    reward: z
      .enum(['fractional', 'binary'])
      .default('binary')
      .describe('the whole score of WebShop, or 1 for a perfect purchase only'),
    goals: z
      .enum(['synthetic', 'human'])
      .default('synthetic')
      .describe('tasks made from attributes and options, or tasks that people wrote'),
    limitGoals: z
      .int()
      .min(fewestGoals)
      .optional()
      .describe('how many tasks to draw by weight, as WebShop’s limit_goals; all of them by default'),
    split: z
      .enum(['seed', 'train', 'validation', 'test'])
      .default('seed')
      .describe('tasks to play: those of the split that a seed belongs to, or always those of one split'),
    pageSize: z.int().min(1).max(50).default(10).describe('products on a page of results'),
    showAttributes: z.boolean().default(false).describe('item pages have a page of attributes'),
  })
  .refine(
    ({ goals, catalogue }) => goals === 'synthetic' || (catalogue.source === 'files' && catalogue.human),
    {
      path: ['goals'],
      message: 'tasks that people wrote come from a file; set `catalogue.human`',
    },
  );

export default defineEnvironment({
  id: 'webshop',
  summary: 'Find and buy the product that a task describes in an online shop.',
  params,
  presets: {
    r1: { options: { version: 'r1', reward: 'fractional' } },
    r2: { options: { version: 'r2', reward: 'binary' } },
  },
  metrics: {
    raw_reward: {
      unit: 'reward',
      formula:
        'score of the purchase: type · (attributes + options + price) ÷ (wanted attributes + wanted options + 1)',
    },
    type_factor: {
      unit: 'ratio',
      formula: '1 for a product of the wanted type, 0.5, 0.1 or 0 for others',
    },
    attributes_found: {
      unit: 'ratio',
      formula: 'wanted attributes that the bought product has ÷ wanted attributes',
    },
    options_chosen: {
      unit: 'ratio',
      formula: 'wanted options that were chosen ÷ wanted options; 1 without any',
    },
    price_kept: { unit: 'probability', formula: '1 if the product costs no more than the task allows' },
  },
  instruction: () =>
    [
      'You are in an online shop. Buy the product that the instruction describes, with its options and within its price.',
      'An action is search[words], on the search page, or click[text] with the text of a button, a product or an option.',
      'Example answer: <answer>search[blue cotton shirt]</answer>',
    ].join(' '),
  limits: () => ({ maxTurns: 9, maxActions: 9, maxActionsPerTurn: 1 }),
  reads: () => ({ noise: false }),
  create: ({ catalogue, goals, limitGoals, ...options }) =>
    createWebShop({
      ...options,
      open: () => openShop(catalogue, { human: goals === 'human', limit: limitGoals }),
    }),
});
