/**
 * @file Whether the indices of a run exist. ONNX Runtime reports a wrong one; OpenVINO and CUDA read whatever lies there. So
 * inputs that a graph uses as indices, as they are or reshaped, are checked before every run, whichever driver computes.
 */
import { AppError } from '@espalier/contracts';
import { type Dim, type Graph, resolveDim, type Tensor } from '@espalier/graph';
import type { RuntimeTensors } from './drivers/driver.js';
import type { RuntimeTensor } from './runtime-tensor.js';
import type { SizeBindings } from './tensor-check.js';

/** An input that looks up entries of an axis. */
export interface Lookup {
  readonly input: string;
  readonly size: Dim;
}

/** Operators whose second operand indexes an axis of the first. */
const lookups = new Set(['gather', 'gatherElements', 'scatterAdd', 'tokenLogProbs']);
/** Operators that pass every entry on as it is. */
const movements = new Set(['reshape', 'transpose', 'broadcastTo', 'stopGradient']);

/** The inputs of a graph that are indices, each once per size. */
export function findLookups({ nodes, inputs }: Graph): readonly Lookup[] {
  const nameOf = new Map([...inputs].map(([name, tensor]) => [tensor, name]));
  const found = new Map<string, Lookup>();
  for (const { op, inputs: operands, attributes } of nodes) {
    if (!lookups.has(op.name)) continue;
    const [data, indices] = operands as [Tensor, Tensor];
    const { axis = data.rank - 1 } = (attributes ?? {}) as { readonly axis?: number };
    const input = nameOf.get(sourceOf(indices));
    const size = data.shape[axis];
    if (input !== undefined && size !== undefined) found.set(`${input} ${size}`, { input, size });
  }
  return [...found.values()];
}

function sourceOf(tensor: Tensor): Tensor {
  const { op, inputs } = tensor.node;
  const [first] = inputs;
  return first !== undefined && movements.has(op.name) ? sourceOf(first) : tensor;
}

/** @throws runtime.index_out_of_range */
export function checkIndices(found: readonly Lookup[], feeds: RuntimeTensors, bindings: SizeBindings): void {
  if (found.length === 0) return;
  const numbers = new Map([...bindings].map(([name, { size }]) => [name, size]));
  for (const { input, size } of found) {
    const feed = feeds[input];
    if (feed === undefined) continue;
    const limit = resolveDim(size, numbers);
    const at = findOutside(feed, limit);
    if (at < 0) continue;
    throw new AppError(
      'runtime.index_out_of_range',
      `run session: input "${input}" has ${feed.values[at]} at place ${at}, an index of an axis of size ${limit}; expected ${-limit} to ${limit - 1}`,
      { details: { input, place: at } },
    );
  }
}

/** The place of the first index outside [-size, size); -1: there is none. */
function findOutside({ values }: RuntimeTensor, size: number): number {
  if (!(values instanceof BigInt64Array))
    return values.findIndex((index: number | bigint) => Number(index) < -size || Number(index) >= size);
  // halves, because a bigint per entry costs more than the check
  const halves = new Int32Array(values.buffer, values.byteOffset, values.length * 2);
  for (let place = 0; place < values.length; place += 1) {
    const low = (halves[place * 2] as number) >>> 0;
    const high = halves[place * 2 + 1];
    if (high === 0 ? low >= size : high !== -1 || 2 ** 32 - low > size) return place;
  }
  return -1;
}
