/**
 * @file One infer request: tensors over the memory of JavaScript's arrays, bound by name and kept from run to run while
 * the memory is the same. Arrays are held during a run only, so that those of the caller can be freed between runs: each
 * run binds all inputs, so none is read that is gone.
 */
import { ENTRY_ARRAY, type EntryArray, type RuntimeTensor, type TensorPort } from '../../runtime-tensor.js';
import { callApart, type Pointer } from '../c-library.js';
import type { RuntimeTensors } from '../driver.js';
import { elementTypes, type OpenVino, receive } from './openvino-library.js';

interface Bound {
  readonly tensor: Pointer;
  readonly buffer: WeakRef<ArrayBufferLike>;
  readonly offset: number;
  readonly source: Pick<RuntimeTensor, 'dtype' | 'shape'>;
}

export interface InferRequest {
  run(feeds: RuntimeTensors, targets: RuntimeTensors): Promise<RuntimeTensors>;
  free(): void;
}

/** Creates a request of a compiled graph. */
export function createInferRequest(
  library: OpenVino,
  compiled: Pointer,
  outputs: readonly TensorPort[],
): InferRequest {
  let request = receive(library, 'create request', library.createRequest, compiled);
  let bound = new Map<string, Bound>();
  const release = (): void => {
    library.freeRequest(request);
    for (const { tensor } of bound.values()) library.freeTensor(tensor);
    bound = new Map();
  };
  const bind = (name: string, source: RuntimeTensor): void => {
    const before = bound.get(name);
    if (before !== undefined && isBound(before, source)) return;
    const tensor = createTensor(library, source);
    library.check(library.setTensor(request, name, tensor), `bind "${name}"`);
    const { dtype, shape, values } = source;
    bound.set(name, {
      tensor,
      buffer: new WeakRef(values.buffer),
      offset: values.byteOffset,
      source: { dtype, shape },
    });
    if (before !== undefined) library.freeTensor(before.tensor);
  };
  return {
    async run(feeds, targets) {
      // an output that was written in place goes back to memory of its own only with a new request
      if (outputs.some(({ name }) => targets[name] === undefined && bound.has(name))) {
        release();
        request = receive(library, 'create request', library.createRequest, compiled);
      }
      // cleared after the run: until then the library reads and writes these arrays
      const held = [...Object.entries(feeds), ...Object.entries(targets)];
      for (const [name, tensor] of held) bind(name, tensor);
      library.check(await callApart(library.infer, request), 'infer');
      held.length = 0;
      const own = outputs.filter(({ name }) => targets[name] === undefined);
      return Object.fromEntries(own.map((port) => [port.name, copyOutput(library, request, port)]));
    },
    free: release,
  };
}

const isBound = ({ buffer, offset, source }: Bound, { values, dtype, shape }: RuntimeTensor): boolean =>
  buffer.deref() === values.buffer &&
  offset === values.byteOffset &&
  source.dtype === dtype &&
  source.shape.length === shape.length &&
  source.shape.every((size, axis) => size === shape[axis]);

function createTensor(library: OpenVino, { dtype, shape, values }: RuntimeTensor): Pointer {
  const dims = BigInt64Array.from(shape, BigInt);
  const type = elementTypes[dtype];
  const sizes = { rank: shape.length, dims: shape.length === 0 ? null : dims };
  return receive(library, 'create tensor', library.createTensor, type, sizes, values);
}

function copyOutput(library: OpenVino, request: Pointer, port: TensorPort): RuntimeTensor {
  const tensor = receive(library, `read "${port.name}"`, library.getTensor, request, port.name);
  try {
    const shape = shapeOf(library, tensor, port);
    const values = new ENTRY_ARRAY[port.dtype](shape.reduce((a, b) => a * b, 1));
    copyFrom(library, tensor, values);
    return { dtype: port.dtype, shape, values };
  } finally {
    library.freeTensor(tensor);
  }
}

/** The library has no shape for a scalar; a port without names says its shape itself. */
function shapeOf(library: OpenVino, tensor: Pointer, { name, shape }: TensorPort): readonly number[] {
  if (shape.every((size) => typeof size === 'number')) return shape;
  const sizes: { rank?: number | bigint; dims?: Pointer } = {};
  library.check(library.tensorShape(tensor, sizes), `read shape of "${name}"`);
  const found = library.koffi.decode(sizes.dims, 'int64_t', Number(sizes.rank)) as ArrayLike<bigint>;
  const numbers = Array.from(found, Number);
  library.freeShape(sizes);
  return numbers;
}

function copyFrom(library: OpenVino, tensor: Pointer, values: EntryArray): void {
  if (values.byteLength === 0) return;
  const data = receive(library, 'read tensor', library.tensorData, tensor);
  const memory = library.koffi.view(data, values.byteLength);
  new Uint8Array(values.buffer).set(new Uint8Array(memory));
}
