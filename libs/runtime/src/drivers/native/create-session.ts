/** @file Opens a session of the C API, on the CPU or on a GPU. */
import { AppError, hasCode } from '@espalier/contracts';
import { startedThreads } from '@espalier/contracts/values';
import { findKnownFailure } from '../../known-failure.js';
import type { CLibrary, Pointer } from '../c-library.js';
import type { DriverSource, Precision, SessionOptions } from '../driver.js';
import { runtimeMessage, unavailable } from '../provider.js';
import type { Device } from './io-binding.js';
import type { OrtApi } from './ort-api.js';

/** A GPU that sessions compute on. */
export interface Gpu {
  /** libraries that stay loaded */
  readonly held?: readonly CLibrary[];
  readonly api: OrtApi;
  readonly device: Device;
  /** Adds the provider to the options of a session. */
  addProvider(settings: Pointer, precision: Precision): void;
}

const NO_OPTIMIZATION = 0;

/** @throws runtime.provider_unavailable, out_of_memory, device_lost, session_failed */
export function createSession(
  api: OrtApi,
  { bytes, constants }: Pick<DriverSource, 'bytes' | 'constants'>,
  options: SessionOptions,
  addProvider: Gpu['addProvider'] | undefined,
): Pointer {
  const { provider = 'cpu', precision = 'float32', threads = startedThreads(), profilePrefix } = options;
  const settings = api.receive('CreateSessionOptions');
  const configure = (key: string, value: string): void =>
    api.call('AddSessionConfigEntry', settings, key, value);
  try {
    // merging equal nodes would undo recomputation
    api.call('SetSessionGraphOptimizationLevel', settings, NO_OPTIMIZATION);
    api.call('SetSessionLogSeverityLevel', settings, 4);
    if (threads !== undefined) api.call('SetIntraOpNumThreads', settings, threads);
    // a plan per set of shapes would hold a second copy of the arena
    api.call('DisableMemPattern', settings);
    if (profilePrefix !== undefined) api.call('EnableProfiling', settings, profilePrefix);
    configure('session.set_denormal_as_zero', '1');
    configure('session.intra_op.allow_spinning', '1');
    const fixed = Object.entries(constants);
    if (fixed.length > 0)
      api.call(
        'AddExternalInitializersFromFilesInMemory',
        settings,
        fixed.map(([name]) => name),
        fixed.map(([, { values }]) => values),
        fixed.map(([, { values }]) => values.byteLength),
        fixed.length,
      );
    try {
      addProvider?.(settings, precision);
    } catch (cause) {
      throw unavailable(provider, runtimeMessage(cause), cause);
    }
    return api.receive('CreateSessionFromArray', api.env, bytes, bytes.byteLength, settings);
  } catch (cause) {
    const known = findKnownFailure('create session', cause);
    if (known !== undefined || hasCode(cause, 'runtime.provider_unavailable')) throw known ?? cause;
    throw new AppError(
      'runtime.session_failed',
      `create session: the runtime rejected the graph: ${runtimeMessage(cause)}; run check on it`,
      { cause },
    );
  } finally {
    api.free('ReleaseSessionOptions', settings);
  }
}
