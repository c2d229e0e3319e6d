/** @file Runs tests for every driver that is there; in CI all must be. */
import { describe } from 'vitest';
import { type DriverName, driverNames, type Precision } from '../drivers/driver.js';
import { probeDriver } from '../drivers/find-driver.js';

/** A driver to test. */
export interface TestedDriver {
  readonly driver: DriverName;
  readonly precisions: readonly Precision[];
}

const reports = await Promise.all(driverNames.map(probeDriver));

/** Defines tests for each driver; a missing one is skipped, visibly, and fails in CI. */
export function describeDrivers(title: string, define: (tested: TestedDriver) => void): void {
  for (const { name, isAvailable, precisions } of reports) {
    if (isAvailable || process.env['CI'] !== undefined)
      describe(`${title}, ${name}`, () => define({ driver: name, precisions }));
    else describe.skip(`${title}, ${name} (not set up)`, () => define({ driver: name, precisions }));
  }
}
