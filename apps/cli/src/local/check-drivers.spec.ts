import { describe, expect, it } from 'vitest';
import { adviseOnBf16, type DriverCheck } from './check-drivers.js';

const check = (name: string, gigaflops: DriverCheck['gigaflops']): DriverCheck => ({
  name: `driver ${name}`,
  state: 'ok',
  finding: 'loads',
  ...(gigaflops && { gigaflops }),
});

/** What doctor finds of OpenVINO where the default driver and OpenVINO have these rates. */
const adviceFor = (usual: DriverCheck['gigaflops'], openvino: DriverCheck['gigaflops']): string =>
  adviseOnBf16([check('onnxruntime-node', usual), check('openvino', openvino)])[1]?.finding ?? '';

describe('adviseOnBf16', () => {
  it('says where bf16 is not faster than float32 by the default driver', () => {
    expect(adviceFor({ float32: 140 }, { float32: 130, bf16: 150 })).toBe(
      'loads; bf16 gains nothing on this processor (float32 by onnxruntime-node: 140 GFLOP/s); leave device.precision at float32',
    );
  });

  it('says nothing where bf16 gains, or where there is nothing to compare', () => {
    expect(adviceFor({ float32: 140 }, { float32: 130, bf16: 161 })).toBe('loads');
    expect(adviceFor({ float32: 140 }, { float32: 130 })).toBe('loads');
    expect(adviceFor(undefined, { bf16: 20 })).toBe('loads');
  });
});
