/**
 * @file Named sizes at run time: small int64 tensors computed once from the shapes of inputs.
 */
import { AppError } from '@espalier/contracts';
import { type Dim, isFixed, type Monomial } from '../dim.js';
import type { Graph } from '../graph.js';
import type { EncodeContext } from '../op.js';
import type { Shape } from '../shape.js';

/** Returns value names of sizes. */
export interface Sizes {
  /** A 1-D int64 tensor with one entry per size. */
  vector(shape: Shape): string;
  /** An int64 scalar. */
  scalar(size: Dim): string;
}

type SizesContext = Pick<EncodeContext<unknown>, 'int64' | 'emit' | 'temporary'> & {
  readonly graph: Graph;
};

/** Creates the size computations of one encoding. */
export function createSizes(context: SizesContext): Sizes {
  const { graph, int64, emit, temporary } = context;
  const computed = new Map<string, string>();

  const remember = (key: string, build: (output: string) => void): string => {
    const known = computed.get(key);
    if (known !== undefined) return known;
    const output = temporary();
    build(output);
    computed.set(key, output);
    return output;
  };

  const chain = (opType: string, names: readonly string[]): string =>
    names.reduce((left, right) =>
      remember(`${opType}(${left},${right})`, (output) => emit(opType, [left, right], [output])),
    );

  const variable = (name: string): string =>
    remember(name, (output) => {
      const [input, axis] = axisOfSize(graph, name);
      emit('Shape', [input], [output], { start: axis, end: axis + 1 });
    });

  const product = ({ coefficient, names }: Monomial): string => {
    const factors = names.map(variable);
    return chain(
      'Mul',
      coefficient === 1 && factors.length > 0 ? factors : [...factors, int64([coefficient])],
    );
  };

  /** A one-entry tensor of one size. */
  const single = (size: Dim): string =>
    typeof size === 'number' ? int64([size]) : chain('Add', size.terms.map(product));

  return {
    vector(shape) {
      if (isFixed(shape)) return int64(shape);
      const entries = shape.map(single);
      if (entries.length === 1) return entries[0] as string;
      return remember(`[${shape.map(String).join(',')}]`, (output) =>
        emit('Concat', entries, [output], { axis: 0 }),
      );
    },
    scalar(size) {
      return remember(`scalar ${String(size)}`, (output) =>
        emit('Squeeze', [single(size), int64([0])], [output]),
      );
    },
  };
}

/** The input and axis whose size is exactly this name. */
function axisOfSize(graph: Graph, name: string): [string, number] {
  for (const [input, tensor] of graph.inputs) {
    const axis = tensor.shape.findIndex((size) => typeof size === 'object' && size.key === name);
    if (axis >= 0) return [input, axis];
  }
  throw new AppError(
    'graph.unbound_size',
    `encode: size "${name}" is not the size of an axis of any input; declare an input with such an axis`,
  );
}
