export { runClock } from './run-clock.js';
export type { Provider } from './drivers/provider.js';
export {
  type DriverName,
  driverNames,
  type Precision,
  type RuntimeTensors,
  type SessionOptions,
} from './drivers/driver.js';
export { type EntryArray, type RuntimeTensor, type TensorPort, createTensor } from './runtime-tensor.js';
export { type BlockMemory, copiesBlocks, type DeviceMemory, MirroredArray } from './mirrored-array.js';
export { createSession, Session } from './session.js';
export { discardResult } from './discard-result.js';
export { returnFreedMemory } from './freed-memory.js';
export { minRows } from './min-rows.js';
export { SessionCache } from './session-cache.js';
export {
  type DriverReport,
  openDeviceMemory,
  probeDriver,
  requireDriver,
  resolveDriver,
} from './drivers/find-driver.js';
export { findLibrary, isInstalled, libraryFolder, libraryManifest } from './libraries/find-library.js';
export { libraryNames, pinnedLibraries, type LibraryName } from './libraries/pinned-libraries.js';
export type { PinnedLibrary, PinnedWheel } from './libraries/pinned-library.js';
export { type CudaReport, probeCuda } from './libraries/probe-cuda.js';
export { listCudaDevices } from './libraries/cuda-driver.js';
export { openGpuCounter } from './libraries/gpu-energy.js';
