/**
 * @file The binary form of the Tinker API: the three messages that are sent as protobuf, read and written over the wire
 * format. Field numbers are those of `tinker_public` (SDK 0.25 to 0.38); unknown fields are skipped. `entropies` of a
 * sampled sequence is a field of our own, which other programs skip.
 */
import { BinaryReader, BinaryWriter, WireType } from '@bufbuild/protobuf/wire';
import { AppError } from '@espalier/contracts';

export const protobufType = 'application/x-protobuf';

/** A named tensor of a datum or of a result; integers are int64 on the wire. */
export interface WireTensor {
  readonly dtype: 'float32' | 'int64';
  readonly data: Float32Array | Int32Array;
}

export interface WireDatum {
  /** ids that the model reads */
  readonly tokens: Int32Array;
  /** by name; each as long as `tokens` */
  readonly inputs: Readonly<Record<string, WireTensor>>;
}

/** Numbers of a named loss, or the id of one that was created. */
export type LossConfig = Readonly<Record<string, number | string>>;

export interface WirePass {
  readonly modelId: string;
  readonly seqId: number;
  readonly data: readonly WireDatum[];
  readonly lossFn: string;
  readonly lossConfig: LossConfig;
  readonly forwardOnly: boolean;
}

export interface WirePassResult {
  /** per datum, by name */
  readonly outputs: readonly Readonly<Record<string, Float32Array>>[];
  readonly metrics: Readonly<Record<string, number>>;
}

export interface WireSequence {
  readonly stop: 'stop' | 'length';
  readonly tokens: Int32Array;
  /** absent: the server gave none */
  readonly logprobs?: Float32Array | undefined;
  readonly entropies?: Float32Array | undefined;
}

export interface WireSample {
  readonly sequences: readonly WireSequence[];
  /** NaN where undefined */
  readonly promptLogprobs?: Float32Array | undefined;
}

const FLOAT32 = 1;
const INT64 = 2;
const INT32 = 3;
const BFLOAT16 = 4;
const ENTROPIES = 1000;

type Write = (writer: BinaryWriter) => void;

function message(writer: BinaryWriter, field: number, write: Write): void {
  writer.tag(field, WireType.LengthDelimited).fork();
  write(writer);
  writer.join();
}

const bytes = (writer: BinaryWriter, field: number, value: Uint8Array): BinaryWriter =>
  writer.tag(field, WireType.LengthDelimited).bytes(value);

const text = (writer: BinaryWriter, field: number, value: string): BinaryWriter =>
  writer.tag(field, WireType.LengthDelimited).string(value);

const whole = (writer: BinaryWriter, field: number, value: number): BinaryWriter =>
  writer.tag(field, WireType.Varint).int64(value);

const bytesOf = ({ buffer, byteOffset, byteLength }: Float32Array | Int32Array): Uint8Array =>
  new Uint8Array(buffer, byteOffset, byteLength);

function encodeInt64(values: ArrayLike<number>): Uint8Array {
  const array = BigInt64Array.from({ length: values.length }, (_, i) => BigInt(values[i] as number));
  return new Uint8Array(array.buffer);
}

/** Encodes a request for a pass over the model. */
export function encodePass(pass: WirePass): Uint8Array {
  const writer = new BinaryWriter();
  text(writer, 1, pass.modelId);
  whole(writer, 2, pass.seqId);
  for (const datum of pass.data) message(writer, 3, (inner) => writeDatum(inner, datum));
  text(writer, 4, pass.lossFn);
  const config = Object.entries(pass.lossConfig);
  for (const [name, value] of config)
    if (typeof value === 'number')
      message(writer, 5, (entry) => text(entry, 1, name).tag(2, WireType.Bit64).double(value));
  if (pass.forwardOnly) writer.tag(6, WireType.Varint).bool(true);
  // newer servers read the numbers here, where strings may stand as well
  for (const [name, value] of config)
    message(writer, 7, (entry) => {
      text(entry, 1, name);
      message(entry, 2, (inner) =>
        typeof value === 'number' ? inner.tag(1, WireType.Bit64).double(value) : text(inner, 2, value),
      );
    });
  return writer.finish();
}

function writeDatum(writer: BinaryWriter, { tokens, inputs }: WireDatum): void {
  message(writer, 1, (chunk) => message(chunk, 1, (encoded) => bytes(encoded, 1, bytesOf(tokens))));
  for (const [name, { dtype, data }] of Object.entries(inputs))
    message(writer, 2, (entry) => {
      text(entry, 1, name);
      message(entry, 2, (tensor) => {
        bytes(tensor, 1, dtype === 'int64' ? encodeInt64(data) : bytesOf(data));
        whole(tensor, 3, dtype === 'int64' ? INT64 : FLOAT32);
        message(tensor, 4, (shape) => shape.int64(data.length));
      });
    });
}

/** Encodes the result of a pass: one record for all data. */
export function encodePassResult({ outputs, metrics }: WirePassResult): Uint8Array {
  const writer = new BinaryWriter();
  text(writer, 1, 'scalar');
  if (outputs.length > 0)
    message(writer, 2, (record) => {
      for (const name of Object.keys(outputs[0] ?? {})) {
        const arrays = outputs.map((one) => one[name] ?? new Float32Array());
        message(record, 2, (entry) => {
          text(entry, 1, name);
          message(entry, 2, (batched) => writeBatched(batched, arrays));
        });
      }
      whole(record, 3, outputs.length);
    });
  for (const [name, value] of Object.entries(metrics))
    message(writer, 3, (entry) => text(entry, 1, name).tag(2, WireType.Bit64).double(value));
  return writer.finish();
}

function writeBatched(writer: BinaryWriter, arrays: readonly Float32Array[]): void {
  const offsets = [0];
  for (const { byteLength } of arrays) offsets.push((offsets.at(-1) ?? 0) + byteLength);
  bytes(writer, 1, Buffer.concat(arrays.map(bytesOf)));
  bytes(writer, 2, encodeInt64(offsets));
  whole(writer, 3, FLOAT32);
}

/** Encodes sampled sequences. */
export function encodeSample({ sequences, promptLogprobs }: WireSample): Uint8Array {
  const writer = new BinaryWriter();
  for (const { stop, tokens, logprobs, entropies } of sequences)
    message(writer, 1, (inner) => {
      if (stop === 'length') whole(inner, 1, 1);
      bytes(inner, 2, bytesOf(tokens));
      if (logprobs !== undefined) bytes(inner, 3, bytesOf(logprobs));
      if (entropies !== undefined) bytes(inner, ENTROPIES, bytesOf(entropies));
    });
  if (promptLogprobs !== undefined) bytes(writer, 2, bytesOf(promptLogprobs));
  return writer.finish();
}

type Fields = Readonly<Record<number, (reader: BinaryReader) => void>>;

/** Reads a message whose fields are known by number. */
function read(reader: BinaryReader, end: number, fields: Fields): void {
  while (reader.pos < end) {
    const [field, type] = reader.tag();
    const known = fields[field];
    if (known === undefined) reader.skip(type);
    else known(reader);
  }
}

function nested(reader: BinaryReader, fields: Fields): void {
  const length = reader.uint32();
  read(reader, reader.pos + length, fields);
}

/** Reads a message as a whole. @throws engine.bad_answer */
function decode<Result>(data: Uint8Array, what: string, work: (reader: BinaryReader) => Result): Result {
  try {
    return work(new BinaryReader(data));
  } catch (cause) {
    if (cause instanceof AppError) throw cause;
    throw new AppError(
      'engine.bad_answer',
      `read ${what}: ${data.length} bytes are not the protobuf message of the Tinker API; the other side speaks another version`,
      { cause },
    );
  }
}

const aligned = (data: Uint8Array): Uint8Array => Uint8Array.from(data);

function floats(data: Uint8Array): Float32Array {
  return new Float32Array(aligned(data).buffer, 0, checkedCount(data, 4));
}

function ints(data: Uint8Array): Int32Array {
  return new Int32Array(aligned(data).buffer, 0, checkedCount(data, 4));
}

function longs(data: Uint8Array): Int32Array {
  const values = new BigInt64Array(aligned(data).buffer, 0, checkedCount(data, 8));
  return Int32Array.from(values, (value) => {
    const number = Number(value);
    if (number !== (number | 0)) throw new RangeError(`${value} is out of range`);
    return number;
  });
}

function checkedCount({ byteLength }: Uint8Array, width: number): number {
  if (byteLength % width !== 0) throw new RangeError(`${byteLength} bytes are no whole number of values`);
  return byteLength / width;
}

/** Values of one of the number formats of the wire, as float32. */
function numbers(data: Uint8Array, dtype: number): Float32Array {
  if (dtype === FLOAT32) return floats(data);
  if (dtype === INT64) return Float32Array.from(longs(data));
  if (dtype === INT32) return Float32Array.from(ints(data));
  if (dtype !== BFLOAT16) throw new RangeError(`number format ${dtype} is unknown`);
  const halves = new Uint16Array(aligned(data).buffer, 0, checkedCount(data, 2));
  return new Float32Array(Uint32Array.from(halves, (half) => half << 16).buffer);
}

const empty = new Uint8Array();

/** Reads a request for a pass. */
export function decodePass(data: Uint8Array): WirePass {
  return decode(data, 'a forward-backward request', (reader) => {
    let [modelId, lossFn, seqId, forwardOnly] = ['', '', 0, false];
    const data_: WireDatum[] = [];
    const lossConfig: Record<string, number | string> = {};
    read(reader, reader.len, {
      1: (r) => void (modelId = r.string()),
      2: (r) => void (seqId = r.int32()),
      3: (r) => void data_.push(readDatum(r)),
      4: (r) => void (lossFn = r.string()),
      5: (r) => {
        const [name, value] = readMetric(r);
        lossConfig[name] = value;
      },
      6: (r) => void (forwardOnly = r.bool()),
      7: (r) => {
        const [name, value] = readSetting(r);
        lossConfig[name] = value;
      },
    });
    return { modelId, seqId, data: data_, lossFn, lossConfig, forwardOnly };
  });
}

function readDatum(reader: BinaryReader): WireDatum {
  const chunks: Int32Array[] = [];
  const inputs: Record<string, WireTensor> = {};
  nested(reader, {
    1: (chunk) =>
      nested(chunk, {
        1: (encoded) => nested(encoded, { 1: (r) => void chunks.push(ints(r.bytes())) }),
        2: () => refuseChunk('an image'),
        3: () => refuseChunk('audio'),
      }),
    2: (entry) => {
      let name = '';
      let tensor: WireTensor | undefined;
      nested(entry, { 1: (r) => void (name = r.string()), 2: (r) => void (tensor = readTensor(r)) });
      if (tensor !== undefined) inputs[name] = tensor;
    },
  });
  return { tokens: joinInts(chunks), inputs };
}

function refuseChunk(what: string): never {
  throw new AppError('engine.unsupported', `read a datum: it holds ${what}; send token ids only`);
}

function readTensor(reader: BinaryReader): WireTensor {
  let [dense, dtype]: [Uint8Array, number] = [empty, 0];
  nested(reader, {
    1: (r) => void (dense = r.bytes()),
    2: () => {
      throw new AppError('engine.unsupported', 'read a datum: it holds a sparse tensor; send dense ones');
    },
    3: (r) => void (dtype = r.int32()),
  });
  return dtype === INT64
    ? { dtype: 'int64', data: longs(dense) }
    : { dtype: 'float32', data: numbers(dense, dtype) };
}

export function joinInts(parts: readonly Int32Array[]): Int32Array {
  const joined = new Int32Array(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    joined.set(part, at);
    at += part.length;
  }
  return joined;
}

/** Reads the result of a pass. @throws engine.bad_answer */
export function decodePassResult(data: Uint8Array): WirePassResult {
  return decode(data, 'the result of a pass', (reader) => {
    const outputs: Record<string, Float32Array>[] = [];
    const metrics: Record<string, number> = {};
    read(reader, reader.len, {
      2: (r) => void outputs.push(...readRecord(r)),
      3: (r) => {
        const [name, value] = readMetric(r);
        metrics[name] = value;
      },
    });
    return { outputs, metrics };
  });
}

function readMetric(reader: BinaryReader): readonly [name: string, value: number] {
  let [name, value] = ['', Number.NaN];
  nested(reader, { 1: (r) => void (name = r.string()), 2: (r) => void (value = r.double()) });
  return [name, value];
}

/** An entry of the newer map of settings: a number or a string. */
function readSetting(reader: BinaryReader): readonly [name: string, value: number | string] {
  let [name, value]: [string, number | string] = ['', Number.NaN];
  nested(reader, {
    1: (r) => void (name = r.string()),
    2: (entry) => nested(entry, { 1: (r) => void (value = r.double()), 2: (r) => void (value = r.string()) }),
  });
  return [name, value];
}

function readRecord(reader: BinaryReader): Record<string, Float32Array>[] {
  const fields = new Map<string, Float32Array[]>();
  let count = 0;
  nested(reader, {
    2: (entry) => {
      let [name, arrays]: [string, Float32Array[]] = ['', []];
      nested(entry, { 1: (r) => void (name = r.string()), 2: (r) => void (arrays = readBatched(r)) });
      fields.set(name, arrays);
    },
    3: (r) => void (count = Number(r.int64())),
  });
  const most = Math.max(count, ...[...fields.values()].map(({ length }) => length));
  return Array.from({ length: most }, (_, i) =>
    Object.fromEntries([...fields].map(([name, arrays]) => [name, arrays[i] ?? new Float32Array()])),
  );
}

function readBatched(reader: BinaryReader): Float32Array[] {
  let [data, offsets, dtype]: [Uint8Array, Uint8Array, number] = [empty, empty, 0];
  nested(reader, {
    1: (r) => void (data = r.bytes()),
    2: (r) => void (offsets = r.bytes()),
    3: (r) => void (dtype = r.int32()),
  });
  const ends = longs(offsets);
  return Array.from({ length: Math.max(0, ends.length - 1) }, (_, i) => {
    const [from, to] = [ends[i] ?? 0, ends[i + 1] ?? 0];
    if (from < 0 || to < from || to > data.length)
      throw new RangeError(`offsets ${from} to ${to} are outside the data`);
    return numbers(data.subarray(from, to), dtype);
  });
}

/** Reads sampled sequences. @throws engine.bad_answer */
export function decodeSample(data: Uint8Array): WireSample {
  return decode(data, 'sampled sequences', (reader) => {
    const sequences: WireSequence[] = [];
    let promptLogprobs: Float32Array | undefined;
    read(reader, reader.len, {
      1: (r) => void sequences.push(readSequence(r)),
      2: (r) => void (promptLogprobs = floats(r.bytes())),
    });
    return { sequences, promptLogprobs };
  });
}

function readSequence(reader: BinaryReader): WireSequence {
  let stop: WireSequence['stop'] = 'stop';
  let tokens: Int32Array = new Int32Array();
  let logprobs: Float32Array | undefined;
  let entropies: Float32Array | undefined;
  nested(reader, {
    1: (r) => {
      const reason = r.int32();
      if (reason > 1) throw new RangeError(`stop reason ${reason} is unknown`);
      stop = reason === 1 ? 'length' : 'stop';
    },
    2: (r) => void (tokens = ints(r.bytes())),
    3: (r) => void (logprobs = floats(r.bytes())),
    [ENTROPIES]: (r) => void (entropies = floats(r.bytes())),
  });
  return { stop, tokens, logprobs, entropies };
}
