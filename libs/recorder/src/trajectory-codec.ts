/**
 * @file Encodes a trajectory as one line of JSON and back, bit for bit: typed arrays as base64 of their little-endian
 * bytes under `$int32` or `$float32`, numbers that JSON lacks under `$number`.
 */
import type { Trajectory } from '@espalier/contracts';
import type { DroppedGroup } from '@espalier/contracts/group-filter';
import type { UpdateRecord } from '@espalier/contracts/update-record';
import { fromBase64, toBase64 } from '@espalier/contracts/values';

type Coded = { readonly $int32: string } | { readonly $float32: string } | { readonly $number: string };

/** Encodes any record with typed arrays as one line. */
export const encodeRecord = (record: object): string =>
  JSON.stringify(record, (_key, value: unknown) => encodeValue(value));

/** Decodes a line of {@link encodeRecord}. */
export const decodeRecord = (line: string): unknown =>
  JSON.parse(line, (_key, value: unknown) => decodeValue(value));

/** Encodes a trajectory and what became of it. */
export function encodeTrajectory(trajectory: Trajectory, fate: TrajectoryFate): string {
  const { kept, dropped, update } = fate;
  return encodeRecord({ ...trajectory, kept, dropped, update });
}

/** Decodes a line of {@link encodeTrajectory}. */
export function decodeTrajectory(line: string): StoredTrajectory {
  return decodeRecord(line) as StoredTrajectory;
}

interface TrajectoryFate {
  /** it entered the batch */
  readonly kept: boolean;
  /** why its group did not */
  readonly dropped?: DroppedGroup | undefined;
  /** what the update did to it; absent: validation, or stored by an older version */
  readonly update?: UpdateRecord | undefined;
}

/** A trajectory and what became of it. */
export type StoredTrajectory = Trajectory & TrajectoryFate;

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
