/**
 * @file ONNX Runtime's C API through koffi: a table of functions, found by their place in it, which never changes. Only
 * what the driver needs is declared. Source: onnxruntime_c_api.h, version 23 of the API.
 */
import { AppError } from '@espalier/contracts';
import type { DType } from '@espalier/graph';
import { type CFunction, type CLibrary, openLibrary, type Pointer } from '../c-library.js';

const API_VERSION = 23;

/** ONNX's numbers of element types. */
export const elementTypes: Readonly<Record<DType, number>> = {
  float32: 1,
  uint8: 2,
  int8: 3,
  int32: 6,
  int64: 7,
  bool: 9,
  float16: 10,
  bfloat16: 16,
  float64: 11,
};

/** Place in the table and parameters; each returns a status, null for success, unless it says otherwise. */
const functions = {
  GetErrorMessage: [2, 'void *status', 'const char *'],
  CreateEnv: [3, 'int level, const char *name, _Out_ void **out'],
  CreateSessionFromArray: [8, 'void *env, const void *bytes, size_t size, void *options, _Out_ void **out'],
  CreateSessionOptions: [10, '_Out_ void **out'],
  EnableProfiling: [14, 'void *options, const char *prefix'],
  DisableMemPattern: [17, 'void *options'],
  SetSessionLogSeverityLevel: [22, 'void *options, int level'],
  SetSessionGraphOptimizationLevel: [23, 'void *options, int level'],
  SetIntraOpNumThreads: [24, 'void *options, int threads'],
  CreateTensorWithDataAsOrtValue: [
    49,
    'void *info, void *data, size_t size, const int64_t *shape, size_t rank, int type, _Out_ void **out',
  ],
  GetTensorMutableData: [51, 'void *value, _Out_ void **out'],
  GetDimensions: [62, 'void *info, int64_t *out, size_t rank'],
  GetTensorTypeAndShape: [65, 'void *value, _Out_ void **out'],
  CreateMemoryInfo: [68, 'const char *name, int allocator, int id, int type, _Out_ void **out'],
  CreateCpuMemoryInfo: [69, 'int allocator, int type, _Out_ void **out'],
  AllocatorAlloc: [75, 'void *allocator, size_t size, _Out_ void **out'],
  AllocatorFree: [76, 'void *allocator, void *memory'],
  GetAllocatorWithDefaultOptions: [78, '_Out_ void **out'],
  ReleaseStatus: [93, 'void *status', 'void'],
  ReleaseSession: [95, 'void *session', 'void'],
  ReleaseValue: [96, 'void *value', 'void'],
  ReleaseTensorTypeAndShapeInfo: [99, 'void *info', 'void'],
  ReleaseSessionOptions: [100, 'void *options', 'void'],
  SessionEndProfiling: [110, 'void *session, void *allocator, _Out_ void **path'],
  AddSessionConfigEntry: [130, 'void *options, const char *key, const char *value'],
  CreateAllocator: [131, 'void *session, void *info, _Out_ void **out'],
  RunWithBinding: [133, 'void *session, void *options, void *binding'],
  CreateIoBinding: [134, 'void *session, _Out_ void **out'],
  ReleaseIoBinding: [135, 'void *binding', 'void'],
  BindInput: [136, 'void *binding, const char *name, void *value'],
  BindOutput: [137, 'void *binding, const char *name, void *value'],
  BindOutputToDevice: [138, 'void *binding, const char *name, void *info'],
  GetBoundOutputValues: [140, 'void *binding, void *allocator, _Out_ void **values, _Out_ size_t *count'],
  ClearBoundOutputs: [142, 'void *binding', 'void'],
  SynchronizeBoundInputs: [202, 'void *binding'],
  CreateCUDAProviderOptions: [205, '_Out_ void **out'],
  SessionOptionsAppendExecutionProvider_CUDA_V2: [204, 'void *options, void *cuda'],
  UpdateCUDAProviderOptions: [206, 'void *cuda, const char **keys, const char **values, size_t count'],
  ReleaseCUDAProviderOptions: [208, 'void *cuda', 'void'],
  SessionOptionsAppendExecutionProvider: [
    216,
    'void *options, const char *provider, const char **keys, const char **values, size_t count',
  ],
  AddExternalInitializersFromFilesInMemory: [
    279,
    'void *options, const char **names, void **buffers, const size_t *sizes, size_t count',
  ],
  CopyTensors: [386, 'void *env, void **sources, void **targets, void *stream, size_t count'],
} as const satisfies Record<string, readonly [number, string, string?]>;

type FunctionName = keyof typeof functions;

/** The opened library. */
export interface OrtApi {
  /** held, so that the library stays loaded: functions of its table do not hold it */
  readonly handle: object;
  readonly koffi: CLibrary['koffi'];
  readonly version: string;
  readonly env: Pointer;
  readonly allocator: Pointer;
  readonly cpuMemory: Pointer;
  /** the function itself, whose status the caller checks */
  raw(name: FunctionName): CFunction;
  /** Makes an error of a status. */
  check(status: unknown): void;
  /** Calls a function and checks its status. */
  call(name: FunctionName, ...args: readonly unknown[]): void;
  /** Calls a function whose last parameter receives a pointer. */
  receive(name: FunctionName, ...args: readonly unknown[]): Pointer;
  free(name: FunctionName, pointer: Pointer): void;
}

/** Opens the library of a path. @throws runtime.driver_unavailable */
export async function openOrtApi(path: string, remedy: string): Promise<OrtApi> {
  const { handle, koffi, find } = await openLibrary('native', path, remedy);
  const base = find('void *OrtGetApiBase()')() as Pointer;
  const [getApi, getVersion] = koffi.decode(base, 'void *', 2) as [Pointer, Pointer];
  const version = functionAt(koffi, getVersion, 'const char *ortGetVersionString()')() as string;
  const api = functionAt(koffi, getApi, 'void *ortGetApi(uint32_t version)')(API_VERSION) as Pointer;
  if (api === null)
    throw new AppError(
      'runtime.driver_unavailable',
      `open driver "native": ${path} is ONNX Runtime ${version}, which lacks version ${API_VERSION} of the C API; ${remedy}`,
      { details: { driver: 'native', path } },
    );
  const table = koffi.decode(
    api,
    'void *',
    1 + Math.max(...Object.values(functions).map(([at]) => at)),
  ) as Pointer[];
  const found = new Map<FunctionName, CFunction>();
  const raw = (name: FunctionName): CFunction => {
    const known = found.get(name);
    if (known !== undefined) return known;
    const [at, parameters, result = 'void *'] = functions[name] as readonly [number, string, string?];
    const created = functionAt(koffi, table[at] ?? null, `${result} ort${name}(${parameters})`);
    found.set(name, created);
    return created;
  };
  const check = (status: unknown): void => {
    if (status === null) return;
    const message = raw('GetErrorMessage')(status) as string;
    raw('ReleaseStatus')(status);
    throw new AppError('runtime.run_failed', message);
  };
  const call: OrtApi['call'] = (name, ...args) => check(raw(name)(...args));
  const receive: OrtApi['receive'] = (name, ...args) => {
    const out: Pointer[] = [null];
    check(raw(name)(...args, out));
    return out[0] ?? null;
  };
  // errors are thrown; the runtime would repeat them on stderr
  const fatalOnly = 4;
  return {
    handle,
    koffi,
    version,
    env: receive('CreateEnv', fatalOnly, 'espalier'),
    allocator: receive('GetAllocatorWithDefaultOptions'),
    cpuMemory: receive('CreateCpuMemoryInfo', 1, 0),
    raw,
    check,
    call,
    receive,
    free: (name, pointer) => void raw(name)(pointer),
  };
}

const prototypes = new Map<string, ReturnType<CLibrary['koffi']['proto']>>();

/** koffi knows prototypes by name, for the whole process. */
function functionAt(koffi: CLibrary['koffi'], pointer: Pointer, prototype: string): CFunction {
  const type = prototypes.get(prototype) ?? koffi.proto(prototype);
  prototypes.set(prototype, type);
  return koffi.decode(pointer, type) as CFunction;
}
