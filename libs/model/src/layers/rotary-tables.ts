/** @file Cosines and sines of the rotary embedding, for every position a graph may meet. */
import type { Graph, Tensor } from '@espalier/graph';
import type { ModelShape, RotaryShape } from '../families/model-family.js';
import { rotaryFrequencies } from './rotary-frequencies.js';

export interface RotaryTables {
  readonly cos: Tensor; // [positions, d/2]
  readonly sin: Tensor; // [positions, d/2]
}

/** Adds the tables of every layer; layers that rotate alike share theirs, and layers that do not rotate have none. */
export function buildLayerTables(
  graph: Graph,
  positions: number,
  { attention, headSize }: ModelShape,
): readonly (RotaryTables | undefined)[] {
  const known = new Map<string, RotaryTables>();
  return attention.map(({ rotary }) => {
    if (rotary === undefined) return undefined;
    const key = JSON.stringify(rotary);
    const tables = known.get(key) ?? buildRotaryTables(graph, positions, headSize, rotary);
    known.set(key, tables);
    return tables;
  });
}

/** Adds rotary tables as constants: angles are rounded to float32 whatever the precision of the model. */
export function buildRotaryTables(
  graph: Graph,
  positions: number,
  headSize: number,
  rotary: RotaryShape,
): RotaryTables {
  const half = headSize / 2;
  const cos = new Float32Array(positions * half);
  const sin = new Float32Array(positions * half);
  const { angles, amplitude } = rotaryFrequencies(rotary, headSize);
  const factor = Math.fround(amplitude);
  angles.forEach((step, i) => {
    for (let position = 0; position < positions; position += 1) {
      const angle = Math.fround(position * step);
      cos[position * half + i] = factor * Math.fround(Math.cos(angle));
      sin[position * half + i] = factor * Math.fround(Math.sin(angle));
    }
  });
  return {
    cos: graph.constant(cos, 'float32', [positions, half]),
    sin: graph.constant(sin, 'float32', [positions, half]),
  };
}
