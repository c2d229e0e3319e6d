/** @file What the providers of GPUs give the driver. */
import type { CLibrary, Pointer } from '../c-library.js';
import type { Precision } from '../driver.js';
import type { Device } from './io-binding.js';
import type { OrtApi } from './ort-api.js';

/** A GPU that sessions compute on. */
export interface Gpu {
  /** libraries that stay loaded */
  readonly held?: readonly CLibrary[];
  readonly api: OrtApi;
  readonly device: Device;
  /** Adds the provider to the options of a session. */
  addProvider(settings: Pointer, precision: Precision): void;
}
