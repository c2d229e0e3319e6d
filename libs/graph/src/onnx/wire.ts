/**
 * @file The subset of ONNX's protobuf schema that we write: messages as functions over the protobuf wire writer. Field
 * numbers are those of onnx.proto (IR version 10). Reading ONNX files is not needed.
 */
import { BinaryWriter, WireType } from '@bufbuild/protobuf/wire';
import type { OnnxAttribute } from '../op.js';
import type { DType } from '../tensor.js';
import { ONNX_TYPE } from './types.js';

/** An ONNX node. */
export interface OnnxNode {
  readonly opType: string;
  readonly domain: string;
  readonly name: string;
  readonly inputs: readonly string[];
  readonly outputs: readonly string[];
  readonly attributes: Readonly<Record<string, OnnxAttribute>>;
}

/** An ONNX constant: raw bytes, little-endian, or the name of a file that consists of them. */
export type OnnxConstant = {
  readonly name: string;
  readonly dtype: DType;
  readonly shape: readonly number[];
} & ({ readonly bytes: Uint8Array } | { readonly file: string });

/** An input, an output or what is between them: sizes are numbers or names. */
export interface OnnxValue {
  readonly name: string;
  readonly dtype: DType;
  readonly shape: readonly (number | string)[];
}

/** A whole model. */
export interface OnnxModel {
  readonly nodes: readonly OnnxNode[];
  readonly constants: readonly OnnxConstant[];
  readonly inputs: readonly OnnxValue[];
  readonly outputs: readonly OnnxValue[];
  /** results of nodes that are no outputs */
  readonly intermediates: readonly OnnxValue[];
}

const IR_VERSION = 10;
const OPSET_VERSION = 21;
const ATTRIBUTE_TYPE = { float: 1, int: 2, string: 3, ints: 7 } as const;

type Write = (writer: BinaryWriter) => void;

function message(writer: BinaryWriter, field: number, write: Write): void {
  writer.tag(field, WireType.LengthDelimited).fork();
  write(writer);
  writer.join();
}

function text(writer: BinaryWriter, field: number, value: string): void {
  writer.tag(field, WireType.LengthDelimited).string(value);
}

function whole(writer: BinaryWriter, field: number, value: number): void {
  writer.tag(field, WireType.Varint).int64(value);
}

function writeAttribute(writer: BinaryWriter, name: string, value: OnnxAttribute): void {
  text(writer, 1, name);
  if (typeof value === 'number') {
    whole(writer, 3, value);
    whole(writer, 20, ATTRIBUTE_TYPE.int);
  } else if (typeof value === 'string') {
    text(writer, 4, value);
    whole(writer, 20, ATTRIBUTE_TYPE.string);
  } else if ('float' in value) {
    writer.tag(2, WireType.Bit32).float(value.float);
    whole(writer, 20, ATTRIBUTE_TYPE.float);
  } else {
    for (const entry of value) whole(writer, 8, entry);
    whole(writer, 20, ATTRIBUTE_TYPE.ints);
  }
}

function writeNode(
  writer: BinaryWriter,
  { opType, domain, name, inputs, outputs, attributes }: OnnxNode,
): void {
  for (const input of inputs) text(writer, 1, input);
  for (const output of outputs) text(writer, 2, output);
  text(writer, 3, name);
  text(writer, 4, opType);
  for (const [key, value] of Object.entries(attributes))
    message(writer, 5, (w) => writeAttribute(w, key, value));
  if (domain !== '') text(writer, 7, domain);
}

const EXTERNAL = 1;

function writeConstant(writer: BinaryWriter, constant: OnnxConstant): void {
  for (const size of constant.shape) whole(writer, 1, size);
  whole(writer, 2, ONNX_TYPE[constant.dtype]);
  text(writer, 8, constant.name);
  if ('bytes' in constant) {
    writer.tag(9, WireType.LengthDelimited).bytes(constant.bytes);
    return;
  }
  message(writer, 13, (entry) => {
    text(entry, 1, 'location');
    text(entry, 2, constant.file);
  });
  whole(writer, 14, EXTERNAL);
}

function writeValue(writer: BinaryWriter, { name, dtype, shape }: OnnxValue): void {
  text(writer, 1, name);
  message(writer, 2, (type) =>
    message(type, 1, (tensor) => {
      whole(tensor, 1, ONNX_TYPE[dtype]);
      message(tensor, 2, (sizes) => {
        for (const size of shape) {
          message(sizes, 1, (w) => (typeof size === 'number' ? whole(w, 1, size) : text(w, 2, size)));
        }
      });
    }),
  );
}

function writeOpset(writer: BinaryWriter, domain: string, version: number): void {
  text(writer, 1, domain);
  whole(writer, 2, version);
}

/** Encodes a ModelProto. */
export function encodeModel({ nodes, constants, inputs, outputs, intermediates }: OnnxModel): Uint8Array {
  const writer = new BinaryWriter();
  whole(writer, 1, IR_VERSION);
  text(writer, 2, 'espalier');
  message(writer, 7, (graph) => {
    for (const node of nodes) message(graph, 1, (w) => writeNode(w, node));
    text(graph, 2, 'graph');
    for (const constant of constants) message(graph, 5, (w) => writeConstant(w, constant));
    for (const input of inputs) message(graph, 11, (w) => writeValue(w, input));
    for (const output of outputs) message(graph, 12, (w) => writeValue(w, output));
    for (const value of intermediates) message(graph, 13, (w) => writeValue(w, value));
  });
  message(writer, 8, (w) => writeOpset(w, '', OPSET_VERSION));
  message(writer, 8, (w) => writeOpset(w, 'com.microsoft', 1));
  return writer.finish();
}
