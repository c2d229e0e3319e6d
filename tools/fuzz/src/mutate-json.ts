/**
 * @file Mutates one position of a JSON value: another type, an extreme number, a key gone, doubled, renamed or moved.
 */
import type { RandomStream } from '@espalier/random';
import { pickExtreme } from './mutate.js';

type Branch = Record<string, unknown> | unknown[];

const isBranch = (value: unknown): value is Branch => typeof value === 'object' && value !== null;

/** Mutates one random position, in place. */
export function mutateJson(stream: RandomStream, root: unknown, words: readonly string[]): unknown {
  if (!isBranch(root)) return strangeValue(stream, words);
  let branch: Branch = root;
  for (;;) {
    const keys = Object.keys(branch);
    if (keys.length === 0) {
      setChild(branch, stream.pick(words), strangeValue(stream, words));
      return root;
    }
    const key = stream.pick(keys);
    const child = (branch as Record<string, unknown>)[key];
    if (isBranch(child) && stream.int(4) > 0) {
      branch = child;
      continue;
    }
    changeChild(stream, branch, key, words);
    return root;
  }
}

function changeChild(stream: RandomStream, branch: Branch, key: string, words: readonly string[]): void {
  const children = branch as Record<string, unknown>;
  switch (stream.int(5)) {
    case 0:
      if (Array.isArray(branch)) branch.splice(Number(key), 1);
      else delete children[key];
      return;
    case 1:
      setChild(branch, stream.pick(words), structuredClone(children[key]));
      return;
    case 2:
      setChild(branch, key, structuredClone(children[stream.pick(Object.keys(branch))]));
      return;
    case 3: {
      const value = children[key];
      if (typeof value === 'number') setChild(branch, key, value + stream.int(5) - 2);
      else if (typeof value === 'string') setChild(branch, key, bend(stream, value, words));
      else setChild(branch, key, strangeValue(stream, words));
      return;
    }
    default:
      setChild(branch, key, strangeValue(stream, words));
  }
}

function setChild(branch: Branch, key: string, value: unknown): void {
  if (Array.isArray(branch)) branch.splice(Number(key) || 0, 1, value);
  else Object.defineProperty(branch, key, { value, enumerable: true, writable: true, configurable: true });
}

function bend(stream: RandomStream, text: string, words: readonly string[]): string {
  const at = stream.int(text.length + 1);
  return text.slice(0, at) + stream.pick([stream.pick(words), '', '\u0000', '😀', '\ud800']) + text.slice(at);
}

function strangeValue(stream: RandomStream, words: readonly string[]): unknown {
  if (stream.int(3) === 0) return stream.pick(words);
  try {
    return JSON.parse(pickExtreme(stream)) as unknown;
  } catch {
    return stream.int(2) === 0 ? [stream.pick(words)] : { [stream.pick(words)]: stream.int(9) };
  }
}
