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
export { createSession, Session } from './session.js';
export { minRows } from './min-rows.js';
export { SessionCache } from './session-cache.js';
export { type DriverReport, probeDriver, requireDriver, resolveDriver } from './drivers/find-driver.js';
export { cacheFolder, isInstalled, libraryFolder, libraryManifest } from './libraries/find-library.js';
export {
  libraryNames,
  pinnedLibraries,
  type LibraryName,
  type PinnedLibrary,
  type PinnedWheel,
} from './libraries/pinned-libraries.js';
