/**
 * @file Numbers that may lie in a device's memory. Whoever reads or writes them on the host gets them as they are now, so
 * only speed depends on where they are: they cross the bus when the other side needs what this side changed.
 */
import type { RuntimeTensor } from './runtime-tensor.js';

/** An address in a device's memory. */
export type DeviceAddress = bigint;

/** The memory of one device; sizes in bytes. Errors of the library are thrown as they are. */
export interface DeviceMemory {
  /** of the whole device, where it tells */
  readonly totalBytes?: number;
  allocate(size: number): DeviceAddress;
  free(address: DeviceAddress): void;
  zero(address: DeviceAddress, size: number): void;
  upload(address: DeviceAddress, values: Float32Array): void;
  download(address: DeviceAddress, values: Float32Array): void;
  /** Waits until everything above is done: the runtime computes on a stream of its own. */
  synchronize(): void;
  /**
   * Copies blocks of `width` bytes that lie `pitch` bytes apart; the ranges must not overlap. Undefined: each tensor has a
   * buffer of its own, so an array has to be divided into the same tensors in every run.
   */
  copyBlocks?(blocks: DeviceBlocks): void;
}

/** A memory whose arrays may be read and written in any parts. */
export type BlockMemory = DeviceMemory & Required<Pick<DeviceMemory, 'copyBlocks'>>;

export const copiesBlocks = (memory: DeviceMemory): memory is BlockMemory => memory.copyBlocks !== undefined;

/** Equal blocks at equal distances, in bytes. */
export interface DeviceBlocks {
  readonly from: DeviceAddress;
  readonly fromPitch: number;
  readonly to: DeviceAddress;
  readonly toPitch: number;
  readonly width: number;
  readonly count: number;
}

/** float32 numbers with a copy on the host, on a device, or on both. */
export class MirroredArray {
  #host: Float32Array | undefined;
  #memory: DeviceMemory | undefined;
  #address: DeviceAddress = 0n;
  /** which copy is out of date, if any; a copy that does not exist is all zeros */
  #stale: 'host' | 'device' | undefined;

  /** @param values the host's copy; default: zeros, which take memory only where they are used */
  constructor(
    readonly length: number,
    values?: Float32Array,
  ) {
    this.#host = values;
    if (values !== undefined) this.#stale = 'device';
  }

  get byteLength(): number {
    return this.length * Float32Array.BYTES_PER_ELEMENT;
  }

  /** The numbers as they are now, to be read only. */
  read(): Float32Array {
    this.#host ??= new Float32Array(this.length);
    if (this.#stale === 'host') {
      this.#memory?.download(this.#address, this.#host);
      this.#stale = undefined;
    }
    return this.#host;
  }

  /** The numbers as they are now, to be changed before anything else uses them. */
  write(): Float32Array {
    const host = this.read();
    this.#stale = 'device';
    return host;
  }

  /** Sets all to zero, where they are. */
  clear(): void {
    if (this.#memory === undefined) {
      this.#host?.fill(0);
      return;
    }
    this.#memory.zero(this.#address, this.byteLength);
    this.#stale = this.#host === undefined ? undefined : 'host';
  }

  /** The address of the numbers on a device, brought up to date; they stay there until {@link free}. */
  onDevice(memory: DeviceMemory): DeviceAddress {
    if (this.#memory !== memory) {
      if (this.#memory !== undefined) this.read();
      this.free();
      this.#address = memory.allocate(this.byteLength);
      this.#memory = memory;
      if (this.#host === undefined) memory.zero(this.#address, this.byteLength);
      else this.#stale = 'device';
    }
    if (this.#stale === 'device') {
      memory.upload(this.#address, this.#host as Float32Array);
      this.#stale = undefined;
    }
    return this.#address;
  }

  /** Tells that the device has written them. */
  noteDeviceWrite(): void {
    this.#stale = 'host';
  }

  /** Gives the device's memory back; what only it has is lost. */
  free(): void {
    this.#memory?.free(this.#address);
    this.#memory = undefined;
    this.#address = 0n;
    this.#stale = undefined;
  }

  /** A part of the numbers as a tensor. @param start in entries */
  tensor(start: number, shape: readonly number[]): RuntimeTensor {
    const size = shape.reduce((a, b) => a * b, 1);
    const array = this;
    return {
      dtype: 'float32',
      shape,
      get values() {
        return array.read().subarray(start, start + size);
      },
      mirror: { array, start, size },
    };
  }
}
