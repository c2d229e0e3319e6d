/** @file The second half of docs/results/bench.md: Espalier next to the peers, the versions, and what cannot be compared. */
import type { PeerRow } from './peer-row.js';

export interface PeerReport {
  readonly rows: readonly PeerRow[];
  readonly versions: Readonly<Record<string, string>>;
}

const machineLine = /^Last machine and versions: .*$/m;

/**
 * Renders the section; empty where no peer was ever measured.
 *
 * @param kept     table lines of before, by row
 * @param previous the whole section of before
 */
export function renderPeers(
  report: PeerReport | undefined,
  kept: ReadonlyMap<string, string>,
  previous: string,
  machine: string,
): string {
  if (report === undefined && kept.size === 0) return '';
  const lines = new Map(kept);
  for (const row of report?.rows ?? []) lines.set(row.name, renderRow(row));
  const measured =
    report === undefined
      ? (machineLine.exec(previous)?.[0] ?? '')
      : `Last machine and versions: ${machine}; ${versionText(report.versions)}.`;
  return `## Beside its peers

Written by \`npm run bench -- --peers VENV --peer-programs DIR\`: what users would run instead, at the same shapes on the same machine; each row takes our figure and then the peer's, so that both meet the
same minutes. "Times better" is ours over the peer's, or the peer's over ours where less is better (seconds, GB).

${measured}

| Name | Ours | Peer | Times better | Goal | Notes |
|---|---:|---:|---:|---:|---|
${[...lines.values()].join('\n')}

What is not comparable:

- bf16 needs a processor with instructions for it (AMX, AVX-512 BF16), and ours OpenVINO (\`espalier setup openvino\`). PyTorch's
  autocast keeps softmax, norms and losses in float32; in ours softmax and norms give bf16, too, log-probabilities and losses float32.
- \`torch.compile\` is measured without its compile time; the time is lost once per shape.
- Peers use two threads by their own setting, ours \`--threads\` (default: all cores).
- The training step is forward and backward without an optimizer in both; ours also adds to gathered gradients and
  returns log-probability and entropy of every token.
- Peak memory is of the whole process; PyTorch's holds its libraries (about 0.4 GB), ours Node.js (about 0.1 GB).
- TRL shuffles, tokenizes and logs around the same tokens; its prompts are all different, as ours are. Ours computes the
  16 members' shared prompt once, when sampling and in the update.
- gym_sokoban draws a picture at every step and is meant for models that see; ours writes the text a language model
  reads. The rows say what each costs as shipped.
`;
}

function renderRow({ name, value, unit, baseline, ratio, goal, notes, error }: PeerRow): string {
  const cell = (figure: number | null): string => (figure === null ? 'failed' : `${figure} ${unit}`);
  const remark = [notes, error].filter((text) => text !== undefined).join('; ');
  const aim = goal === undefined ? '' : `${goal}${ratio !== null && ratio >= goal ? ' ✓' : ''}`;
  return `| \`${name}\` | ${cell(value)} | ${cell(baseline.value)} (${baseline.name}) | ${ratio ?? ''} | ${aim} | ${remark.replaceAll('|', '\\|')} |`;
}

function versionText(versions: Readonly<Record<string, string>>): string {
  return Object.entries(versions)
    .map(([name, version]) => `${name} ${version}`)
    .join(', ');
}
