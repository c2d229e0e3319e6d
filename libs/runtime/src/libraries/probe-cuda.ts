/**
 * @file Whether graphs can run on an NVIDIA GPU of this machine: the files that `espalier setup cuda` unpacked are opened in
 * the order in which they need each other, and the driver is asked. No session is made and no memory taken on the GPU.
 */
import { readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { AppError, isAppError } from '@espalier/contracts';
import type koffi from 'koffi';
import { packagedLibrary } from '../drivers/native/packaged-library.js';
import { askCudaDriver, type CudaDevice, type CudaDriver, printCudaVersion } from './cuda-driver.js';
import { cudaNeeds } from './cuda-files.js';
import { findLibrary, isInstalled } from './find-library.js';
import { pinnedLibraries } from './pinned-libraries.js';

/** A finding says what was found, and after a semicolon what to do. */
interface Finding<State extends string> {
  readonly state: State;
  readonly finding: string;
}

export interface CudaReport {
  /** ready: they open, as far as the driver that there is lets them */
  readonly files: Finding<'ready' | 'absent' | 'broken'>;
  readonly driver: Finding<'ready' | 'absent' | 'broken'>;
  readonly devices: readonly (CudaDevice & { readonly isUsable: boolean })[];
}

type Koffi = Pick<typeof koffi, 'load'>;

/** Asks the driver and opens the libraries. */
export async function probeCuda(): Promise<CudaReport> {
  const library = pinnedLibraries.cuda;
  const here = `${process.platform}-${process.arch}`;
  if (here !== library.platform) {
    const finding = `CUDA is pinned for ${library.platform} only, this is ${here}`;
    return { files: { state: 'absent', finding }, driver: { state: 'absent', finding }, devices: [] };
  }
  const opener = await import('koffi').catch(() => undefined);
  if (opener === undefined) {
    const finding =
      'the package koffi is not installed, which opens native libraries; run npm install koffi@3.3.4';
    return { files: { state: 'broken', finding }, driver: { state: 'absent', finding }, devices: [] };
  }
  const driver = askCudaDriver(opener.default);
  return {
    files: checkFiles(opener.default, driver !== undefined),
    driver: describeDriver(driver),
    devices: (driver?.devices ?? []).map((device) => ({
      ...device,
      isUsable: device.computeCapability >= cudaNeeds.computeCapability,
    })),
  };
}

function checkFiles(koffi: Koffi, hasDriver: boolean): CudaReport['files'] {
  try {
    const { folder, paths } = findLibrary('cuda');
    requireSameBuild(packagedLibrary());
    return { state: 'ready', finding: `${folder}: ${openCudaFiles(koffi, paths, hasDriver)}` };
  } catch (error) {
    if (!isAppError(error)) throw error;
    return { state: isInstalled(pinnedLibraries.cuda) ? 'broken' : 'absent', finding: error.message };
  }
}

/** What a driver can do, and what to install where it is missing or old. */
export function describeDriver(driver: CudaDriver | undefined): CudaReport['driver'] {
  const remedy = `install NVIDIA driver ${cudaNeeds.driverPackage} or newer`;
  if (driver === undefined)
    return { state: 'absent', finding: `no NVIDIA driver on this machine (libcuda.so.1); ${remedy}` };
  const { version, devices, failure } = driver;
  const runs = `the NVIDIA driver runs programs up to CUDA ${printCudaVersion(version)}`;
  if (version < cudaNeeds.driverVersion)
    return {
      state: 'broken',
      finding: `${runs}, CUDA ${printCudaVersion(cudaNeeds.driverVersion)} is needed; ${remedy}`,
    };
  if (failure !== undefined)
    return { state: 'broken', finding: `${runs}, but lists no device: ${failure}; see what nvidia-smi says` };
  if (devices.length === 0)
    return { state: 'broken', finding: `${runs}, but lists no device; look at CUDA_VISIBLE_DEVICES` };
  return { state: 'ready', finding: runs };
}

/** Its constructors call ONNX Runtime: opened by anything else it ends the process. */
const provider = 'libonnxruntime_providers_cuda.so';

/**
 * Opens libraries in their order and says which versions they are. Without a driver the linker refuses the provider after
 * it found everything else that it needs; with one, the first session opens it.
 *
 * @param hasDriver false: that the provider lacks libcuda.so.1 is expected
 * @throws runtime.driver_unavailable
 */
export function openCudaFiles(koffi: Koffi, paths: readonly string[], hasDriver: boolean): string {
  const versions: string[] = [];
  for (const path of paths) {
    const name = basename(path);
    if (hasDriver && name === provider) continue;
    try {
      const library = koffi.load(path, { global: true });
      if (name.startsWith('libcudart.')) {
        const out = [0];
        library.func('int cudaRuntimeGetVersion(_Out_ int *version)')(out);
        versions.push(`CUDA ${printCudaVersion(out[0] ?? 0)}`);
      }
      if (name.startsWith('libcudnn.')) {
        const version = Number(library.func('size_t cudnnGetVersion()')());
        versions.push(
          `cuDNN ${Math.trunc(version / 10_000)}.${Math.trunc((version % 10_000) / 100)}.${version % 100}`,
        );
      }
    } catch (cause) {
      const finding = (cause instanceof Error ? cause.message : String(cause)).trim();
      if (name === provider && finding.includes('libcuda.so.1:')) continue;
      throw new AppError(
        'runtime.driver_unavailable',
        `open ${path}: ${finding}; run espalier setup cuda --force`,
        { details: { path }, cause },
      );
    }
  }
  const result = hasDriver ? 'its libraries load' : 'everything loads up to the driver';
  return [...versions, result].join(', ');
}

/** @throws runtime.driver_unavailable when the provider belongs to another build of ONNX Runtime */
export function requireSameBuild(path: string, expected: string = cudaNeeds.runtimeCommit): void {
  const bytes = readFileSync(path);
  const key = 'git-commit-id=';
  const at = bytes.indexOf(key);
  const text = at < 0 ? '' : bytes.toString('latin1', at + key.length, at + key.length + 40);
  const [commit = 'unknown'] = /^[0-9a-f]+/.exec(text) ?? [];
  if (commit === expected) return;
  throw new AppError(
    'runtime.driver_unavailable',
    `open the CUDA provider: ${path} is of commit ${commit}, the provider belongs to ${expected}; run npm install ${cudaNeeds.runtimePackage}`,
    { details: { path } },
  );
}
