/** @file Which files of a repository a model needs. Everything else stays where it is, pickled weights above all. */
import { AppError, isSafeName } from '@espalier/contracts';
import type { ListFileEntry } from '@huggingface/hub';

export const weightsFile = 'model.safetensors';
export const indexFile = 'model.safetensors.index.json';

/** Without these a folder is no model. */
export const requiredFiles = ['config.json', 'tokenizer.json', 'tokenizer_config.json'] as const;

/** Files that are taken where a repository has them. */
export const optionalFiles = [
  'generation_config.json',
  'chat_template.jinja',
  'tokenizer.model',
  'special_tokens_map.json',
  'added_tokens.json',
  'vocab.json',
  'merges.txt',
] as const;

/** A file to download. */
export interface HubFile {
  readonly name: string;
  readonly bytes: number;
  /** of the contents: sha256 of a large file, otherwise that of git's blob */
  readonly hash: string;
  readonly hashKind: 'sha256' | 'git-blob';
}

/** The files of a repository by name; only those in its first folder. */
export function listByName(entries: readonly ListFileEntry[]): Map<string, HubFile> {
  const files = entries.flatMap(({ type, path, size, oid, lfs }): HubFile[] => {
    if (type !== 'file' || !isSafeName(path)) return [];
    const hash = lfs?.oid ?? oid ?? '';
    const hashKind = lfs === undefined ? 'git-blob' : 'sha256';
    if (!/^(?:[0-9a-f]{40}|[0-9a-f]{64})$/.test(hash) || !Number.isSafeInteger(size)) return [];
    return [{ name: path, bytes: lfs?.size ?? size, hash, hashKind }];
  });
  return new Map(files.map((file) => [file.name, file]));
}

/** The files that are small, or name the others. @throws hub.unsupported_repository */
export function smallFiles(what: string, files: ReadonlyMap<string, HubFile>): HubFile[] {
  const missing = requiredFiles.filter((name) => !files.has(name));
  if (missing.length > 0)
    throw unsupported(
      what,
      `it has no ${missing.join(' and no ')}`,
      missing.includes('config.json')
        ? 'choose a repository with a model for transformers'
        : 'choose a repository with the files of a fast tokenizer',
    );
  if (!files.has(weightsFile) && !files.has(indexFile)) {
    const others = [...files.keys()].filter((name) => /\.(?:bin|pt|pth|gguf|h5|onnx|msgpack)$/.test(name));
    const found = others.length === 0 ? '' : ` (it has ${others.slice(0, 3).join(', ')})`;
    throw unsupported(
      what,
      `it has no ${weightsFile} and no ${indexFile}${found}`,
      'choose a revision or repository with safetensors; a GGUF file is converted by `espalier model import`',
    );
  }
  const names = [...requiredFiles, ...optionalFiles, ...(files.has(weightsFile) ? [] : [indexFile])];
  return names.flatMap((name) => files.get(name) ?? []);
}

/** The files with weights. @param index contents of the index, where there is one @throws hub.unsupported_repository */
export function weightFiles(what: string, files: ReadonlyMap<string, HubFile>, index: unknown): HubFile[] {
  const single = files.get(weightsFile);
  if (single !== undefined) return [single];
  const shards = shardsOf(index);
  const missing = shards.find((shard) => !files.has(shard));
  if (shards.length === 0 || missing !== undefined)
    throw unsupported(
      what,
      missing === undefined ? `${indexFile} names no file` : `it has no ${missing}, which ${indexFile} names`,
      'choose another revision',
    );
  return shards.flatMap((shard) => files.get(shard) ?? []);
}

/** The files that the index of weights names. */
export function shardsOf(index: unknown): string[] {
  const map = (index as { readonly weight_map?: unknown } | null)?.weight_map;
  if (typeof map !== 'object' || map === null) return [];
  return [...new Set(Object.values(map).map(String))].sort();
}

const unsupported = (what: string, finding: string, remedy: string): AppError =>
  new AppError('hub.unsupported_repository', `${what}: ${finding}; ${remedy}`);
