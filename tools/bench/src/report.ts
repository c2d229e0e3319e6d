/** @file docs/results/bench.md: rows measured now replace those of the same name; the others are kept as they were. */
import { cpus, totalmem } from 'node:os';
import { renderPeers, type PeerReport } from './peers/render-peers.js';
import type { BenchRow } from './row.js';

/** What was measured now. */
export interface Report {
  readonly rows: readonly BenchRow[];
  readonly peers?: PeerReport;
}

const beginMark = '<!-- rows -->';
const peersMark = '<!-- peers -->';

/** Renders the page. */
export function renderReport({ rows, peers }: Report, previous: string): string {
  const [before = '', beside = ''] = previous.split(peersMark);
  const lines = tableLines(before);
  for (const row of rows) lines.set(row.name, renderRow(row));
  const machine = `${cpus().length} × ${cpus()[0]?.model.trim() ?? 'unknown processor'}, ${Math.round(totalmem() / 2 ** 30)} GiB, Node ${process.version}, ${new Date().toISOString().slice(0, 10)}`;
  const section = renderPeers(peers, tableLines(beside), beside, machine);
  return `# Measured speed and memory

Written by \`npm run bench\`; the newest figure of each row is kept. Each row is measured in a process of its own, with
its baseline taken warm in the same process, because machines are shared and noisy: quote the ratio, not the value.
Training steps and decoding stand beside a warm 2048³ float32 MatMul in ONNX Runtime (median of 30 runs after 10).
Rows of the server say how busy the machine was: delays grow with that; processor time hardly does, so its ratios hold.
Rows that end in "before other work" were measured with real-time priority (\`chrt -r 5 node tools/run-tool.mjs bench …\` as root): on a shared machine
it gives what a machine of its own would take.
Training work is 6·parameters·tokens + 12·layers·B·T²·D FLOP, the embedding look-up not counted.
Rows \`memory/…\` are runs in processes of their own: what \`plan\` predicts, and the kernel's VmHWM at the end (±25 % is the goal).
Rows \`smollm2/…\` and \`memory/smollm2/…\` need the model (\`npm run fetch:smollm2 -- --out models/smollm2\`), and \`smollm2/decode\`
a Python with torch and transformers (\`--python\`); what is missing is named, and its rows are left as they were.
Rows \`dashboard-beside/…\` need a Python with mlflow, trackio and tensorboard. Both pages have the same data, one browser that reaches this machine only, and
turns: the value is ours, the baseline theirs, both medians, and all figures are in the notes; what a page could not do says why.

Last machine: ${machine}.

${beginMark}
| Name | Value | Baseline | Ratio | Notes |
|---|---:|---:|---:|---|
${[...lines.values()].join('\n')}
${section === '' ? '' : `\n${peersMark}\n${section}`}`;
}

/** Table rows by the name in their first column. */
function tableLines(text: string): Map<string, string> {
  return new Map([...text.matchAll(/^\| `([^`]+)` \|.*$/gm)].map((match) => [match[1] ?? '', match[0]]));
}

function renderRow(row: BenchRow): string {
  const { name, value, unit, baseline, ratio, notes } = row;
  const cell = (text: string): string => text.replaceAll('|', '\\|');
  const beside = cell(baseline.value === null ? baseline.name : `${baseline.value} (${baseline.name})`);
  return `| \`${name}\` | ${value} ${unit} | ${beside} | ${ratio ?? ''} | ${cell(notes ?? '')} |`;
}
