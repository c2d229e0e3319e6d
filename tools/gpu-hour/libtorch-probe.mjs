/**
 * What libtorch does when Node calls it, without Python: its C functions (aoti_torch_*, the stable ABI) through koffi.
 *
 *   node libtorch-probe.mjs [--device cuda|cpu] [--tiny] [--shapes FILE] [--torch DIR]
 *
 * Prints one JSON object per figure: a product in bf16, flash attention forward and backward in bf16, the cost of a call. DIR
 * is the folder of the Python package torch, by default that of python3. Each result is checked against what it must be.
 */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import koffi from 'koffi';

const { values: options } = parseArgs({
  options: {
    device: { type: 'string', default: 'cuda' },
    tiny: { type: 'boolean', default: false },
    shapes: { type: 'string' },
    torch: { type: 'string' },
    python: { type: 'string', default: 'python3' },
  },
});
const isCuda = options.device === 'cuda';
const shapesFile =
  options.shapes ?? join(import.meta.dirname, options.tiny ? 'tiny-shapes.json' : 'shapes.json');
const { product, attention } = JSON.parse(readFileSync(shapesFile, 'utf8'));
const torch = options.torch ?? findTorch();

const report = (figure) =>
  console.log(JSON.stringify({ library: 'libtorch', device: options.device, ...figure }));

const begin = performance.now();
const opened = ['libtorch_cpu.so', ...(isCuda ? ['libtorch_cuda.so'] : [])].map((name) =>
  koffi.load(join(torch, 'lib', name), { global: true }),
);
const shared = opened[0];
const shims = opened.at(-1);
const abi = BigInt(shared.func('uint64_t aoti_torch_abi_version()')());
report({
  figure: 'open',
  seconds: rounded((performance.now() - begin) / 1000),
  version: [56n, 48n, 40n].map((shift) => Number((abi >> shift) & 0xffn)).join('.'),
});

const out = koffi.out(koffi.pointer('void *'));
const sizes = koffi.pointer('int64_t');
const declare = (library, name, parameters) => {
  const call = library.func(name, 'int32_t', parameters);
  return (...args) => {
    if (call(...args) !== 0) throw new Error(`${name} failed: ${reason()}`);
  };
};
const reason = findReason();
const fromBlob = declare(shared, 'aoti_torch_create_tensor_from_blob_v2', [
  ...['void *', 'int64_t', sizes, sizes, 'int64_t', 'int32_t', 'int32_t', 'int32_t'],
  ...[out, 'int32_t', 'void *', 'int64_t'],
]);
const emptyStrided = declare(shared, 'aoti_torch_empty_strided', [
  ...['int64_t', sizes, sizes, 'int32_t', 'int32_t', 'int32_t', out],
]);
const copy = declare(shared, 'aoti_torch_copy_', ['void *', 'void *', 'int32_t']);
const release = declare(shared, 'aoti_torch_delete_tensor_object', ['void *']);
const float32 = shared.func('int32_t aoti_torch_dtype_float32()')();
const bfloat16 = shared.func('int32_t aoti_torch_dtype_bfloat16()')();
const cpu = shared.func('int32_t aoti_torch_device_type_cpu()')();
const target = isCuda ? shared.func('int32_t aoti_torch_device_type_cuda()')() : cpu;
const synchronize = isCuda ? createSynchronize() : () => undefined;

measureProduct(product);
measureAttention(attention);
measureCalls();

function measureProduct(size) {
  const mm = declare(shims, `aoti_torch_${options.device}_mm_out`, ['void *', 'void *', 'void *']);
  const values = fill(size * size);
  const [a, b] = [upload(values, [size, size]), upload(values, [size, size])];
  const c = create([size, size], bfloat16, target);
  const seconds = time(() => mm(c, a, b));
  const result = download(c, [size, size]);
  const [row, column] = [3, 5];
  let wanted = 0;
  for (let k = 0; k < size; k += 1) wanted += values[row * size + k] * values[k * size + column];
  const scale = Math.sqrt(size) / 12;
  check(Math.abs(result[row * size + column] - wanted) < 0.05 * scale, 'an entry of the product');
  report({
    figure: 'product',
    precision: 'bf16',
    size,
    milliseconds: rounded(seconds * 1000),
    teraflops: rounded((2 * size ** 3) / seconds / 1e12),
  });
  for (const tensor of [a, b, c]) release(tensor);
}

/** Causal. Forward has 2 products of half a square, backward 5. */
function measureAttention({ rows, heads, tokens, headWidth }) {
  const shape = [rows, heads, tokens, headWidth];
  const count = rows * heads * tokens * headWidth;
  const values = fill(count);
  const [query, key, value] = [1, 2, 3].map(() => upload(values, shape));
  const ones = upload(new Float32Array(count).fill(1), shape);
  const { forward, backward } = isCuda ? flashOnCuda() : flashOnCpu();
  let kept = forward(query, key, value);
  const forwardSeconds = time(() => {
    kept.forEach(release);
    kept = forward(query, key, value);
  });
  let gradients = backward(ones, query, key, value, kept);
  const backwardSeconds = time(() => {
    gradients.forEach(release);
    gradients = backward(ones, query, key, value, kept);
  });
  // the first token attends to itself alone
  const result = download(kept[0], shape);
  for (let at = 0; at < headWidth; at += 1)
    check(Math.abs(result[at] - values[at]) < 0.01, 'the first row of the attention');
  // weights of a row add up to 1, so the gradient of the values under a gradient of ones adds up to the number of rows
  const valueGradient = download(gradients[2], shape);
  let sum = 0;
  for (let token = 0; token < tokens; token += 1) sum += valueGradient[token * headWidth];
  check(Math.abs(sum - tokens) < 0.02 * tokens, 'the gradient of the values');
  const products = rows * heads * tokens * tokens * headWidth;
  const shapeFigures = { precision: 'bf16', rows, heads, tokens, headWidth };
  report({
    figure: 'attention-forward',
    ...shapeFigures,
    milliseconds: rounded(forwardSeconds * 1000),
    teraflops: rounded((2 * products) / forwardSeconds / 1e12),
  });
  report({
    figure: 'attention-backward',
    ...shapeFigures,
    milliseconds: rounded(backwardSeconds * 1000),
    teraflops: rounded((5 * products) / backwardSeconds / 1e12),
  });
  for (const tensor of [query, key, value, ones, ...kept, ...gradients]) release(tensor);
}

function flashOnCuda() {
  const prefix = 'aoti_torch_cuda__scaled_dot_product_flash_attention';
  const integer = koffi.out(sizes);
  const run = declare(shims, prefix, [
    ...['void *', 'void *', 'void *', 'double', 'int32_t', 'int32_t', 'void *'],
    ...[out, out, out, out, integer, integer, out, out, out],
  ]);
  const back = declare(shims, `${prefix}_backward`, [
    ...Array(8).fill('void *'),
    ...['int64_t', 'int64_t', 'double', 'int32_t', 'void *', 'void *', 'void *', out, out, out],
  ]);
  const maxima = [0, 0];
  return {
    forward(query, key, value) {
      const made = Array.from({ length: 7 }, () => [null]);
      const [result, logSums, startsQ, startsK, seed, offset, mask] = made;
      const [maxQ, maxK] = [[0], [0]];
      const results = [result, logSums, startsQ, startsK, maxQ, maxK, seed, offset, mask];
      run(query, key, value, 0, 1, 0, null, ...results);
      [maxima[0], maxima[1]] = [maxQ[0], maxK[0]];
      return made.map(([handle]) => handle);
    },
    backward(gradient, query, key, value, [result, logSums, startsQ, startsK, seed, offset]) {
      const made = [[null], [null], [null]];
      const saved = [result, logSums, startsQ, startsK, ...maxima];
      back(gradient, query, key, value, ...saved, 0, 1, seed, offset, null, ...made);
      return made.map(([handle]) => handle);
    },
  };
}

function flashOnCpu() {
  const prefix = 'aoti_torch_cpu__scaled_dot_product_flash_attention_for_cpu';
  const run = declare(shims, prefix, [
    ...['void *', 'void *', 'void *', 'double', 'int32_t', 'void *', 'void *', out, out],
  ]);
  const back = declare(shims, `${prefix}_backward`, [
    ...Array(6).fill('void *'),
    ...['double', 'int32_t', 'void *', 'void *', out, out, out],
  ]);
  return {
    forward(query, key, value) {
      const made = [[null], [null]];
      run(query, key, value, 0, 1, null, null, ...made);
      return made.map(([handle]) => handle);
    },
    backward(gradient, query, key, value, [result, logSums]) {
      const made = [[null], [null], [null]];
      back(gradient, query, key, value, result, logSums, 0, 1, null, null, ...made);
      return made.map(([handle]) => handle);
    },
  };
}

/** Small products: nothing but the way to the kernel. By a function of its own, and by the operator's name. */
function measureCalls() {
  const mm = declare(shims, `aoti_torch_${options.device}_mm_out`, ['void *', 'void *', 'void *']);
  const dispatch = declare(shared, 'aoti_torch_call_dispatcher', [
    ...['str', 'str', koffi.inout(koffi.pointer('uint64_t'))],
  ]);
  const clone = declare(shared, 'aoti_torch_new_tensor_handle', ['void *', out]);
  const a = upload(new Float32Array(16).fill(1), [4, 4]);
  const c = create([4, 4], bfloat16, target);
  const owned = (tensor) => {
    const handle = [null];
    clone(tensor, handle);
    return handle[0];
  };
  const calls = options.tiny ? 200 : 10_000;
  const perCall = (call) =>
    (time(() => {
      for (let index = 0; index < calls; index += 1) call();
    }) /
      calls) *
    1e6;
  report({
    figure: 'call',
    by: 'shim',
    operator: 'mm.out',
    microseconds: rounded(perCall(() => mm(c, a, a))),
  });
  check(
    download(c, [4, 4]).every((entry) => entry === 4),
    'the small product',
  );
  const byName = perCall(() => {
    const stack = new BigUint64Array([BigInt(owned(a))]);
    dispatch('aten::relu', '', stack);
    release(stack[0]);
  });
  report({ figure: 'call', by: 'name', operator: 'relu', microseconds: rounded(byName) });
  release(a);
  release(c);
}

/** Seconds of one run: the fastest of several, which other programs can only slow. */
function time(work) {
  work();
  synchronize();
  let best = Infinity;
  const start = performance.now();
  for (let run = 0; run < 3 || (run < 50 && performance.now() - start < 1500); run += 1) {
    const before = performance.now();
    work();
    synchronize();
    best = Math.min(best, performance.now() - before);
  }
  return best / 1000;
}

/** Values between -0.5 and 0.5 that bf16 holds exactly. */
function fill(count) {
  const values = new Float32Array(count);
  for (let index = 0, state = 1; index < count; index += 1) {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    values[index] = (state >>> 25) / 128 - 0.5;
  }
  return values;
}

function stridesOf(shape) {
  return shape.map((_, axis) => BigInt(shape.slice(axis + 1).reduce((a, b) => a * b, 1)));
}

function create(shape, type, place) {
  const handle = [null];
  emptyStrided(shape.length, shape.map(BigInt), stridesOf(shape), type, place, 0, handle);
  return handle[0];
}

/** A tensor over the memory of an array, which must outlive it. */
function view(values, shape) {
  const handle = [null];
  const where = [0, float32, cpu, 0];
  fromBlob(values, shape.length, shape.map(BigInt), stridesOf(shape), ...where, handle, 0, null, 0);
  return handle[0];
}

function upload(values, shape) {
  const from = view(values, shape);
  const tensor = create(shape, bfloat16, target);
  copy(tensor, from, 0);
  release(from);
  return tensor;
}

function download(tensor, shape) {
  const values = new Float32Array(shape.reduce((a, b) => a * b, 1));
  const to = view(values, shape);
  copy(to, tensor, 0);
  release(to);
  return values;
}

function check(isSo, what) {
  if (!isSo) throw new Error(`${what} is wrong`);
}

function rounded(value) {
  return Number(value.toPrecision(4));
}

/** Any library that has the function will do: libtorch_cuda.so brought its own. */
function createSynchronize() {
  const runtime = koffi.load('libcudart.so.13');
  const wait = runtime.func('int cudaDeviceSynchronize()');
  return () => {
    const status = wait();
    if (status !== 0) throw new Error(`the GPU failed with status ${status}`);
  };
}

function findReason() {
  try {
    return shared.func('const char *torch_exception_get_what_without_backtrace()');
  } catch {
    return () => 'see standard error';
  }
}

function findTorch() {
  const script = "import importlib.util as u; print(u.find_spec('torch').submodule_search_locations[0])";
  return execFileSync(options.python, ['-c', script], { encoding: 'utf8' }).trim();
}
