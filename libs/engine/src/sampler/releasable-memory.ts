/**
 * @file Memory that is given back at once. An array that is merely dropped stays resident until a garbage collection,
 * which may come long after training has asked for the same memory.
 */

/** The standard's resizable buffers, which the library of ES2023 does not know yet. */
const ResizableBuffer = ArrayBuffer as unknown as new (
  byteLength: number,
  options: { readonly maxByteLength: number },
) => ArrayBuffer & { resize(byteLength: number): void };

/** Arrays that are freed together. */
export class ReleasableMemory {
  #buffers: InstanceType<typeof ResizableBuffer>[] = [];

  /** An array of zeros; not to be touched after the release. */
  allocate(length: number): Float32Array {
    return new Float32Array(this.#create(length * Float32Array.BYTES_PER_ELEMENT), 0, length);
  }

  /** The same of bytes. */
  allocateBytes(length: number): Uint8Array {
    return new Uint8Array(this.#create(length), 0, length);
  }

  /** The same of numbers of 16 bits. */
  allocateHalves(length: number): Uint16Array {
    return new Uint16Array(this.#create(length * Uint16Array.BYTES_PER_ELEMENT), 0, length);
  }

  #create(byteLength: number): ArrayBuffer {
    const buffer = new ResizableBuffer(byteLength, { maxByteLength: byteLength });
    this.#buffers.push(buffer);
    return buffer;
  }

  /** Takes all arrays out, so that new ones can be made while the old ones are still read. @returns what frees them */
  detach(): () => void {
    const buffers = this.#buffers;
    this.#buffers = [];
    return () => {
      for (const buffer of buffers) buffer.resize(0);
    };
  }
}
