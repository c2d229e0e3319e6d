import { describe, expect, it } from 'vitest';
import { dim, dimProduct } from './dim.js';
import { evaluate } from './evaluate.js';
import { Graph } from './graph.js';
import { add } from './ops/elementwise.js';
import { matmul } from './ops/linear-algebra.js';
import { concat, slice, split } from './ops/joining.js';
import { broadcastTo, reshape, transpose } from './ops/movement.js';
import { printShape } from './shape.js';
import { Tensor } from './tensor.js';

describe('Graph', () => {
  it('rejects two inputs or two outputs with one name', () => {
    const graph = new Graph();
    const x = graph.input('x', 'float32', [2]);
    expect(() => graph.input('x', 'float32', [3])).toThrow('input "x"');
    graph.output('y', x);
    expect(() => graph.output('y', x)).toThrow('output "y"');
  });

  it('rejects operands of another graph', () => {
    const x = new Graph().input('x', 'float32', [2]);
    const y = new Graph().input('y', 'float32', [2]);
    expect(() => add(x, y)).toThrow('another graph');
  });

  it('takes operands that another copy of the package made', async () => {
    const copy = './tensor.js?copy';
    const { Tensor: Other } = (await import(copy)) as { readonly Tensor: typeof Tensor };
    const { graph, node, outputIndex, dtype, shape } = new Graph().input('x', 'float32', [2]);
    const x = new Other(graph, node, outputIndex, dtype, shape);
    expect(x).not.toBeInstanceOf(Tensor);
    expect(add(1, x).shape).toEqual([2]);
  });

  it('shares equal scalar constants', () => {
    const graph = new Graph();
    expect(graph.constant(2)).toBe(graph.constant(2));
    expect(graph.constant(2, 'int64')).not.toBe(graph.constant(2));
  });

  it('makes constants of arrays, of their dtype and shape', () => {
    const graph = new Graph();
    const constant = graph.constant(BigInt64Array.of(1n, 2n), undefined, [2, 1]);
    expect([constant.dtype, constant.shape]).toEqual(['int64', [2, 1]]);
    expect(() => graph.constant([1, 2, 3], 'float32', [2])).toThrow('3 entries for shape [2]');
    graph.output('filled', graph.constant(7, 'float32', [2, 2]));
    expect(evaluate(graph, {})['filled']?.values).toEqual(Float64Array.of(7, 7, 7, 7));
  });
});

describe('shape inference', () => {
  const graph = new Graph();
  const x = graph.input('x', 'float32', ['B', 'T', 8]);
  const past = graph.input('past', 'float32', ['B', 'P', 8]);

  it('joins and parts named axes', () => {
    const rows = reshape(x, [-1, 8]);
    expect(printShape(rows.shape)).toBe('[B*T, 8]');
    expect(printShape(reshape(rows, [dim('B'), -1, 2, 4]).shape)).toBe('[B, T, 2, 4]');
    expect(() => reshape(rows, [dim('B'), 8])).toThrow('same number of entries');
  });

  it('adds named sizes along a joined axis, and takes them off again', () => {
    const joined = concat([past, x], 1);
    expect(printShape(joined.shape)).toBe('[B, P+T, 8]');
    expect(printShape(slice(joined, { axis: 1, start: dim('P') }).shape)).toBe('[B, T, 8]');
    const pieces = split(joined, { axis: 1, sizes: [dim('P'), dim('T')] });
    expect(pieces.map(({ shape }) => printShape(shape))).toEqual(['[B, P, 8]', '[B, T, 8]']);
  });

  it('names both shapes when inner sizes of a product differ', () => {
    expect(() => matmul(x, graph.input('w', 'float32', [4, 8]))).toThrow(
      'matmul: inner sizes differ, got [B, T, 8] and [4, 8]; the last axis of the left must equal the second-last of the right',
    );
  });

  it('refuses to broadcast different names', () => {
    expect(() => add(x, past)).toThrow('cannot broadcast [B, T, 8] with [B, P, 8]');
    expect(() => broadcastTo(x, [dim('B'), dim('T'), 1])).toThrow('does not broadcast');
  });

  it('refuses illegal axes, cuts and dtypes', () => {
    expect(() => transpose(x, [0, 0, 1])).toThrow('every axis must occur once');
    expect(() => slice(x, { axis: 2, start: 4, end: 9 })).toThrow('slice: 4 to 9');
    expect(() => split(x, { axis: 2, sizes: [4, 5] })).toThrow('add up');
    expect(() => add(x, graph.input('ids', 'int64', [1]))).toThrow('float32 and int64');
  });

  it('keeps products of names apart from their parts', () => {
    const flat = graph.input('flat', 'float32', [dimProduct(dim('B'), dim('T')), 8]);
    expect(printShape(add(flat, reshape(x, [-1, 8])).shape)).toBe('[B*T, 8]');
  });
});
