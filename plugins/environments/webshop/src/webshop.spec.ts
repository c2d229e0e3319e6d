import { type EnvironmentInstance, type StepResult } from '@espalier/plugin-kit';
import { testEnvironment } from '@espalier/plugin-kit/testing';
import { describe, expect, it } from 'vitest';
import { parseAction } from './actions.js';
import type { Product } from './catalogue/product.js';
import { splitGoals } from './goals.js';
import webshop from './index.js';
import { createPlanner } from './oracle.js';
import { startVisit } from './session.js';
import { buildShop, openShop } from './shop.js';
import { goalIndex, type WebShopOptions } from './episode.js';
import { createWebShop } from './webshop.js';

const short = { source: 'generated', style: 'short' } as const;

testEnvironment(webshop, { oracleSolves: 1 });
testEnvironment(webshop, { params: { observation: 'text_rich', version: 'r1' }, oracleSolves: 1 });
testEnvironment(webshop, {
  params: { observation: 'compact', pageSize: 5, catalogue: short },
  oracleSolves: 1,
});

const product = (asin: string, rest: Partial<Product>): Product => ({
  asin,
  title: `Lamp ${asin}`,
  description: 'A lamp.',
  bullets: ['First', 'Second'],
  category: 'garden',
  query: 'lamps',
  path: 'Home › Lamps',
  pricing: [25],
  options: [],
  attributes: ['solid wood'],
  nouns: ['lamp'],
  ...rest,
});

// one goal: the red, large one
const products: readonly Product[] = [
  product('B0000000A1', {
    options: [
      { name: 'size', values: ['small', 'large'] },
      { name: 'color', values: ['red'] },
    ],
    instruction: { text: 'Find me solid wood lamps', attributes: ['solid wood'] },
  }),
  ...Array.from({ length: 11 }, (_, place) => product(`B0000000C${String.fromCharCode(65 + place)}`, {})),
];
const shop = buildShop(products, { human: false });
const large = shop.goals.findIndex(({ options }) => options.some(({ value }) => value === 'large'));

const visit = (options: Partial<WebShopOptions> = {}): EnvironmentInstance => {
  const instance = createWebShop({
    observation: 'text',
    version: 'r2',
    reward: 'fractional',
    split: 'seed',
    pageSize: 10,
    showAttributes: false,
    open: () => shop,
    ...options,
  });
  void instance.reset({ state: shop.order.indexOf(large), noise: 0 });
  return instance;
};
const act = (instance: EnvironmentInstance, ...actions: string[]): StepResult =>
  actions.map((action) => instance.step(action) as StepResult).at(-1)!;
const pageOf = ({ observation: { text } }: StepResult): string => text.split('.We must buy', 1)[0]!;
const instruction = shop.goals[large]!.instruction;

describe('the pages in the mode text', () => {
  it('begin with the task, RAGEN’s advice and the only action', async () => {
    const instance = visit();
    const { text } = await instance.reset({ state: shop.order.indexOf(large), noise: 0 });
    const lines = text.split('\n');
    expect(lines[0]).toBe(
      `Instruction: ${instruction}.We must buy a product within 10 actions. It doesn't have to match perfectly with description.`,
    );
    expect(lines).toHaveLength(10);
    expect(lines.at(-1)).toBe(' You must choose from these actions:search[<content>].');
    const first = await visit({ version: 'r1' }).reset({ state: 0, noise: 0 });
    expect(first.text).toContain('for more than 2 times.Almost never click[< prev]');
  });

  it('are those of WebShop', () => {
    const instance = visit();
    const results = act(instance, 'search[lamp B0000000A1]');
    expect(pageOf(results)).toMatch(
      `Instruction: [SEP] ${instruction} [SEP] Back to Search [SEP] Page 1 (Total results: 12) [SEP] Next > [SEP] B0000000A1 [SEP] Lamp B0000000A1 [SEP] $25.0 [SEP] B0000000CA`,
    );
    expect(results.observation.text).toContain(
      'these actions:click[back to search], click[next >], click[b0000000a1], click[b0000000ca]',
    );
    const second = act(instance, 'click[next >]');
    expect(pageOf(second)).toContain('Page 2 (Total results: 12) [SEP] < Prev [SEP] Next > [SEP] B0000000C');
    const empty = act(instance, 'click[next >]');
    expect(pageOf(empty)).toMatch(/Page 3 \(Total results: 12\) \[SEP\] < Prev \[SEP\] Next >$/);
    expect(empty.observation.text).toMatch(/actions:click\[back to search\], click\[< prev\]\.$/);
    const item = act(instance, 'click[< prev]', 'click[< prev]', 'click[B0000000A1]');
    expect(pageOf(item)).toBe(
      `Instruction: [SEP] ${instruction} [SEP] Back to Search [SEP] < Prev [SEP] size [SEP] small [SEP] large [SEP] color [SEP] red [SEP] Lamp B0000000A1 [SEP] Price: $25.0 [SEP] Rating: N.A. [SEP] Description [SEP] Features [SEP] Reviews [SEP] Buy Now`,
    );
    expect(pageOf(act(instance, 'click[features]'))).toMatch(/< Prev \[SEP\] First \[SEP\] Second$/);
    expect(pageOf(act(instance, 'click[< prev]', 'click[description]'))).toMatch(/< Prev \[SEP\] A lamp\.$/);
    expect(pageOf(act(instance, 'click[< prev]', 'click[reviews]'))).toMatch(
      /Back to Search \[SEP\] < Prev$/,
    );
    expect(pageOf(act(instance, 'click[back to search]'))).toBe(
      `WebShop [SEP] Instruction: [SEP] ${instruction} [SEP] Search`,
    );
  });

  it('do not show what is chosen, and keep it on sub pages', () => {
    const instance = visit();
    const before = act(instance, 'search[lamp B0000000A1]', 'click[b0000000a1]');
    const chosen = act(instance, 'click[small]');
    expect(chosen.observation).toEqual(before.observation);
    expect(chosen).toMatchObject({ valid: true, effective: false });
    act(instance, 'click[features]', 'click[< prev]', 'click[large]', 'click[red]');
    const done = act(instance, 'click[buy now]');
    expect(done).toMatchObject({ reward: 1, done: true, success: true });
    expect(pageOf(done)).toMatch(
      /^Thank you for shopping with us! \[SEP\] Your code: \[SEP\] None \[SEP\] \(Paste it in your MTurk interface\.\) \[SEP\] Purchased \[SEP\] asin \[SEP\] B0000000A1 \[SEP\] options \[SEP\] \{"color": "red", "size": "large"\} \[SEP\] attrs \[SEP\] None/,
    );
    expect(pageOf(done)).toContain('Your score (min 0.0, max 1.0) [SEP] 1.0 [SEP] Reward Details [SEP] None');
    expect(act(instance, 'click[buy now]')).toMatchObject({ reward: 0, done: true, effective: false });
  });

  it('forget options that are left behind', () => {
    const instance = visit();
    act(instance, 'search[lamp B0000000A1]', 'click[b0000000a1]', 'click[large]', 'click[red]');
    const done = act(instance, 'click[< prev]', 'click[b0000000a1]', 'click[buy now]');
    expect(done).toMatchObject({
      reward: 0.5,
      success: false,
      metrics: { options_chosen: 0, price_kept: 1 },
    });
  });
});

describe('the mode text_rich', () => {
  it('marks buttons, visited products and chosen options', () => {
    const instance = visit({ observation: 'text_rich', showAttributes: true });
    const results = act(instance, 'search[lamp B0000000A1]', 'click[b0000000a1]', 'click[< prev]');
    expect(pageOf(results)).toContain(
      '[button] Next > [button_]\n\n[clicked button] B0000000A1 [clicked button_]\nLamp B0000000A1\n$25.0\n\n[button] B0000000CA [button_]\n',
    );
    const item = act(instance, 'click[b0000000a1]', 'click[large]');
    expect(pageOf(item)).toMatch(/^You have clicked large\.\nInstruction:\n/);
    expect(pageOf(item)).toContain(
      'size\n  [button] small [button_]\n  [clicked button] large [clicked button_]\ncolor\n',
    );
    const attributes = act(instance, 'click[attributes]');
    expect(pageOf(attributes)).toContain(
      '[button] < Prev [button_]\n solid wood\ngarden\nlamps\nHome › Lamps\n',
    );
  });
});

describe('a value called attributes', () => {
  it.each([
    [false, /\[SEP\] Buy Now$/],
    [true, /\[SEP\] solid wood/],
  ])('is chosen unless item pages have that button (%s)', (showAttributes, page) => {
    const odd = product('B0000000A1', {
      options: [{ name: 'shows', values: ['attributes', 'nothing'] }],
      instruction: { text: 'Find me solid wood lamps', attributes: ['solid wood'] },
    });
    const instance = visit({ open: () => buildShop([odd], { human: false }), showAttributes });
    void instance.reset({ state: 0, noise: 0 });
    const clicked = act(instance, 'search[lamp]', 'click[b0000000a1]', 'click[attributes]');
    expect(pageOf(clicked)).toMatch(page);
    expect(instance.facts!()).toMatchObject({
      product: { chosen: showAttributes ? {} : { shows: 'attributes' } },
    });
  });
});

describe('actions', () => {
  it.each([
    ['search[a b]', { name: 'search', argument: 'a b' }],
    ['click[Buy Now] please', { name: 'click', argument: 'buy now' }],
    ['click[a [b]]', { name: 'click[a ', argument: 'b]' }],
    ['click[]', undefined],
    ['[x]', undefined],
    ['search', undefined],
    ['search[\nx]', undefined],
    ['xx[]]', { name: 'xx', argument: ']' }],
  ])('%j', (action, expected) => {
    expect(parseAction(action)).toEqual(expected);
    const [, name, argument] = /^(.+)\[(.+)\]/.exec(action) ?? [];
    expect(parseAction(action)?.name).toBe(name);
    expect(parseAction(action)?.argument).toBe(argument?.toLowerCase());
  });

  it('search on any page, which RAGEN calls invalid', () => {
    const instance = visit();
    expect(act(instance, 'search[lamp]')).toMatchObject({ valid: true, effective: true });
    expect(act(instance, 'search[lamp B0000000A1]')).toMatchObject({ valid: false, effective: true });
  });

  it('have to be written as listed in the first RAGEN', () => {
    const instance = visit({ version: 'r1' });
    act(instance, 'search[lamp B0000000A1]');
    expect(act(instance, 'click[B0000000A1]')).toMatchObject({ valid: false, effective: true });
    expect(act(visit(), 'search[lamp B0000000A1]', 'click[B0000000A1]')).toMatchObject({ valid: true });
  });

  it.each(['click[search]', 'click[buy now]', 'buy', '', 'search[]', 'Search[lamp]', 'click[b0000000a1]'])(
    '%j does nothing on the search page',
    (action) => {
      const instance = visit();
      const before = instance.render();
      expect(act(instance, action)).toMatchObject({ valid: false, effective: false, reward: 0, done: false });
      expect(instance.render()).toBe(before);
    },
  );

  it('list by category, type, attribute or at random with WebShop’s hooks', () => {
    const total = (query: string): string | undefined =>
      /Total results: (\d+)/.exec(pageOf(act(visit(), `search[${query}]`)))?.[1];
    expect(total('<c> garden')).toBe('12');
    expect(total('<c>')).toBe('0');
    expect(total('<q> lamps')).toBe('12');
    expect(total('<q> lamp')).toBe('0');
    expect(total('<a> solid wood')).toBe('12');
    expect(total('<r>')).toBe('12');
    expect(act(visit(), 'search[<r>]').observation).toEqual(act(visit(), 'search[<r>]').observation);
  });
});

describe('goals', () => {
  it.each(['full', 'short'] as const)('of the splits are disjoint, style %s', (style) => {
    const real = openShop({ source: 'generated', seed: 0, products: 1000, style }, { human: false });
    const seeds = { train: 4_194_304, validation: 123_000, test: 2_000_000 };
    const dealt = Object.values(seeds).map(
      (first) => new Set(Array.from({ length: 2000 }, (_, place) => goalIndex(real, first + place, 'seed'))),
    );
    const [train, validation, test] = dealt as [Set<number>, Set<number>, Set<number>];
    expect([validation.size, test.size]).toEqual([1000, 500]);
    const all = [...train, ...validation, ...test];
    expect(new Set(all.map((goal) => real.goals[goal]!.instruction)).size).toBe(all.length);
    expect(goalIndex(real, 7, 'test')).toBe(goalIndex(real, 2_000_007, 'seed'));
    expect(splitGoals(12)).toEqual({
      test: { first: 0, count: 2 },
      validation: { first: 2, count: 2 },
      train: { first: 4, count: 8 },
    });
  });

  it('are too few for a split where its seeds are an error', () => {
    for (const split of ['validation', 'test'] as const)
      expect(() => goalIndex(shop, 0, split)).toThrow(
        expect.objectContaining({
          code: 'plugin.failed',
          message: expect.stringMatching(
            /split .* has no task, .*only 2; give files with at least 6 /,
          ) as string,
        }),
      );
    expect(goalIndex(shop, 1, 'train')).toBe(shop.order[1]);
    expect(splitGoals(6)).toMatchObject({
      test: { count: 1 },
      validation: { count: 1 },
      train: { count: 4 },
    });
    expect(webshop.params.safeParse({ limitGoals: 5 }).success).toBe(false);
  });

  it('can be drawn by weight', () => {
    const limited = buildShop(shop.products, { human: false, limit: 1 });
    expect(limited.goals).toHaveLength(1);
    const source = { source: 'generated', seed: 0, products: 200, style: 'full' } as const;
    const some = openShop(source, { human: false, limit: 50 }).goals;
    const all = openShop(source, { human: false }).goals;
    expect(some).toHaveLength(50);
    expect(new Set(some).size).toBe(50);
    const asins = new Set(all.map(({ product: { asin } }) => asin));
    expect(some.every(({ product: { asin } }) => asins.has(asin))).toBe(true);
  });

  it('that people wrote need their file', () => {
    expect(webshop.params.safeParse({ goals: 'human' }).error?.issues[0]).toMatchObject({
      path: ['goals'],
      message: expect.stringContaining('catalogue.human') as string,
    });
  });
});

describe('the oracle', () => {
  it('knows a perfect purchase for every goal of the generated catalogues', () => {
    for (const style of ['full', 'short'] as const) {
      const made = openShop({ source: 'generated', seed: 0, products: 1000, style }, { human: false });
      const lost = made.goals.filter(
        (goal, place) =>
          place % 7 === 0 &&
          createPlanner(made, goal, { pageSize: 10, showAttributes: false }).plan(startVisit(0)).length === 0,
      );
      expect(lost.map((goal) => goal.instruction)).toEqual([]);
    }
  });

  it('searches for the title only where no words of the task find a product, and says so', async () => {
    const named = (title: string, text: string): EnvironmentInstance => {
      const wanted = product('B0000000A1', {
        title,
        query: 'sofas',
        description: '',
        bullets: [],
        attributes: ['oak'],
        instruction: { text, attributes: ['oak'] },
      });
      const others = Array.from({ length: 60 }, (_, place) =>
        product(`B0000000${String(10 + place)}`, { title: 'Oak sofas', pricing: [90] }),
      );
      const made = buildShop([wanted, ...others], { human: false });
      const instance = visit({ open: () => made });
      void instance.reset({ state: 0, noise: 0 });
      return instance;
    };
    const cases = [
      ['Oak sofas', 'Find me oak sofas', 'I search for the attributes and the type.'],
      ['Velvet seat', 'Find me a velvet seat', 'I search for the words of the task.'],
      ['Velvet seat', 'Find me oak sofas', 'No words of the task find it, so I search for its title.'],
    ] as const;
    for (const [title, text, explanation] of cases) {
      const instance = named(title, text);
      const plan = instance.oracle!();
      expect(instance.explain!(plan), title).toBe(explanation);
      expect(act(instance, ...plan), title).toMatchObject({ reward: 1, success: true });
    }
  });

  it('finds its way from any page', () => {
    const instance = visit();
    for (const detour of [
      ['search[lamp B0000000A1]', 'click[b0000000a1]', 'click[small]', 'click[features]'],
      ['search[lamp B0000000CA]', 'click[b0000000ca]', 'click[description]'],
      ['search[nothing at all]'],
      ['search[lamp B0000000A1]', 'click[next >]'],
    ]) {
      void instance.reset({ state: shop.order.indexOf(large), noise: 0 });
      const plan = (act(instance, ...detour), instance.oracle!());
      expect(act(instance, ...plan), detour.join()).toMatchObject({ reward: 1, success: true });
    }
  });
});
