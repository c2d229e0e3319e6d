import { type EnvironmentInstance, type StepResult } from '@espalier/plugin-kit';
import { testEnvironment } from '@espalier/plugin-kit/testing';
import { describe, expect, it } from 'vitest';
import retail from './index.js';
import { openTasks } from './task.js';

testEnvironment(retail, { oracleSolves: 1 });
testEnvironment(retail, { params: { user: 'open' }, seeds: [0, 1_000_003, 2_000_005], oracleSolves: 1 });

const open = (seed: number, user = 'asked'): EnvironmentInstance => {
  const instance = retail.create(retail.params.parse({ user }));
  void instance.reset({ state: seed, noise: 0 });
  return instance;
};
const act = (instance: EnvironmentInstance, ...actions: string[]): StepResult =>
  actions.map((action) => instance.step(action) as StepResult).at(-1)!;
const text = (instance: EnvironmentInstance, action: string): string =>
  act(instance, action).observation.text;
const { splits, shop } = openTasks({});
const seedsOf = { train: 0, validation: 1_000_000, test: 2_000_000 };
const everySeed = Object.entries(seedsOf).flatMap(([split, base]) =>
  splits[split as keyof typeof splits].map((_task, index) => base + index),
);

describe('every task', () => {
  it('is solved by its reference within the limits, and pays nothing for ending at once', () => {
    expect([splits.train.length, splits.validation.length, splits.test.length]).toEqual([495, 19, 108]);
    const { maxActions } = retail.limits(retail.params.parse({}));
    for (const seed of everySeed) {
      const instance = open(seed);
      const plan = instance.oracle!();
      expect(plan.length, instance.render()).toBeLessThanOrEqual(maxActions);
      expect(act(instance, ...plan), JSON.stringify(instance.facts!())).toMatchObject({
        reward: 1,
        success: true,
      });
      expect(act(open(seed), 'done')).toMatchObject({ reward: 0, done: true, success: false });
    }
  });

  it('is not told before the user is asked, and then a sentence at a time', () => {
    for (const seed of everySeed) {
      const instance = open(seed);
      expect(instance.render()).toBe('User: Hello, I need some help.');
      const { sentences } = (instance.snapshot!() as { task: { sentences: string[] } }).task;
      const reply = text(
        instance,
        'say Tell me everything: who you are, all orders, items, payment, address, all wishes?',
      );
      expect(sentences.filter((sentence) => reply.includes(sentence)).length).toBe(1);
    }
  });

  it('is not solved by calling every tool, telling everything or handing over', () => {
    const figures = Array.from({ length: 12_000 }, (_, at) => at / 10).join(' ');
    const all = JSON.stringify([...shop.products.values()]);
    const panel: ((instance: EnvironmentInstance) => StepResult)[] = [
      (instance) => act(instance, `say ${figures} ${all}`, 'done'),
      (instance) => act(instance, 'say yes', 'transfer_to_human_agents {"summary": "all"}'),
      (instance) => {
        const { user } = instance.facts!() as { user: string };
        const orders = shop.users.get(user)?.orders ?? [];
        for (const id of orders) {
          const order = JSON.stringify(id);
          act(instance, `get_order_details {"order_id": ${order}}`);
          act(instance, `cancel_pending_order {"order_id": ${order}, "reason": "no longer needed"}`);
          const items = shop.orders.get(id)!.items.map(({ item_id }) => item_id);
          const [payment] = shop.orders.get(id)!.payment_history;
          const given = { order_id: id, item_ids: items, payment_method_id: payment!.payment_method_id };
          act(instance, `return_delivered_order_items ${JSON.stringify(given)}`);
        }
        return act(instance, 'done');
      },
    ];
    const paid = panel.map((policy) => everySeed.filter((seed) => policy(open(seed)).reward > 0).length);
    expect(paid.slice(0, 2)).toEqual([0, 0]);
    // cancelling and returning all that a user has is what a few tasks ask for
    expect(paid[2]! / everySeed.length).toBeLessThan(0.05);
  });
});

describe('telling everything', () => {
  const figures = Array.from({ length: 12_000 }, (_, at) => at / 10);
  const names = JSON.stringify([...shop.products.values()]).match(/[\p{L}\p{N}]+/gu)!;
  const asking = everySeed.filter((seed) => (open(seed).facts!()['outputs'] as string[]).length > 0);

  it.each([
    ['glued', figures.join('x') + names.join('.')],
    ['dotted', names.join('.') + figures.map((figure) => `..${figure}`).join('')],
    [
      'with zeros before',
      figures.flatMap((figure) => (figure % 1 === 0 ? '0'.repeat(45) + String(figure) : [])).join(' '),
    ],
    ['with letters beyond two bytes between', figures.join('𝒳') + names.join('𝒳')],
  ])('tells nothing, %s', (_name, list) => {
    expect(asking.length).toBeGreaterThan(20);
    const paid = asking.filter((seed) => {
      const instance = open(seed);
      const plan = instance.oracle!().filter((action) => !action.startsWith('say The answer'));
      return act(instance, ...plan.slice(0, -1), `say ${list}`, 'done').reward > 0;
    });
    expect(paid).toEqual([]);
  });
});

describe('two equal items of an order', () => {
  const order = [...shop.orders.values()].find(({ order_id }) => order_id === '#W7208030')!;
  const [one, other] = order.items;
  const wanted = Object.values(shop.products.get(one!.product_id)!.variants).filter(
    ({ available, item_id }) => available && item_id !== one!.item_id,
  );
  const method = Object.values(shop.users.get(order.user_id)!.payment_methods).find(
    ({ source }) => source !== 'gift_card',
  )!;
  const change = (ids: readonly string[], fresh: readonly string[]): string => {
    const given = {
      order_id: order.order_id,
      item_ids: ids,
      new_item_ids: fresh,
      payment_method_id: method.id,
    };
    return text(open(2_000_000), `modify_pending_order_items ${JSON.stringify(given)}`);
  };

  it('are both modified, each as asked, and a third is refused', () => {
    expect(one!.item_id).toBe(other!.item_id);
    const id = one!.item_id;
    const fresh = [wanted[0]!.item_id, wanted[1]!.item_id];
    const changed = JSON.parse(change([id, id], fresh)) as typeof order;
    expect(changed.items.map(({ item_id }) => item_id)).toEqual(fresh);
    expect(changed.payment_history.at(-1)!.amount).toBeCloseTo(
      Math.abs(wanted[0]!.price + wanted[1]!.price - one!.price - other!.price),
    );
    expect(change([id, id, id], [...fresh, fresh[0]!])).toBe('Error: an item is not in the order');
  });
});

describe('a conversation', () => {
  const seed = 2_000_002; // asks how many t-shirts there are, and returns three items

  it('pays only what is both done and told', () => {
    const silent = open(seed);
    const plan = silent.oracle!();
    expect(plan.some((action) => action === 'say The answer is: 10')).toBe(true);
    act(silent, ...plan.filter((action) => !action.startsWith('say The answer')));
    expect(silent.facts!()).toMatchObject({ isGoal: true, told: [] });
    expect(silent.oracle!()).toEqual([]);
    const idle = open(seed);
    expect(act(idle, 'say There are 10.', 'done')).toMatchObject({ reward: 0, success: false });
  });

  it('is read whole: what was said behind 2,000 characters counts', () => {
    const instance = open(seed);
    const plan = instance.oracle!().filter((action) => !action.startsWith('say The answer'));
    act(instance, ...plan.slice(0, -1), `say ${'so '.repeat(3000)} there are 10`);
    expect(act(instance, 'done').reward).toBe(1);
  });

  it('takes a number for what it is, with its commas, and not for a part of another', () => {
    for (const [said, counts] of [
      ['There are 10 of them.', true],
      ['There are 10.00!', true],
      ['There are 100.', false],
      ['It costs 10.5', false],
      ['ten', false],
    ] as const) {
      const instance = open(seed);
      act(instance, `say ${said}`);
      expect((instance.facts!()['told'] as string[]).length, said).toBe(counts ? 1 : 0);
    }
  });

  it('refuses what the policy forbids, and changes nothing then', () => {
    const instance = open(seed);
    const [delivered] = [...shop.orders.values()].filter(({ status }) => status === 'delivered');
    const id = JSON.stringify(delivered!.order_id);
    for (const [action, finding] of [
      [`cancel_pending_order {"order_id": ${id}, "reason": "no longer needed"}`, 'the order is not pending'],
      ['cancel_pending_order {"order_id": "#W0", "reason": "no longer needed"}', 'order not found'],
      [
        `return_delivered_order_items {"order_id": ${id}, "item_ids": ["1"], "payment_method_id": "x"}`,
        'payment method',
      ],
      ['cancel_pending_order {"order_id": 7, "reason": "x"}', 'order_id is no text'],
      ['cancel_pending_order {"order_id": "x", "why": "x"}', 'no argument "why"'],
      ['cancel_pending_order', 'order_id is no text; expected order_id, reason'],
      ['get_order_details {"order_id": "__proto__"}', 'nothing found'],
      ['get_user_details {"user_id": "constructor"}', 'nothing found'],
      ['toString {}', 'there is no tool toString'],
      ['calculate {"expression": "process.exit()"}', 'nothing found'],
      ['get_order_details [1]', 'expected say and a text'],
      ['say', 'say has no text'],
      ['', 'expected say and a text'],
    ] as const) {
      expect(text(instance, action), action).toContain(`Error: `);
      expect(text(instance, action), action).toContain(finding);
    }
    expect(instance.facts!()).toMatchObject({ isChanged: false });
    expect(text(instance, 'calculate {"expression": "2 * (3 + 4.5) / 3 - -1"}')).toBe('6');
  });

  it('goes on from a snapshot, and another at the same time sees nothing of it', () => {
    const one = open(2_000_000);
    const other = open(2_000_000);
    const plan = one.oracle!();
    act(one, ...plan.slice(0, -1));
    expect(one.facts!()).toMatchObject({ isGoal: true });
    expect(other.facts!()).toMatchObject({ isGoal: false, isChanged: false });
    other.restore!(JSON.parse(JSON.stringify(one.snapshot!())));
    expect(other.oracle!()).toEqual(['done']);
    expect(act(other, 'done')).toEqual(act(one, 'done'));
    expect(act(open(2_000_000), ...plan).reward).toBe(1);
  });
});
