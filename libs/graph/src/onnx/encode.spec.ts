import { describe, expect, it } from 'vitest';
import { dim, dimProduct } from '../dim.js';
import { Graph } from '../graph.js';
import { add, exp } from '../ops/elementwise.js';
import { matmul } from '../ops/linear-algebra.js';
import { after, reshape } from '../ops/movement.js';
import { stopGradient } from '../ops/selection.js';
import { logSoftmax } from '../ops/softmax.js';
import { range } from '../ops/sizes.js';
import { encode } from './encode.js';

const text = (bytes: Uint8Array): string => Buffer.from(bytes).toString('latin1');

describe('encode', () => {
  it('writes the version and both operator sets', () => {
    const graph = new Graph();
    graph.output('y', exp(graph.input('x', 'float32', [2])));
    const bytes = encode(graph);
    expect([...bytes.subarray(0, 4)]).toEqual([0x08, 10, 0x12, 8]);
    expect(text(bytes)).toContain('com.microsoft');
  });

  it('tells the sizes of every result, not only of inputs and outputs', () => {
    const graph = new Graph();
    const flat = reshape(graph.input('x', 'float32', ['B', 4]), [dimProduct(dim('B'), 4)]);
    graph.output('y', exp(exp(flat)));
    const field = (name: string): string => `\n${String.fromCharCode(name.length)}${name}`;
    const declared = (name: string): boolean =>
      new RegExp(`${field(name)}[^a-z]{1,16}4\\*B`).test(text(encode(graph)));
    expect(['reshape_1', 'exp_2', 'x'].map(declared)).toEqual([true, true, false]);
  });

  it.each([
    ['a shape, which nothing is copied for', { isRewritten: false }, 'B', /Reshape/, /Where/],
    ['an entry, where shapes are known ahead', { isRewritten: true }, 'B', /Where/, /\x05Shape/],
    ['an entry of a tensor of known shape', { isRewritten: false }, 3, /Where/, /\x05Shape/],
  ] as const)('makes a tensor wait by %s', (_what, options, size, used, unused) => {
    const graph = new Graph();
    const [x, earlier] = [graph.input('x', 'float32', [2]), graph.input('earlier', 'float32', [size])];
    graph.output('y', after(x, [exp(earlier)]));
    const bytes = text(encode(graph, options));
    expect(bytes).toMatch(used);
    expect(bytes).not.toMatch(unused);
  });

  it('leaves out nodes that no output needs, and those that only rename', () => {
    const graph = new Graph();
    const x = graph.input('x', 'float32', [2]);
    exp(x);
    graph.output('y', add(stopGradient(x), 1));
    expect(text(encode(graph))).not.toMatch(/Exp|Identity|stopGradient/);
  });

  it('gives the same bytes for the same graph', () => {
    const build = (): Uint8Array => {
      const graph = new Graph();
      const x = graph.input('x', 'float32', ['B', 4]);
      graph.output('y', matmul(x, x, { transposeB: true }));
      return encode(graph);
    };
    expect(build()).toEqual(build());
  });

  it('avoids operators that WebGPU lacks when it is the target', () => {
    const graph = new Graph();
    const x = graph.input('x', 'float32', [2, 3, 4]);
    graph.output('y', logSoftmax(matmul(x, x, { transposeB: true, scale: 0.5 }), -1));
    expect(text(encode(graph))).toMatch(/FusedMatMul[^]*LogSoftmax/);
    expect(text(encode(graph, { target: 'webgpu' }))).not.toMatch(/FusedMatMul|LogSoftmax/);
  });

  it('rounds the factors of products for bf16, and nothing else', () => {
    const graph = new Graph();
    const x = graph.input('x', 'float32', [2, 3, 4]);
    graph.output('y', logSoftmax(matmul(x, x, { transposeB: true, scale: 0.5 }), -1));
    const count = (bytes: Uint8Array): number => text(bytes).split('Cast').length - 1;
    expect(count(encode(graph))).toBe(0);
    // two factors and the product
    expect(count(encode(graph, { products: 'bf16' }))).toBe(3);
    expect(text(encode(graph, { products: 'bf16' }))).toMatch(/FusedMatMul[^]*LogSoftmax/);
  });

  it('refers to fixed inputs instead of containing them, so that no model is too large', () => {
    const graph = new Graph();
    const w = graph.input('weight', 'float32', [512, 512]);
    graph.output('y', matmul(graph.input('x', 'float32', ['B', 512]), w));
    const bytes = encode(graph, { fixed: new Map([['weight', new Float32Array(512 * 512)]]) });
    expect(bytes.byteLength).toBeLessThan(1000);
    expect(text(bytes)).toContain('location');
    expect(() => encode(graph, { fixed: new Map([['weight', new Float32Array(3)]]) })).toThrow('3 entries');
  });

  it('refuses a size that cannot be read off an input, and a graph without outputs', () => {
    const graph = new Graph();
    expect(() => encode(graph)).toThrow('no outputs');
    graph.output('indices', range(graph, dim('Q')));
    expect(() => encode(graph)).toThrow('size "Q"');
  });

  it('encodes three thousand nodes in a row without deep recursion, with identical bytes each time', () => {
    const graph = new Graph();
    let x = graph.input('x', 'float32', ['B', 8]);
    for (let i = 0; i < 3000; i += 1) x = add(x, 1);
    graph.output('y', x);
    const bytes = encode(graph);
    expect(text(bytes).split('Add').length - 1).toBeGreaterThanOrEqual(3000);
    expect(Buffer.compare(encode(graph), bytes)).toBe(0);
  });
});
