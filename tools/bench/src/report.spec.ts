import { describe, expect, it } from 'vitest';
import { buildPeerRow } from './peers/peer-row.js';
import { renderReport } from './report.js';
import { buildRow } from './row.js';

const rate = (value: number) => buildRow('train-step/5m', value, 'GFLOP/s', { name: 'MatMul', value: 100 });
const beside = (value: number | undefined) =>
  buildPeerRow({
    name: 'train-step/5m',
    value,
    unit: 'GFLOP/s',
    lessIsBetter: false,
    goal: 1.4,
    peer: { name: 'PyTorch', value: 50 },
  });

describe('docs/results/bench.md', () => {
  it('keeps rows that were not measured again, each in its own table', () => {
    const first = renderReport(
      { rows: [rate(80)], peers: { rows: [beside(80)], versions: { torch: '2.0' } } },
      '',
    );
    expect(first).toContain('| `train-step/5m` | 80 GFLOP/s | 100 (MatMul) | 0.8 |  |');
    expect(first).toContain('| `train-step/5m` | 80 GFLOP/s | 50 GFLOP/s (PyTorch) | 1.6 | 1.4 ✓ |  |');
    const second = renderReport({ rows: [rate(90)] }, first);
    expect(second).toContain('| `train-step/5m` | 90 GFLOP/s | 100 (MatMul) | 0.9 |  |');
    expect(second).toContain('| `train-step/5m` | 80 GFLOP/s | 50 GFLOP/s (PyTorch) | 1.6 | 1.4 ✓ |  |');
    expect(second).toMatch(/Last machine and versions: .*torch 2\.0\./);
  });

  it('has no second table before peers were measured', () => {
    expect(renderReport({ rows: [rate(80)] }, '')).not.toContain('peers');
  });

  it('marks no goal that was missed or not measured', () => {
    const report = renderReport({ rows: [], peers: { rows: [beside(60)], versions: {} } }, '');
    expect(report).toContain('| 1.2 | 1.4 |');
    expect(beside(undefined)).toMatchObject({ value: null, ratio: null });
  });
});

describe('buildPeerRow', () => {
  it('turns the ratio round where less is better', () => {
    const row = buildPeerRow({
      name: 'iteration',
      value: 3,
      unit: 's',
      lessIsBetter: true,
      peer: { name: 'TRL', value: 12 },
    });
    expect(row.ratio).toBe(4);
  });
});
