/** @file Options of what a run computes on, with which library and in which precision. */
import { z } from 'zod';

export const device = z.strictObject({
  provider: z
    .enum(['cpu', 'webgpu', 'cuda'])
    .default('cpu')
    .describe(
      'execution provider of ONNX Runtime; cuda, whose files `espalier setup cuda` fetches, and webgpu keep weights, gradients, moments and caches on the GPU',
    ),
  driver: z
    .enum(['onnxruntime-node', 'native', 'openvino'])
    .optional()
    .describe(
      'library that trains and scores: onnxruntime-node, the same runtime by its C API (native: outputs are not copied), or openvino, which `espalier setup openvino` fetches and which leaves the optimizer, and sampling unless in bf16, to onnxruntime-node; default: native on cuda and webgpu, openvino for bf16 on a CPU, else onnxruntime-node',
    ),
  precision: z
    .enum(['float32', 'tf32', 'bf16'])
    .default('float32')
    .describe(
      'what products of training and scoring are computed in; weights, gradients and moments are float32 in each; tf32 needs cuda, bf16 cuda or a CPU with avx512_bf16 or amx_bf16',
    ),
  threads: z
    .int()
    .min(1)
    .max(256)
    .optional()
    .describe('threads per operator; default: OMP_NUM_THREADS, else all cores'),
  sampling: z
    .enum(['float32', 'bf16', 'int8'])
    .default('float32')
    .describe(
      'what the policy is sampled in, in training and validation: float32; bf16, its weights and keys and values rounded to it, which needs precision bf16 on a CPU; or int8, its matrices rounded in blocks of 32 after each update, on the CPU only; see update.samplerCorrection',
    ),
  processorWatts: z
    .number()
    .min(0)
    .max(1000)
    .optional()
    .meta({ unit: 'W' })
    .describe(
      'power of a busy hardware thread, which energy is estimated by where the machine has no counter that may be read; default: 3.5, the average maximum of a vCPU at Cloud Carbon Footprint',
    ),
  boardWatts: z
    .number()
    .min(0)
    .max(10_000)
    .optional()
    .meta({ unit: 'W' })
    .describe(
      'power of the GPU, which energy is estimated by on webgpu, and on cuda where its counter cannot be read; default: 300; its limit is what `nvidia-smi -q -d POWER` says',
    ),
  pricePerHour: z
    .number()
    .min(0)
    .max(1_000_000)
    .optional()
    .describe(
      'price of an hour of this device, in a currency of your choice; the ledger then has what the run has cost; default: it has no price',
    ),
  memoryMb: z
    .int()
    .min(1)
    .max(2 ** 31 - 1)
    .optional()
    .meta({ unit: 'MiB' })
    .describe(
      'most memory of the training process and its children; a worker ends an attempt that uses more; a run that needs more than the machine has starts only if this allows it; default: the limit of the worker (jobMemoryMb)',
    ),
});
