/**
 * @file Encodes a trajectory as one line of JSON and back, bit for bit: typed arrays as base64 of their little-endian
 * bytes under `$int32` or `$float32`, numbers that JSON lacks under `$number`.
 */
import type { Trajectory } from '@espalier/contracts';
import type { DroppedGroup } from '@espalier/contracts/group-filter';
import { fromBase64, toBase64 } from '@espalier/contracts/values';

type Coded = { readonly $int32: string } | { readonly $float32: string } | { readonly $number: string };

/** Encodes a trajectory; `kept` is whether it entered the batch, `dropped` why its group did not. */
export function encodeTrajectory(trajectory: Trajectory, kept: boolean, dropped?: DroppedGroup): string {
  return JSON.stringify({ ...trajectory, kept, dropped }, (_key, value: unknown) => encodeValue(value));
}

/** Decodes a line of {@link encodeTrajectory}. */
export function decodeTrajectory(line: string): StoredTrajectory {
  return JSON.parse(line, (_key, value: unknown) => decodeValue(value)) as StoredTrajectory;
}

/** A trajectory, whether it entered the batch, and if not, why its group did not. */
export type StoredTrajectory = Trajectory & {
  readonly kept: boolean;
  readonly dropped?: DroppedGroup | undefined;
};

function encodeValue(value: unknown): unknown {
  if (value instanceof Int32Array) return { $int32: toBase64(value) } satisfies Coded;
  if (value instanceof Float32Array) return { $float32: toBase64(value) } satisfies Coded;
  if (typeof value === 'number' && !Number.isFinite(value)) return { $number: String(value) } satisfies Coded;
  if (Object.is(value, -0)) return { $number: '-0' } satisfies Coded;
  return value;
}

function decodeValue(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  const coded = value as Partial<Record<'$int32' | '$float32' | '$number', string>>;
  if (typeof coded.$int32 === 'string') return new Int32Array(fromBase64(coded.$int32));
  if (typeof coded.$float32 === 'string') return new Float32Array(fromBase64(coded.$float32));
  return typeof coded.$number === 'string' ? Number(coded.$number) : value;
}
