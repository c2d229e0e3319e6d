/**
 * @file The functions of OpenVINO's C library that the driver needs. The library is the pinned one that `espalier setup
 * openvino` unpacked.
 */
import { join } from 'node:path';
import { AppError } from '@espalier/contracts';
import type { DType } from '@espalier/graph';
import { findLibrary } from '../../libraries/find-library.js';
import { type CFunction, type CLibrary, openLibrary, type Pointer } from '../c-library.js';

export const remedy = 'run espalier setup openvino --force';

/** OpenVINO's numbers of element types. */
export const elementTypes: Readonly<Partial<Record<DType, number>>> = {
  bool: 1,
  bfloat16: 2,
  float16: 3,
  float32: 4,
  float64: 5,
  int8: 7,
  int32: 9,
  int64: 10,
  uint8: 16,
};

/** The library with its functions; those that can fail throw OpenVINO's message. */
export interface OpenVino {
  readonly koffi: CLibrary['koffi'];
  readonly version: string;
  readonly core: Pointer;
  /** Makes a typed error message of a status. */
  check(status: unknown, operation: string): void;
  readonly readModel: CFunction;
  readonly compileModel: CFunction;
  readonly createRequest: CFunction;
  readonly findInput: CFunction;
  readonly freePort: CFunction;
  readonly createTensor: CFunction;
  readonly setTensor: CFunction;
  readonly getTensor: CFunction;
  readonly tensorShape: CFunction;
  readonly freeShape: CFunction;
  readonly tensorData: CFunction;
  readonly infer: CFunction;
  readonly freeTensor: CFunction;
  readonly freeRequest: CFunction;
  readonly freeCompiled: CFunction;
  readonly freeModel: CFunction;
}

let opened: Promise<OpenVino> | undefined;

/** Opens the library once for this process. @throws runtime.driver_unavailable */
export function openOpenVino(): Promise<OpenVino> {
  opened ??= openPinned().catch((error: unknown) => {
    opened = undefined;
    throw error;
  });
  return opened;
}

async function openPinned(): Promise<OpenVino> {
  const { folder, library } = findLibrary('openvino');
  return openOpenVinoIn(folder, library.version);
}

/** Opens the library of a folder. @throws runtime.driver_unavailable when it is another version */
export async function openOpenVinoIn(folder: string, expected: string): Promise<OpenVino> {
  const path = join(folder, 'libopenvino_c.so.2640');
  const { koffi, find } = await openLibrary('openvino', path, remedy);
  defineStructs(koffi);
  const version: { buildNumber?: string } = {};
  find('int ov_get_openvino_version(_Out_ ov_version_t *version)')(version);
  const build = version.buildNumber ?? '';
  if (!build.startsWith(expected)) {
    throw new AppError(
      'runtime.driver_unavailable',
      `open driver "openvino": ${path} is version ${build === '' ? 'unknown' : build}; expected ${expected}; ${remedy}`,
      { details: { driver: 'openvino', path } },
    );
  }
  const message = find('const char *ov_get_last_err_msg()');
  const check = (status: unknown, operation: string): void => {
    if (status === 0) return;
    const said = message() as string | null;
    const finding = said === null || said === '' ? `status ${String(status)}` : said;
    throw new AppError('runtime.run_failed', `${operation}: ${finding}`);
  };
  const core: Pointer[] = [null];
  check(find('int ov_core_create(_Out_ void **core)')(core), 'create core');
  return { koffi, version: build, core: core[0] ?? null, check, ...functions(find) };
}

let areStructsDefined = false;

/** koffi knows types by name, for the whole process. */
function defineStructs(koffi: CLibrary['koffi']): void {
  if (areStructsDefined) return;
  koffi.struct('ov_version_t', { buildNumber: 'const char *', description: 'const char *' });
  koffi.struct('ov_shape_t', { rank: 'int64_t', dims: 'int64_t *' });
  areStructsDefined = true;
}

const functions = (find: CLibrary['find']) => ({
  readModel: find(
    'int ov_core_read_model_from_memory_buffer(void *core, const void *bytes, size_t size, void *weights, _Out_ void **model)',
  ),
  compileModel: find(
    'int ov_core_compile_model(void *core, void *model, const char *device, size_t properties, _Out_ void **compiled, ...)',
  ),
  createRequest: find('int ov_compiled_model_create_infer_request(void *compiled, _Out_ void **request)'),
  findInput: find('int ov_compiled_model_input_by_name(void *compiled, const char *name, _Out_ void **port)'),
  freePort: find('void ov_output_const_port_free(void *port)'),
  createTensor: find(
    'int ov_tensor_create_from_host_ptr(int type, ov_shape_t shape, void *data, _Out_ void **tensor)',
  ),
  setTensor: find('int ov_infer_request_set_tensor(void *request, const char *name, void *tensor)'),
  getTensor: find('int ov_infer_request_get_tensor(void *request, const char *name, _Out_ void **tensor)'),
  tensorShape: find('int ov_tensor_get_shape(void *tensor, _Out_ ov_shape_t *shape)'),
  freeShape: find('int ov_shape_free(ov_shape_t *shape)'),
  tensorData: find('int ov_tensor_data(void *tensor, _Out_ void **data)'),
  infer: find('int ov_infer_request_infer(void *request)'),
  freeTensor: find('void ov_tensor_free(void *tensor)'),
  freeRequest: find('void ov_infer_request_free(void *request)'),
  freeCompiled: find('void ov_compiled_model_free(void *compiled)'),
  freeModel: find('void ov_model_free(void *model)'),
});

/** Calls a function whose last argument receives a pointer. */
export function receive(
  { check }: Pick<OpenVino, 'check'>,
  operation: string,
  call: CFunction,
  ...args: readonly unknown[]
): Pointer {
  const out: Pointer[] = [null];
  check(call(...args, out), operation);
  return out[0] ?? null;
}
