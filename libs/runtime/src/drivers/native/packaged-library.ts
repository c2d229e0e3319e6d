/** @file Where the package onnxruntime-node has its library. */
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

/** The library inside the package onnxruntime-node. */
export function packagedLibrary(): string {
  const root = dirname(createRequire(import.meta.url).resolve('onnxruntime-node/package.json'));
  const { platform, arch } = process;
  const name: Partial<Record<NodeJS.Platform, string>> = {
    darwin: 'libonnxruntime.1.dylib',
    win32: 'onnxruntime.dll',
  };
  return join(root, 'bin', 'napi-v6', platform, arch, name[platform] ?? 'libonnxruntime.so.1');
}
