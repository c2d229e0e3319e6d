/**
 * @file A GGUF model in several files, as llama.cpp's gguf-split and the package `gguf` write them: the first has all
 * metadata, each has some of the tensors and says which part of how many it is. Joined, they read like one file.
 */
import { existsSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { malformedGguf } from './byte-cursor.js';
import { type GgufFile, openGguf } from './gguf-file.js';
import { GgufMetadata } from './gguf-metadata.js';
import type { GgufTensor } from './parse-gguf.js';

const NUMBER = 'split.no';
const COUNT = 'split.count';
const TENSORS = 'split.tensors.count';

const again = 'copy or download all parts of one model again';

/** Which part a file is, from 0, of how many; a whole file has no such keys, or the count 0 after gguf-split merged it. */
function partOf(file: GgufFile): { readonly number: number; readonly count: number } {
  const metadata = new GgufMetadata(file, file.path);
  const count = metadata.optionalNumber(COUNT) ?? 0;
  if (count <= 1) return { number: 0, count: 1 };
  return { number: metadata.number(NUMBER), count };
}

/**
 * Opens a GGUF file with all its parts, which are found by the name of the first: `NAME-00001-of-00003.gguf`.
 *
 * @returns to be closed; errors about a tensor name the file that it is in
 * @throws model.malformed_gguf for a part that is not the first, is missing or belongs elsewhere; as {@link openGguf}
 */
export function openGgufParts(path: string): GgufFile {
  const first = openGguf(path);
  const opened = [first];
  const close = (): void => opened.forEach((file) => file.close());
  try {
    const { number, count } = partOf(first);
    if (count === 1) return first;
    const paths = nameParts(path, number, count);
    for (const next of paths.slice(1)) opened.push(openGguf(next));
    opened.forEach((file, i) => requirePart(file, i, first));
    return { ...joinParts(opened), close };
  } catch (error) {
    close();
    throw error;
  }
}

/** The paths of all parts. @throws model.malformed_gguf for another part than the first, or where one is missing */
function nameParts(path: string, number: number, count: number): string[] {
  const partName = (stem: string, i: number): string =>
    `${stem}-${String(i + 1).padStart(5, '0')}-of-${String(count).padStart(5, '0')}.gguf`;
  const [, stem] = /^(.*)-\d{5}-of-\d{5}\.gguf$/.exec(basename(path)) ?? [];
  const folder = dirname(path);
  if (number !== 0)
    throw malformedGguf(
      path,
      `the file is part ${number + 1} of ${count}; name the first one, ${join(folder, partName(stem ?? 'NAME', 0))}`,
    );
  if (stem === undefined || basename(path) !== partName(stem, 0))
    throw malformedGguf(
      path,
      `the file is part 1 of ${count}, but its name does not say so; name the parts as they were downloaded: ${partName(stem ?? 'NAME', 0)} and so on`,
    );
  const paths: string[] = [];
  // a file can say that it is one of 99,999: the first that is missing is enough
  for (let i = 0; i < count; i++) {
    const one = join(folder, partName(stem, i));
    if (!existsSync(one))
      throw malformedGguf(
        path,
        `part ${i + 1} of ${count} is missing, ${one}; copy or download all parts to the same folder`,
      );
    paths.push(one);
  }
  return paths;
}

/** Refuses a file that does not say of itself what its name says, or says of the model something else than the first does. */
function requirePart(file: GgufFile, index: number, first: GgufFile): void {
  const { number, count } = partOf(file);
  const expected = first.metadata.get(COUNT);
  if (number !== index || count !== expected)
    throw malformedGguf(
      file.path,
      `the file is part ${number + 1} of ${count}; by its name it is part ${index + 1} of ${String(expected)}: ${again}`,
    );
  for (const [key, value] of file.metadata) {
    if (key === NUMBER || key === 'general.alignment' || isDeepStrictEqual(value, first.metadata.get(key)))
      continue;
    throw malformedGguf(
      file.path,
      `the part is of another model than ${basename(first.path)}: "${key}" differs; ${again}`,
    );
  }
}

/** @throws model.malformed_gguf for a tensor in two parts, and where there are more or fewer than the first part says */
function joinParts(parts: readonly GgufFile[]): Omit<GgufFile, 'close'> {
  const [first] = parts as [GgufFile];
  const tensors = new Map<string, GgufTensor>();
  for (const { path, tensors: its } of parts)
    for (const tensor of its.values()) {
      const { name } = tensor;
      const before = tensors.get(name);
      if (before !== undefined)
        throw malformedGguf(path, `tensor "${name}" is in ${basename(before.source)}, too; ${again}`);
      tensors.set(name, tensor);
    }
  const total = new GgufMetadata(first, first.path).optionalNumber(TENSORS) ?? tensors.size;
  if (tensors.size !== total)
    throw malformedGguf(
      first.path,
      `the parts have ${tensors.size} tensors together, but ${TENSORS} is ${total}; ${again}`,
    );
  const byPath = new Map(parts.map((part) => [part.path, part]));
  return {
    version: first.version,
    metadata: first.metadata,
    tensors,
    path: first.path,
    size: parts.reduce((sum, { size }) => sum + size, 0),
    read: (tensor, from, target) => byPath.get(tensor.source)!.read(tensor, from, target),
  };
}
