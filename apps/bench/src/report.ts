import { cpus, totalmem } from 'node:os';
import type { BenchRow } from './row.js';

const beginMark = '<!-- rows -->';
const rowPattern = /^\| `([^`]+)` \|.*$/gm;

/**
 * Renders docs/bench.md. Rows measured now replace those of the same name; the others are kept as they were.
 */
export function renderReport(rows: readonly BenchRow[], previous: string): string {
  const lines = new Map<string, string>();
  for (const match of previous.matchAll(rowPattern)) lines.set(match[1] ?? '', match[0]);
  for (const row of rows) lines.set(row.name, renderRow(row));
  return `# Measured speed and memory

Written by \`npm run bench\`; the newest figure of each row is kept. Each row is measured in a process of its own, with
its baseline taken warm in the same process, because machines are shared and noisy: quote the ratio, not the value.
Training steps and decoding stand beside a warm 2048³ float32 MatMul in ONNX Runtime (median of 30 runs after 10).
Training work is 6·parameters·tokens + 12·layers·B·T²·D FLOP, the embedding look-up not counted.

Last machine: ${cpus().length} × ${cpus()[0]?.model.trim() ?? 'unknown processor'}, ${Math.round(totalmem() / 2 ** 30)} GiB, Node ${process.version}, ${new Date().toISOString().slice(0, 10)}.

${beginMark}
| Name | Value | Baseline | Ratio | Notes |
|---|---:|---:|---:|---|
${[...lines.values()].join('\n')}
`;
}

function renderRow(row: BenchRow): string {
  const { name, value, unit, baseline, ratio, notes } = row;
  return `| \`${name}\` | ${value} ${unit} | ${baseline.value} (${baseline.name}) | ${ratio} | ${notes ?? ''} |`;
}
