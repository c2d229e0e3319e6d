/**
 * @file TensorBoard's event file: TFRecords of `tensorflow.Event`. The field numbers are those of event.proto,
 * summary.proto and tensor.proto of TensorBoard 2.
 */
import { BinaryWriter, WireType } from '@bufbuild/protobuf/wire';
import { maskedCrc32c } from './crc32c.js';

/** One value of a summary: a number, or a text that is read as Markdown. */
export type SummaryValue = { readonly tag: string } & (
  | { readonly scalar: number }
  | { readonly text: string }
);

/** A TFRecord: length, its checksum, the bytes, their checksum. */
export function encodeRecord(bytes: Uint8Array): Buffer {
  const record = Buffer.alloc(bytes.length + 16);
  record.writeBigUInt64LE(BigInt(bytes.length), 0);
  record.writeUInt32LE(maskedCrc32c(record.subarray(0, 8)), 8);
  record.set(bytes, 12);
  record.writeUInt32LE(maskedCrc32c(bytes), 12 + bytes.length);
  return record;
}

/** The first event of every file. @param time ms since the epoch */
export function encodeVersion(time: number): Uint8Array {
  return begin(time).tag(3, WireType.LengthDelimited).string('brain.Event:2').finish();
}

/** An event with values of one step. @param time ms since the epoch */
export function encodeSummary(time: number, step: number, values: readonly SummaryValue[]): Uint8Array {
  const summary = new BinaryWriter();
  for (const value of values) summary.tag(1, WireType.LengthDelimited).bytes(encodeValue(value));
  const event = begin(time);
  // a field that is 0 is not written
  if (step !== 0) event.tag(2, WireType.Varint).int64(step);
  return event.tag(5, WireType.LengthDelimited).bytes(summary.finish()).finish();
}

const begin = (time: number): BinaryWriter => new BinaryWriter().tag(1, WireType.Bit64).double(time / 1000);

function encodeValue(value: SummaryValue): Uint8Array {
  const writer = new BinaryWriter().tag(1, WireType.LengthDelimited).string(value.tag);
  if ('scalar' in value) return writer.tag(2, WireType.Bit32).float(toFloat(value.scalar)).finish();
  const plugin = new BinaryWriter().tag(1, WireType.LengthDelimited).string('text').finish();
  const metadata = new BinaryWriter().tag(1, WireType.LengthDelimited).bytes(plugin).finish();
  const dimension = new BinaryWriter().tag(1, WireType.Varint).int64(1).finish();
  const shape = new BinaryWriter().tag(2, WireType.LengthDelimited).bytes(dimension).finish();
  const tensor = new BinaryWriter()
    .tag(1, WireType.Varint)
    .int32(7) // DT_STRING
    .tag(2, WireType.LengthDelimited)
    .bytes(shape)
    .tag(8, WireType.LengthDelimited)
    .bytes(Buffer.from(value.text))
    .finish();
  return writer
    .tag(8, WireType.LengthDelimited)
    .bytes(tensor)
    .tag(9, WireType.LengthDelimited)
    .bytes(metadata)
    .finish();
}

/** A number beyond float32 becomes infinity, which a writer of protobuf would refuse. */
const toFloat = (value: number): number => Math.fround(value);
