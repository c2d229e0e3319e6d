/**
 * @file The memory of a GPU by WebGPU. A buffer is given to the runtime from its beginning only, and a kernel must not read
 * what it writes. So each tensor of an array has a buffer of its own, and a run writes to new ones, which then take the
 * places of the old. Addresses are an array's number and a byte in it; the GPU does not know them.
 */
import type { DeviceAddress, DeviceMemory } from '../../mirrored-array.js';
import type { Pointer } from '../c-library.js';
import type { DeviceBuffers } from './io-binding.js';
import { elementTypes, type OrtApi } from './ort-api.js';

const BYTES = Float32Array.BYTES_PER_ELEMENT;
/** bits of an address that count bytes */
const OFFSET_BITS = 48;

/** What the runtime offers to work on buffers. */
export interface BufferAccess {
  readonly api: OrtApi;
  /** its description of the memory */
  readonly info: Pointer;
  /** a session that computes `y` [n], all zeros, from any `x` [n]; open as long as the memory is used */
  readonly zeros: Pointer;
}

/** The buffer of a tensor. */
interface Part {
  /** bytes */
  readonly size: number;
  buffer: bigint;
  /** counts as zeros whatever the buffer has */
  isCleared: boolean;
}

interface PartedArray {
  /** by their first byte */
  readonly parts: Map<number, Part>;
  /** what parts without a buffer have; default: zeros */
  values: Float32Array | undefined;
}

/** A tensor's place in an array. */
interface Place {
  readonly array: PartedArray;
  /** its first byte */
  readonly offset: number;
}

export class WebgpuMemory implements DeviceMemory, DeviceBuffers {
  readonly #allocator: Pointer;
  readonly #arrays = new Map<bigint, PartedArray>();
  #last = 0n;
  /** parts that the present run reads for the first time */
  #fresh: Place[] = [];
  /** what it writes */
  #written: (Place & { readonly size: number; readonly buffer: bigint })[] = [];
  /** a run has failed since memory that was freed has come back */
  #hasFailed = false;

  constructor(readonly access: BufferAccess) {
    const { api, info, zeros } = access;
    this.#allocator = api.receive('CreateAllocator', zeros, info);
  }

  allocate(): DeviceAddress {
    this.#last += 1n;
    this.#arrays.set(this.#last, { parts: new Map(), values: undefined });
    return this.#last << BigInt(OFFSET_BITS);
  }

  free(address: DeviceAddress): void {
    const { array } = this.#find(address);
    for (const { buffer } of array.parts.values()) this.#release(buffer);
    this.#arrays.delete(address >> BigInt(OFFSET_BITS));
  }

  zero(address: DeviceAddress): void {
    const { array } = this.#find(address);
    array.values = undefined;
    for (const part of array.parts.values()) part.isCleared = true;
  }

  upload(address: DeviceAddress, values: Float32Array): void {
    const { array } = this.#find(address);
    array.values = values;
    for (const [offset, part] of array.parts) {
      this.#copy(slice(values, offset, part.size), part.buffer, part.size);
      part.isCleared = false;
    }
  }

  download(address: DeviceAddress, values: Float32Array): void {
    const { array } = this.#find(address);
    if (array.values === undefined) values.fill(0);
    else if (array.values !== values) values.set(array.values);
    for (const [offset, { size, buffer, isCleared }] of array.parts) {
      const target = slice(values, offset, size);
      if (isCleared) target.fill(0);
      else this.#copy(buffer, target, size);
    }
  }

  read(address: DeviceAddress, size: number): bigint {
    this.#recover();
    const { array, offset } = this.#find(address);
    const part = array.parts.get(offset) ?? this.#addPart(array, offset, size);
    if (size > part.size) throw wrongSize(part, size);
    if (part.isCleared) {
      const buffer = this.#createZeros(part);
      this.#release(part.buffer);
      Object.assign(part, { buffer, isCleared: false });
    }
    return part.buffer;
  }

  write(address: DeviceAddress, size: number): bigint {
    this.#recover();
    const { array, offset } = this.#find(address);
    const before = array.parts.get(offset);
    if (before === undefined) requireApart(array, offset, size);
    else if (size !== before.size) throw wrongSize(before, size);
    const buffer = this.#create(size);
    this.#written.push({ array, offset, size, buffer });
    return buffer;
  }

  /** A buffer that there was no memory for is given all the same, and only a run that has it fails: so nothing of it stays. */
  end(isDone: boolean): void {
    const [fresh, written] = [this.#fresh, this.#written];
    this.#fresh = [];
    this.#written = [];
    for (const { array, offset, size, buffer } of written) {
      if (!isDone) {
        this.#release(buffer);
        continue;
      }
      const before = array.parts.get(offset);
      if (before !== undefined) this.#release(before.buffer);
      array.parts.set(offset, { size, buffer, isCleared: false });
    }
    if (isDone) return;
    this.#hasFailed = true;
    for (const { array, offset } of fresh) {
      const part = array.parts.get(offset);
      if (part !== undefined) this.#release(part.buffer);
      array.parts.delete(offset);
    }
  }

  /** Nothing to wait for: the runtime does all work on a buffer in the order of the calls. */
  synchronize(): void {}

  #find(address: DeviceAddress): Place {
    const array = this.#arrays.get(address >> BigInt(OFFSET_BITS));
    if (array === undefined) throw new RangeError(`address ${address} was not allocated`);
    return { array, offset: Number(BigInt.asUintN(OFFSET_BITS, address)) };
  }

  #create(size: number): bigint {
    return this.access.api.receive('AllocatorAlloc', this.#allocator, size) as bigint;
  }

  #release(buffer: bigint): void {
    this.access.api.call('AllocatorFree', this.#allocator, buffer);
  }

  /** Gives a tensor its buffer; what an earlier one had in it does not count. */
  #addPart(array: PartedArray, offset: number, size: number): Part {
    requireApart(array, offset, size);
    const part = { size, buffer: this.#create(size), isCleared: array.values === undefined };
    try {
      if (array.values !== undefined) this.#copy(slice(array.values, offset, size), part.buffer, size);
    } catch (error) {
      this.#release(part.buffer);
      throw error;
    }
    array.parts.set(offset, part);
    this.#fresh.push({ array, offset });
    return part;
  }

  /** Memory that was freed comes back once the results of two runs were fetched: the first ends what used it. */
  #recover(): void {
    if (!this.#hasFailed) return;
    this.#hasFailed = false;
    for (let run = 0; run < 2; run += 1) {
      const buffers = [this.#create(BYTES)];
      try {
        buffers.push(this.#createZeros({ buffer: buffers[0] as bigint, size: BYTES, isCleared: true }));
        this.#copy(buffers[1] as bigint, new Float32Array(1), BYTES);
      } finally {
        for (const buffer of buffers) this.#release(buffer);
      }
    }
  }

  /** A buffer of zeros as large as a part's. */
  #createZeros({ buffer: x, size }: Part): bigint {
    const { api, zeros } = this.access;
    const y = this.#create(size);
    const binding = api.receive('CreateIoBinding', zeros);
    try {
      this.#withValues([x, y], size, ([from, to]) => {
        api.call('BindInput', binding, 'x', from);
        api.call('BindOutput', binding, 'y', to);
        api.call('RunWithBinding', zeros, null, binding);
      });
      return y;
    } catch (error) {
      this.#release(y);
      throw error;
    } finally {
      api.free('ReleaseIoBinding', binding);
    }
  }

  #copy(from: bigint | Float32Array, to: bigint | Float32Array, size: number): void {
    const { api } = this.access;
    this.#withValues([from, to], size, ([source, target]) =>
      api.call('CopyTensors', api.env, [source], [target], null, 1),
    );
  }

  /** Describes memory to the runtime as flat tensors of so many bytes. */
  #withValues(
    places: readonly (bigint | Float32Array)[],
    size: number,
    work: (values: readonly Pointer[]) => void,
  ): void {
    const { api, info } = this.access;
    const shape = BigInt64Array.of(BigInt(size / BYTES));
    const values = places.map((place) =>
      api.receive(
        'CreateTensorWithDataAsOrtValue',
        typeof place === 'bigint' ? info : api.cpuMemory,
        place,
        size,
        shape,
        1,
        elementTypes.float32,
      ),
    );
    try {
      work(values);
    } finally {
      for (const value of values) api.free('ReleaseValue', value);
    }
  }
}

const slice = (values: Float32Array, offset: number, size: number): Float32Array =>
  values.subarray(offset / BYTES, (offset + size) / BYTES);

/** An array has to be divided in the same way always: what two buffers have in common would be in one of them only. */
function requireApart({ parts }: PartedArray, offset: number, added: number): void {
  for (const [start, { size }] of parts)
    if (start < offset + added && offset < start + size)
      throw new RangeError(`bytes ${offset} to ${offset + added} of an array overlap those from ${start}`);
}

const wrongSize = ({ size: found }: Part, size: number): RangeError =>
  new RangeError(`a tensor of ${found} bytes is asked for with ${size}`);
