/**
 * @file Native libraries that `espalier setup` fetches: which file of which version, by its hash. Their licences come with
 * them. A library of another version is never loaded: results would differ from what was measured.
 */
import { cudaFiles } from './cuda-files.js';
import { openvinoFiles } from './openvino-files.js';
import type { PinnedLibrary } from './pinned-library.js';

export const libraryNames = ['openvino', 'cuda'] as const;
export type LibraryName = (typeof libraryNames)[number];

export const pinnedLibraries: Readonly<Record<LibraryName, PinnedLibrary>> = {
  openvino: openvinoFiles,
  cuda: cudaFiles,
};
