/** @file What the runs have cost, and what their success has cost. */
import { type Block, code, heading, type Inline, note, type Sentence } from '../document.js';
import { computeLedger, type Ledger, ledgerPhases, sumOf } from '../ledger.js';
import { formatNumber, formatSeconds } from '../numbers.js';
import { finitePoints, type ReportRun } from '../report-run.js';
import { lookUp, type SourcePart, type Sources } from '../sources.js';

interface Column {
  readonly head: string;
  readonly of: (ledger: Ledger) => number | undefined;
  readonly format: (value: number, ledger: Ledger) => string;
  /** metrics that it comes from, at the newest step */
  readonly from: readonly string[];
  readonly how: string;
}

const tokens = ['total/sampled_tokens', 'total/trained_tokens'];
const ownTotal = 'the newest total; of a fork, less the one it began with';
const validated = ['validation/success_rate'];
const summed = 'sum over all steps of time/<phase>_seconds, validations included';

/** Never without where it is from. */
const formatEnergy = (joules: number, { energySource = 'estimated' }: Ledger): string =>
  `${formatNumber(joules / 3600)} Wh, ${energySource}`;

const columns: readonly Column[] = [
  { head: 'wall time', of: ({ wallSeconds }) => sumOf(wallSeconds), format: formatSeconds, from: ['time/collect_seconds'], how: summed }, // prettier-ignore
  { head: 'processor time', of: ({ processorSeconds }) => processorSeconds && sumOf(processorSeconds), format: formatSeconds, from: ['time/collect_cpu_seconds'], how: 'sum over all steps of time/<phase>_cpu_seconds, of all threads' }, // prettier-ignore
  { head: 'energy', of: ({ energyJoules }) => energyJoules && sumOf(energyJoules), format: formatEnergy, from: ['energy/collect_joules', 'energy/measured_joules'], how: 'sum over all steps of energy/<phase>_joules, validations included; measured as far as energy/measured_joules is of it' }, // prettier-ignore
  { head: 'tokens sampled', of: ({ sampledTokens }) => sampledTokens, format: formatNumber, from: tokens.slice(0, 1), how: ownTotal }, // prettier-ignore
  { head: 'tokens trained', of: ({ trainedTokens }) => trainedTokens, format: formatNumber, from: tokens.slice(1), how: ownTotal }, // prettier-ignore
  { head: 'environment steps', of: ({ environmentSteps }) => environmentSteps, format: formatNumber, from: ['total/environment_steps'], how: ownTotal }, // prettier-ignore
  { head: 'optimizer steps', of: ({ optimizerSteps }) => optimizerSteps, format: formatNumber, from: ['update/policy_steps', 'update/critic_steps', 'update/critics'], how: `policy and critics, ${ownTotal}` }, // prettier-ignore
  { head: 'success points', of: ({ successPoints }) => successPoints, format: formatNumber, from: validated, how: 'first to newest validation, in percentage points' }, // prettier-ignore
  { head: 'points per 10⁶ tokens', of: ({ perMillionTokens }) => perMillionTokens, format: formatNumber, from: [...validated, ...tokens], how: 'success points ÷ millions of tokens, sampled and trained' }, // prettier-ignore
  { head: 'per 10³ interactions', of: ({ perThousandInteractions }) => perThousandInteractions, format: formatNumber, from: [...validated, 'total/environment_steps'], how: 'success points ÷ thousands of environment steps' }, // prettier-ignore
  { head: 'per device-hour', of: ({ perDeviceHour }) => perDeviceHour, format: formatNumber, from: [...validated, 'time/collect_seconds'], how: 'success points ÷ hours of wall time' }, // prettier-ignore
];

/** Shown where a run has a price. */
const priceColumns: readonly Column[] = [
  { head: 'price', of: ({ price }) => price, format: formatNumber, from: ['time/price'], how: 'sum over all steps of time/price, validations included; in the currency of device.pricePerHour' }, // prettier-ignore
  { head: 'points per unit of price', of: ({ perPrice }) => perPrice, format: formatNumber, from: [...validated, 'time/price'], how: 'success points ÷ price' }, // prettier-ignore
];

/** A table of the ledgers, and where the time went. */
export function describeCosts(runs: readonly ReportRun[], sources: Sources): Block[] {
  const measured = runs.flatMap((run) => {
    const ledger = computeLedger((name) => finitePoints(run, name).map(([, value]) => value));
    return ledger === undefined ? [] : [{ run, ledger }];
  });
  if (measured.length === 0) return [];
  const hasPrice = measured.some(({ ledger }) => ledger.price !== undefined);
  const shown = [...columns, ...(hasPrice ? priceColumns : [])];
  return [
    heading(2, 'What it cost', 'costs'),
    {
      kind: 'table',
      head: ['run', ...shown.map(({ head }) => head)],
      numeric: shown.map((_, index) => index + 1),
      rows: measured.map(({ run, ledger }) => [
        [code(run.key)],
        ...shown.map((column) => cellOf(run, ledger, column, sources)),
      ]),
    },
    {
      kind: 'charts',
      charts: [
        {
          kind: 'bars',
          id: 'time',
          title: 'Wall time by phase',
          parts: ledgerPhases,
          rows: measured.map(({ run, ledger }) => ({
            label: run.key,
            values: ledgerPhases.map((phase) => ledger.wallSeconds[phase]),
          })),
          format: formatSeconds,
        },
      ],
    },
    note(
      'Energy is estimated from processor time (on a GPU, from time) and watts, or measured by counters of the machine, which count its other programs too. Times and energies of runs on different or shared machines do not compare.',
    ),
  ];
}

function cellOf(
  run: ReportRun,
  ledger: Ledger,
  { of, format, from, how }: Column,
  sources: Sources,
): Sentence {
  const value = of(ledger);
  if (value === undefined) return [{ kind: 'muted', text: 'not known' } satisfies Inline];
  const parts = from.flatMap((name): SourcePart[] =>
    finitePoints(run, name).length === 0 ? [] : [lookUp(run, { kind: 'metric', name, at: 'last' })],
  );
  return parts.length === 0
    ? [format(value, ledger)]
    : [sources.citeComputed(format(value, ledger), parts, how)];
}
