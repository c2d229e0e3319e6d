/**
 * @file Arithmetic on shapes: printing, comparing, broadcasting, axes.
 */
import { AppError } from '@espalier/contracts';
import { type Dim, dimProduct, isSameDim } from './dim.js';

/** Sizes of all axes, outermost first; `[]` is a scalar. */
export type Shape = readonly Dim[];

/** Prints a shape as `[B, T, 64]`. */
export function printShape(shape: Shape): string {
  return `[${shape.map(String).join(', ')}]`;
}

/** Whether two shapes are equal for every value of their names. */
export function isSameShape(a: Shape, b: Shape): boolean {
  return a.length === b.length && a.every((size, axis) => isSameDim(size, b[axis] as Dim));
}

/** The number of entries of a shape. */
export function entryCount(shape: Shape): Dim {
  return dimProduct(...shape);
}

/** The shape that both broadcast to (axes aligned at the end, sizes equal or 1); throws `graph.shape_mismatch`. */
export function broadcastShapes(op: string, a: Shape, b: Shape): Shape {
  const rank = Math.max(a.length, b.length);
  const result: Dim[] = [];
  for (let axis = 0; axis < rank; axis += 1) {
    const x = a[axis - rank + a.length] ?? 1;
    const y = b[axis - rank + b.length] ?? 1;
    if (!isSameDim(x, y) && x !== 1 && y !== 1) {
      throw new AppError(
        'graph.shape_mismatch',
        `${op}: cannot broadcast ${printShape(a)} with ${printShape(b)}; sizes must be equal or 1, aligned at the last axis`,
      );
    }
    result.push(x === 1 ? y : x);
  }
  return result;
}

/** Converts a possibly negative axis to a non-negative one; throws `graph.invalid_axis`. */
export function resolveAxis(op: string, axis: number, rank: number): number {
  const resolved = axis < 0 ? axis + rank : axis;
  if (!Number.isInteger(axis) || resolved < 0 || resolved >= rank) {
    throw new AppError(
      'graph.invalid_axis',
      `${op}: axis ${axis} of a tensor of rank ${rank}; expected ${-rank} to ${rank - 1}`,
    );
  }
  return resolved;
}
