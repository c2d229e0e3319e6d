/** @file Tests that need services: skipped visibly when one is not installed, failed when `CI` is set. */
import { findProgram } from '@espalier/testing';
import { describe, it } from 'vitest';

/** Programs that stand for an installed service. */
const programs = { postgres: ['postgres', 'initdb'] } as const;
export type ServiceName = keyof typeof programs;

/** Describes tests that need services: run where they are installed, else skipped by name, or failed in CI. */
export function describeWith(services: readonly ServiceName[], name: string, define: () => void): void {
  const missing = services.filter((service) =>
    programs[service].some((program) => findProgram(program) === undefined),
  );
  if (missing.length === 0) describe(name, define);
  else if (process.env['CI'] === undefined)
    describe.skip(`${name} (needs ${missing.join(' and ')}, not installed)`, define);
  else
    describe(name, () => {
      it(`has ${missing.join(' and ')}`, () => {
        throw new Error(`${name}: ${missing.join(' and ')} not installed; .ci/run installs them from Debian`);
      });
    });
}
