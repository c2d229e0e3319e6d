/**
 * @file Validates a tensor against an input or output, so that errors name it.
 */
import { AppError } from '@espalier/contracts';
import { printShape } from '@espalier/graph';
import { ENTRY_ARRAY, type RuntimeTensor, type TensorPort } from './runtime-tensor.js';

/** Values that the tensors of one run give to named sizes, and which tensor gave them. */
export type SizeBindings = Map<string, { readonly size: number; readonly from: string }>;

/** Throws for a wrong dtype, shape or entry count, and for a contradiction with a named size bound before. */
export function checkTensor(
  kind: 'input' | 'output',
  port: TensorPort,
  tensor: RuntimeTensor,
  sizes: SizeBindings,
): void {
  const operation = `run session: ${kind} "${port.name}"`;
  const isArrayRight = tensor.mirror !== undefined || tensor.values instanceof ENTRY_ARRAY[port.dtype];
  if (tensor.dtype !== port.dtype || !isArrayRight) {
    const { name } = tensor.values.constructor;
    throw new AppError(
      'runtime.dtype_mismatch',
      `${operation}: got ${tensor.dtype} in a ${name}; expected ${port.dtype} in a ${ENTRY_ARRAY[port.dtype].name}`,
    );
  }
  const expected = `expected [${port.shape.join(', ')}]`;
  if (tensor.shape.length !== port.shape.length) {
    throw new AppError(
      'runtime.shape_mismatch',
      `${operation}: got ${printShape(tensor.shape)}; ${expected}`,
    );
  }
  port.shape.forEach((size, axis) => {
    const actual = tensor.shape[axis] as number;
    const bound = typeof size === 'number' ? { size, from: 'the graph' } : sizes.get(size);
    if (bound === undefined) sizes.set(size as string, { size: actual, from: `"${port.name}"` });
    else if (bound.size !== actual) {
      throw new AppError(
        'runtime.shape_mismatch',
        `${operation}: got ${printShape(tensor.shape)}; ${expected} where ${bound.from} fixes axis ${axis} to ${bound.size}`,
      );
    }
  });
  const count = tensor.shape.reduce((a, b) => a * b, 1);
  // the values of a mirror may be on a device, where asking for them would fetch them
  const length = tensor.mirror?.size ?? tensor.values.length;
  if (length !== count) {
    throw new AppError(
      'runtime.shape_mismatch',
      `${operation}: ${length} entries for ${printShape(tensor.shape)}; expected ${count}`,
    );
  }
}
