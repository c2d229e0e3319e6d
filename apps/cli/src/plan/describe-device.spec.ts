import { AppError } from '@espalier/contracts';
import { parseModelConfig } from '@espalier/model';
import { describe, expect, it } from 'vitest';
import {
  describeBits,
  describeMemory,
  describeMost,
  listDeviceWarnings,
  listMemoryWarnings,
  promiseBits,
} from './describe-device.js';

const cpu = { provider: 'cpu', precision: 'float32' } as const;
const GiB = 2 ** 30;
const model = (sizes: object = {}) =>
  parseModelConfig({
    model_type: 'llama',
    vocab_size: 512,
    hidden_size: 128,
    num_hidden_layers: 1,
    num_attention_heads: 4,
    num_key_value_heads: 2,
    intermediate_size: 352,
    max_position_embeddings: 1024,
    ...sizes,
  });

describe('the bits of a run', () => {
  it.each([
    [cpu, true, 'onnxruntime-node in float32'],
    [{ ...cpu, driver: 'native' }, true, 'native in float32'],
    [{ ...cpu, precision: 'bf16' }, true, 'openvino in bf16'],
    [{ ...cpu, provider: 'cuda', precision: 'tf32' }, false, 'native in tf32 on cuda'],
    [{ ...cpu, provider: 'webgpu' }, false, 'native in float32 on webgpu'],
  ] as const)('%o: %s', (device, isPromised, by) => {
    const promised = promiseBits(device, model());
    expect(promised).toEqual({ isPromised, by });
    expect(describeBits(promised)).toMatch(isPromised ? /^the same for the same seed/ : /^not promised/);
    expect(describeBits(promised)).toContain(by);
  });

  it('are not promised in bf16 on a CPU for a model that adds up more numbers than come out alike', () => {
    const bf16 = { ...cpu, precision: 'bf16' } as const;
    const promised = (sizes: object, device: Parameters<typeof promiseBits>[0] = bf16) =>
      promiseBits(device, model(sizes)).isPromised;
    expect(promised({ intermediate_size: 960 })).toBe(true);
    expect(promised({ intermediate_size: 1000 })).toBe(false);
    expect(promised({ vocab_size: 49152 })).toBe(false);
    expect(promised({ vocab_size: 49152 }, cpu)).toBe(true);
    expect(promised({ vocab_size: 49152 }, { ...cpu, driver: 'openvino' })).toBe(true);
    expect(describeBits(promiseBits(bf16, model({ vocab_size: 49152 })))).toMatch(
      /^not promised by openvino in bf16: they depend on device\.threads .*sums of 49152 numbers/,
    );
  });
});

describe('the memory of a run', () => {
  it('is predicted for ONNX Runtime, and said to be more with OpenVINO', () => {
    expect(describeMemory(cpu, 2 * GiB)).toBe('about 2.0 GiB at its peak');
    expect(describeMemory({ ...cpu, precision: 'bf16' }, 2 * GiB)).toMatch(
      /^about 2\.0 GiB .* if ONNX Runtime trained; OpenVINO is not predicted and took up to 2 times as much, 4\.0 GiB/,
    );
    expect(describeMemory({ ...cpu, driver: 'openvino' }, 2 * GiB)).toContain('2.9 times as much, 5.8 GiB');
  });

  it('is that of a GPU on cuda, compared with it or not', () => {
    const cuda = { ...cpu, provider: 'cuda' } as const;
    expect(describeMemory(cuda, 2 * GiB, 80 * GiB)).toBe(
      'about 2.0 GiB at its peak on the GPU, which has 80.0 GiB',
    );
    expect(describeMemory(cuda, 2 * GiB)).toBe(
      'about 2.0 GiB at its peak on the GPU, not compared with its memory: no NVIDIA GPU is found here (see espalier doctor)',
    );
    expect(describeMemory({ ...cuda, memoryMb: 1 }, 2 * GiB)).toContain(
      'memory, but with device.memoryMb: no',
    );
  });

  it('is warned of where it fits as predicted and may not as measured', () => {
    const bf16 = { ...cpu, precision: 'bf16' } as const;
    const machine = { memoryBytes: 2.5 * GiB };
    const peak = (expected: number, most = expected) => ({ expected: expected * GiB, most: most * GiB });
    expect(listMemoryWarnings(cpu, peak(2), machine)).toEqual([]);
    expect(listMemoryWarnings(bf16, peak(2), { memoryBytes: 4.25 * GiB })).toEqual([]);
    // what does not fit as predicted is refused
    expect(listMemoryWarnings(bf16, peak(3), machine)).toEqual([]);
    expect(listMemoryWarnings(cpu, peak(2, 2.6), machine)).toEqual([
      expect.stringMatching(
        /^memory: 2\.6 GiB if all replies are as long as they may be, of which there are 2\.5 GiB; lower rollout/,
      ),
    ]);
    expect(listMemoryWarnings(bf16, peak(1, 2), machine)).toEqual([
      expect.stringContaining('memory: 4.0 GiB if all replies are as long as they may be'),
    ]);
    const cuda = { ...cpu, provider: 'cuda' } as const;
    expect(listMemoryWarnings({ ...cuda, memoryMb: 3072 }, peak(2, 4), machine)).toHaveLength(1);
    expect(listMemoryWarnings(cuda, peak(2, 4), machine)).toEqual([]);
    expect(listMemoryWarnings(cuda, peak(2, 4), { ...machine, gpuBytes: 3 * GiB })).toHaveLength(1);
    for (const warnings of [
      listMemoryWarnings(bf16, peak(2), machine),
      listMemoryWarnings({ ...bf16, memoryMb: 2560 }, peak(2), { memoryBytes: 8 * GiB }),
    ])
      expect(warnings).toEqual([
        expect.stringMatching(/^memory: OpenVINO may take 4\.0 GiB, of which there are 2\.5 GiB; lower/),
      ]);
  });
});

it('says whose memory it is on WebGPU', () => {
  expect(describeMemory({ ...cpu, provider: 'webgpu' }, 2 * GiB)).toBe(
    'about 2.0 GiB at its peak on the GPU, whose memory WebGPU does not tell; compared with that of this machine, which many GPUs share',
  );
});

describe('what longer replies add', () => {
  it('is said where it is worth a word', () => {
    expect(describeMost(cpu, { expected: 2 * GiB, most: 2.05 * GiB })).toBe('');
    const most = { expected: 2 * GiB, most: 3 * GiB };
    expect(describeMost(cpu, most)).toBe(', 3.0 GiB if all replies are as long as they may be');
    expect(describeMost({ ...cpu, precision: 'bf16' }, most)).toContain('6.0 GiB if all replies');
  });
});

describe('a device that this machine lacks', () => {
  it('is warned of as a run is refused, with what to do', async () => {
    const refuse = async () => {
      throw new AppError('runtime.provider_unavailable', 'compute on cuda: no driver; install one');
    };
    expect(await listDeviceWarnings({ ...cpu, provider: 'cuda' }, refuse)).toEqual([
      'device: compute on cuda: no driver; install one; a run on this machine ends at its start',
    ]);
  });

  it('is not looked for where the default driver computes on the CPU', async () => {
    expect(await listDeviceWarnings(cpu)).toEqual([]);
  });
});
