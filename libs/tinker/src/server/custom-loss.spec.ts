/** Losses that the official SDK traced, against what PyTorch computed of them; and what is refused. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { goldenFolder } from '@espalier/testing';
import { describe, expect, it } from 'vitest';
import { type TracedLoss, tracedLoss } from '../wire/traced-loss.js';
import { compileLoss } from './custom-loss.js';

interface Traced extends TracedLoss {
  readonly numbers: Readonly<Record<string, readonly number[]>>;
  readonly loss: number;
  readonly metrics: Readonly<Record<string, number>>;
  readonly gradient: readonly number[];
}

const golden = join(goldenFolder('traced-losses'), 'golden.json');
const { sdk } = JSON.parse(readFileSync(golden, 'utf8')) as { readonly sdk: readonly Traced[] };

const tensors = (numbers: Traced['numbers']) =>
  Object.fromEntries(
    Object.entries(numbers).map(([name, values]) => [
      name,
      { dtype: 'float32' as const, data: Float32Array.from(values) },
    ]),
  );

describe('a traced loss', () => {
  it.each(sdk)('has the value, the metrics and the gradient that PyTorch gives it: $name', (traced) => {
    const { numbers, loss, metrics, gradient } = traced;
    const compiled = compileLoss(tracedLoss.parse(traced));
    const { logprobs = [], ...inputs } = numbers;
    const found = compiled.evaluate('datum 0', Float32Array.from(logprobs), tensors(inputs));
    expect(found.loss).toBeCloseTo(loss, 5);
    expect(Object.keys(found.metrics)).toEqual(Object.keys(metrics));
    for (const [name, value] of Object.entries(metrics)) expect(found.metrics[name]).toBeCloseTo(value, 5);
    gradient.forEach((value, t) => expect(found.gradient[t]).toBeCloseTo(value, 5));
    expect(gradient.some((value) => value !== 0)).toBe(true);
  });

  it('is worked by hand: Σ −w · p, whose gradient is −w · p', () => {
    const compiled = compileLoss(loss([exp, times, total]));
    const found = compiled.evaluate('datum 0', Float32Array.of(-1, -2), tensors({ weights: [-1, -3] }));
    expect(found.loss).toBeCloseTo(-Math.exp(-1) - 3 * Math.exp(-2), 6);
    expect([...found.gradient]).toEqual([-Math.exp(-1), -3 * Math.exp(-2)].map(Math.fround));
  });
});

type Node = TracedLoss['graph']['nodes'][number];
const node = (target: string, args: readonly unknown[], more: Partial<Node> = {}): Node => ({
  op: 'call_function',
  name: target.split('.').at(-1) ?? '',
  target,
  args: [...args],
  kwargs: {},
  ...more,
});
const ref = (name: string) => ({ ref: name });
const exp = node('torch.exp', [ref('logprobs')]);
const times = node('operator.mul', [ref('exp'), ref('weights')]);
const total = node('torch.sum', [ref('mul')]);

function loss(nodes: readonly Node[], result: unknown = { tuple: [ref('sum'), { dict: {} }] }): TracedLoss {
  const inputs = ['logprobs', 'weights'].map((name) => ({ name, rank: 1 }));
  const placeholders = inputs.map(({ name }) => node(name, [], { op: 'placeholder' }));
  const output = node('output', [result], { op: 'output' });
  return { name: 'own', inputs, graph: { format: 1, nodes: [...placeholders, ...nodes, output] } };
}

describe('a traced loss that cannot be computed', () => {
  const refusals: readonly (readonly [string, TracedLoss, RegExp])[] = [
    [
      'an unknown function',
      loss([node('torch.linalg.svd', [ref('logprobs')])]),
      /torch\.linalg\.svd: this server does not know it; it knows add,/,
    ],
    [
      'a function of another module',
      loss([node('os.system', ['ls'])]),
      /os\.system: this server does not know it/,
    ],
    [
      'a name that every object has',
      loss([node('torch.constructor', [ref('logprobs')])]),
      /torch\.constructor: this server does not know it/,
    ],
    [
      'a method of no tensor',
      loss([node('item', [ref('logprobs')], { op: 'call_method' })]),
      /item: this server does not know it/,
    ],
    [
      'a captured tensor',
      loss([node('table', [], { op: 'get_attr' })]),
      /table: this server does not know it/,
    ],
    [
      'a later node',
      loss([node('torch.exp', [ref('sum')]), times, total]),
      /refers to sum, which is no earlier node/,
    ],
    ['a node twice', loss([exp, exp]), /two nodes have the name exp/],
    [
      'an unknown parameter',
      loss([node('torch.exp', [ref('logprobs')], { kwargs: { out: 1 } })]),
      /it has no parameter out, but input/,
    ],
    ['too many arguments', loss([node('torch.exp', [ref('logprobs'), 1, 2])]), /3 arguments; it takes input/],
    ['a string for a tensor', loss([node('torch.exp', ['logprobs'])]), /torch\.exp: expected a tensor/],
    ['another axis', loss([node('torch.sum', [ref('logprobs'), 1])]), /dim must be 0 or -1/],
    [
      'an index',
      loss([node('operator.getitem', [ref('logprobs'), { slice: [1, null, null] }])]),
      /indices of tensors are not supported/,
    ],
    [
      'a power of an odd exponent',
      loss([node('torch.pow', [ref('logprobs'), 1.7])]),
      /the exponent must be 0\.5 or a whole number/,
    ],
    [
      'a loss that is a vector',
      loss([exp, times], { tuple: [ref('mul'), { dict: {} }] }),
      /its loss is no tensor of a single number; reduce it/,
    ],
    ['no metrics', loss([exp, times, total], ref('sum')), /it must return a loss and a dict of metrics/],
    [
      'a metric that shadows one of ours',
      loss([exp, times, total], { tuple: [ref('sum'), { dict: { 'loss:sum': ref('sum') } }] }),
      /metric "loss:sum": expected a name such as custom/,
    ],
    ['no output', { ...loss([]), graph: { format: 1, nodes: [exp] } }, /refers to logprobs|no output/],
    [
      'other first inputs',
      { ...loss([]), inputs: [{ name: 'weights', rank: 1 }] },
      /its first input must be logprobs/,
    ],
    [
      'several values a token',
      {
        ...loss([]),
        inputs: [
          { name: 'logprobs', rank: 1 },
          { name: 'weights', rank: 2 },
        ],
      },
      /several values a token/,
    ],
  ];
  it.each(refusals)('is refused with the reason: %s', (_, traced, message) => {
    expect(() => compileLoss(traced)).toThrow(message);
  });

  it('is refused where a sequence lacks what it reads, or gives it no finite number', () => {
    const compiled = compileLoss(loss([exp, times, total]));
    const logprobs = Float32Array.of(-1, -2);
    expect(() => compiled.evaluate('datum 3', logprobs, {})).toThrow(/datum 3 has no weights; expected 2/);
    expect(() => compiled.evaluate('datum 3', logprobs, tensors({ weights: [1] }))).toThrow(
      /has 1 weights; expected 2/,
    );
    expect(() => compiled.evaluate('datum 3', logprobs, tensors({ weights: [1, Number.NaN] }))).toThrow(
      /loss "own": of datum 3 it is NaN, or its gradient is not finite; nothing was added/,
    );
  });
});
