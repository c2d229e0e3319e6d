/** @file Cosines and sines of the rotary embedding, for every position a graph may meet. */
import { dim, type Graph, type Tensor } from '@espalier/graph';
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

/** Adds rotary tables as constants. */
export function buildRotaryTables(
  graph: Graph,
  positions: number,
  headSize: number,
  rotary: RotaryShape,
): RotaryTables {
  const { cos, sin } = computeTables(positions, headSize, rotary);
  const shape = [positions, headSize / 2];
  return { cos: graph.constant(cos, 'float32', shape), sin: graph.constant(sin, 'float32', shape) };
}

/** Declares the tables of every layer as inputs, for as many positions as they are fed for; see {@link rotaryTables}. */
export function declareLayerTables(
  graph: Graph,
  { attention, headSize }: ModelShape,
): readonly (RotaryTables | undefined)[] {
  const names = tableNames(attention);
  const shape = [dim('W'), headSize / 2];
  const tables = new Map(
    [...names.values()].map((name): [string, RotaryTables] => [
      name,
      {
        cos: graph.input(`${name}:cos`, 'float32', shape),
        sin: graph.input(`${name}:sin`, 'float32', shape),
      },
    ]),
  );
  return attention.map(({ rotary }) => tables.get(names.get(JSON.stringify(rotary)) ?? ''));
}

/** Computes what {@link declareLayerTables} declares, for some positions: arrays [positions, d/2] by name. */
export function rotaryTables(
  { attention, headSize }: ModelShape,
  positions: number,
): Record<string, Float32Array> {
  const arrays: Record<string, Float32Array> = {};
  for (const [key, name] of tableNames(attention)) {
    const { cos, sin } = computeTables(positions, headSize, JSON.parse(key) as RotaryShape);
    arrays[`${name}:cos`] = cos;
    arrays[`${name}:sin`] = sin;
  }
  return arrays;
}

/** A name for each way in which layers rotate. */
function tableNames(attention: ModelShape['attention']): Map<string, string> {
  const names = new Map<string, string>();
  for (const { rotary } of attention)
    if (rotary !== undefined && !names.has(JSON.stringify(rotary)))
      names.set(JSON.stringify(rotary), `rotary:${names.size}`);
  return names;
}

/** Angles are rounded to float32 whatever the precision of the model. */
function computeTables(positions: number, headSize: number, rotary: RotaryShape) {
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
  return { cos, sin };
}
