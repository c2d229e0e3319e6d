/** @file What a run has cost, as the API tells it. */
import { computeLedger, ledgerPhases, sumOf } from '@espalier/report/ledger';
import type { RunLedger } from './comparison.js';

/** A series as it is stored; NaN where a value is not finite. */
interface Values {
  readonly values: ArrayLike<number>;
}

/** The ledger of a run from its metrics by name; undefined before its first step. */
export function toLedger(runId: string, series: ReadonlyMap<string, Values>): RunLedger | undefined {
  const ledger = computeLedger((name) =>
    Array.from(series.get(name)?.values ?? []).filter((value) => Number.isFinite(value)),
  );
  if (ledger === undefined) return undefined;
  const { wallSeconds, processorSeconds, energyJoules, energySource, ...rest } = ledger;
  const total = (parts: Readonly<Partial<Record<string, number>>> | undefined): number | null =>
    parts === undefined ? null : sumOf(parts);
  return {
    runId,
    successPoints: null,
    perMillionTokens: null,
    perThousandInteractions: null,
    perDeviceHour: null,
    price: null,
    perPrice: null,
    ...rest,
    wallSeconds: sumOf(wallSeconds),
    processorSeconds: total(processorSeconds),
    energyJoules: total(energyJoules),
    energySource: energySource ?? null,
    phases: ledgerPhases.map((phase) => ({
      phase,
      wallSeconds: wallSeconds[phase],
      processorSeconds: processorSeconds?.[phase] ?? null,
      energyJoules: energyJoules?.[phase] ?? null,
    })),
  };
}
