/** @file safetensors on disk. */
import { readFileSync } from 'node:fs';
import { encodeSafetensors, type TensorToEncode } from './encode-safetensors.js';
import { parseSafetensors, type Safetensors } from './parse-safetensors.js';
import { saveWholeFile } from './whole-file.js';

/** Reads a safetensors file; errors of the file system pass through. @throws model.malformed_safetensors */
export function loadSafetensors(path: string): Safetensors {
  return parseSafetensors(readFileSync(path), path);
}

/** Writes a safetensors file, whole or not at all. */
export function saveSafetensors(
  path: string,
  tensors: ReadonlyMap<string, TensorToEncode>,
  metadata: Readonly<Record<string, string>> = {},
): void {
  saveWholeFile(path, encodeSafetensors(tensors, metadata));
}
