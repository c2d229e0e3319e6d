/** @file The ledger of a run folder, and how the terminal shows it. */
import { computeLedger, type Ledger, ledgerPhases } from '@espalier/report/ledger';
import { short } from '../view/numbers.js';
import { readRows } from './local-runs.js';

/** Reads the ledger of a run; undefined before its first step. */
export function readLedger(folder: string): Ledger | undefined {
  const rows = readRows(folder);
  return computeLedger((name) => rows.flatMap(({ values }) => values[name] ?? []));
}

const rowsOf: readonly (readonly [head: string, of: (ledger: Ledger) => number | undefined])[] = [
  ['wall s', ({ wallSeconds }) => total(wallSeconds)],
  ['processor s', ({ processorSeconds }) => processorSeconds && total(processorSeconds)],
  ...ledgerPhases.map((phase) => [`  ${phase} s`, ({ wallSeconds }: Ledger) => wallSeconds[phase]] as const),
  ['energy Wh', ({ energyJoules }) => energyJoules && wattHours(total(energyJoules))],
  ...ledgerPhases.map(
    (phase) =>
      [
        `  ${phase} Wh`,
        ({ energyJoules }: Ledger) => energyJoules && wattHours(energyJoules[phase]),
      ] as const,
  ),
  ['tokens sampled', ({ sampledTokens }) => sampledTokens],
  ['tokens trained', ({ trainedTokens }) => trainedTokens],
  ['environment steps', ({ environmentSteps }) => environmentSteps],
  ['optimizer steps', ({ optimizerSteps }) => optimizerSteps],
  ['success points', ({ successPoints }) => successPoints],
  ['  per 10⁶ tokens', ({ perMillionTokens }) => perMillionTokens],
  ['  per 10³ interactions', ({ perThousandInteractions }) => perThousandInteractions],
  ['  per device-hour', ({ perDeviceHour }) => perDeviceHour],
];

/** Shown where a run has a price. */
const priceRows: typeof rowsOf = [
  ['price', ({ price }) => price],
  ['  points per unit', ({ perPrice }) => perPrice],
];

const wattHours = (joules = 0): number => joules / 3600;

const total = (values: Readonly<Record<string, number>>): number =>
  Object.values(values).reduce((sum, value) => sum + value, 0);

/** What a run has cost, in a line. */
export function costLine(ledger: Ledger | undefined): string | undefined {
  if (ledger === undefined) return undefined;
  const { wallSeconds, processorSeconds, sampledTokens, trainedTokens, environmentSteps } = ledger;
  const { perDeviceHour, price } = ledger;
  const parts = [
    `${short(total(wallSeconds))} s`,
    ...(processorSeconds === undefined ? [] : [`${short(total(processorSeconds))} s of processor`]),
    ...energyWords(ledger),
    ...(price === undefined ? [] : [`a price of ${short(price)}`]),
    `${sampledTokens} tokens sampled`,
    `${trainedTokens} trained`,
    `${environmentSteps} environment steps`,
    ...(perDeviceHour === undefined ? [] : [`${short(perDeviceHour)} success points per device-hour`]),
  ];
  return `cost: ${parts.join(', ')}`;
}

/** Energy is never given without where it is from. */
const energyWords = ({ energyJoules, energySource }: Ledger): string[] =>
  energyJoules === undefined || energySource === undefined
    ? []
    : [`${short(wattHours(total(energyJoules)))} Wh ${energySource}`];

/** A table of the ledgers, a column for each run. */
export function ledgerLines(folders: readonly string[], ledgers: readonly (Ledger | undefined)[]): string[] {
  if (ledgers.every((ledger) => ledger === undefined)) return [];
  const width = Math.max(15, ...folders.map((folder) => folder.length)) + 2;
  const line = (head: string, cells: readonly string[]): string =>
    `  ${head.padEnd(24)}${cells.map((cell) => cell.padEnd(width)).join('')}`.trimEnd();
  const hasPrice = ledgers.some((ledger) => ledger?.price !== undefined);
  return [
    '',
    'what it cost',
    line('', folders),
    ...[...rowsOf, ...(hasPrice ? priceRows : [])].map(([head, of]) =>
      line(
        head,
        ledgers.map((ledger) => short(ledger === undefined ? undefined : of(ledger))),
      ),
    ),
    line(
      'energy is',
      ledgers.map((ledger) => ledger?.energySource ?? 'not recorded'),
    ),
  ];
}
