export { createAppendFile, terminateLastLine, writeFailed } from './append-file.js';
export { completeLines, decodeCheckedLine, encodeCheckedLine } from './checked-line.js';
export { createFolder, createRemovableFolder, describeObstacle } from './create-folder.js';
export { findPackage } from './find-package.js';
export { freeBytesAt } from './free-space.js';
export { createFolderLock, createLock, describeOwner, type Lock, readLockOwner } from './lock.js';
export { listFiles, publishFolder, writeManifest, verifyFolder } from './manifest.js';
export { isBelowModelRoot, type ModelRoots } from './model-roots.js';
export {
  findByCommandLine,
  findByVariable,
  isAlive,
  isGroupAlive,
  killProcess,
  memoryOfGroup,
  type ProcessIdentity,
  signalGroup,
  startOf,
} from './process-identity.js';
export { isInside, resolveInside } from './resolve-inside.js';
export { copyAside, dropDamagedLines, rewindFile } from './rewind.js';
export { hashFile, saveWholeFile, syncPath, writeAll } from './whole-file.js';
