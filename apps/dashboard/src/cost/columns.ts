/** @file The numbers of a ledger as tables show them. */
import type { RunComparison } from '@espalier/client';
import type { TermKey } from '../charts/terms.js';
import { absent, formatNumber, formatSeconds } from '../format/numbers.js';

export type RunLedger = NonNullable<RunComparison['ledgers']>[number];

interface Column {
  readonly head: string;
  readonly term: TermKey;
  readonly show: (ledger: RunLedger) => string;
}

const columns: readonly Column[] = [
  { head: 'Wall time', term: 'RunLedger.wallSeconds', show: ({ wallSeconds }) => formatSeconds(wallSeconds) },
  {
    head: 'Processor time',
    term: 'RunLedger.processorSeconds',
    show: ({ processorSeconds }) => formatSeconds(processorSeconds),
  },
  { head: 'Energy', term: 'RunLedger.energyJoules', show: showEnergy },
  {
    head: 'Tokens sampled',
    term: 'RunLedger.sampledTokens, trainedTokens',
    show: ({ sampledTokens }) => formatNumber(sampledTokens),
  },
  {
    head: 'trained',
    term: 'RunLedger.sampledTokens, trainedTokens',
    show: ({ trainedTokens }) => formatNumber(trainedTokens),
  },
  {
    head: 'Interactions',
    term: 'RunLedger.environmentSteps',
    show: ({ environmentSteps }) => formatNumber(environmentSteps),
  },
  {
    head: 'Optimizer steps',
    term: 'RunLedger.optimizerSteps',
    show: ({ optimizerSteps }) => formatNumber(optimizerSteps),
  },
  {
    head: 'Success points',
    term: 'RunLedger.successPoints',
    show: ({ successPoints }) => formatNumber(successPoints),
  },
  {
    head: 'per 10⁶ tokens',
    term: 'RunLedger.perMillionTokens',
    show: ({ perMillionTokens }) => formatNumber(perMillionTokens),
  },
  {
    head: 'per 10³ interactions',
    term: 'RunLedger.perThousandInteractions',
    show: ({ perThousandInteractions }) => formatNumber(perThousandInteractions),
  },
  {
    head: 'per device-hour',
    term: 'RunLedger.perDeviceHour',
    show: ({ perDeviceHour }) => formatNumber(perDeviceHour),
  },
];

const priceColumns: readonly Column[] = [
  { head: 'Price', term: 'RunLedger.price', show: ({ price }) => formatNumber(price) },
  { head: 'per unit of price', term: 'RunLedger.perPrice', show: ({ perPrice }) => formatNumber(perPrice) },
];

/** The columns of a table of ledgers: a price where one of them has it. */
export const columnsOf = (ledgers: readonly RunLedger[]): readonly Column[] =>
  ledgers.some(({ price }) => price !== null) ? [...columns, ...priceColumns] : columns;

/** How each number is computed. */
export const terms: readonly TermKey[] = [...new Set([...columns, ...priceColumns].map(({ term }) => term))];

export const wattHours = (joules: number | null): string =>
  joules === null ? absent : `${formatNumber(joules / 3600)} Wh`;

/** Never without where it is from. */
function showEnergy({ energyJoules, energySource }: RunLedger): string {
  return energySource === null ? absent : `${wattHours(energyJoules)}, ${energySource}`;
}
