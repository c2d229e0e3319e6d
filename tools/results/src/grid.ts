/**
 * @file A grid of entries: every algorithm in every environment, with the same rollouts and optimizer, so that what is
 * learned can be compared. An entry is named `ENVIRONMENT-ALGORITHM`.
 */
import { z } from 'zod';

export const name = z.string().regex(/^[a-z0-9][a-z0-9-]*$/);
const changes = z.array(z.string().min(1)).default([]);

export const grid = z.strictObject({
  environments: z
    .array(
      z.strictObject({
        name,
        title: z.string().min(1),
        /** what all its entries start from; the algorithm's changes come after it and `set` */
        config: z.string().min(1),
        set: changes,
        minutes: z.number().gt(0),
      }),
    )
    .min(1),
  algorithms: z.array(z.strictObject({ name, title: z.string().min(1), set: changes })).min(1),
  seeds: z.int().min(1),
});

export type Grid = z.output<typeof grid>;

/** Name of the entry in which an algorithm trains in an environment. */
export const nameInGrid = (environment: { name: string }, algorithm: { name: string }): string =>
  `${environment.name}-${algorithm.name}`;

/** The entries of a grid, one environment after the other. */
export function entriesOf({ environments, algorithms, seeds }: Grid) {
  return environments.flatMap((environment) =>
    algorithms.map((algorithm) => ({
      name: nameInGrid(environment, algorithm),
      title: `${environment.title}, ${algorithm.title}`,
      config: environment.config,
      set: [...environment.set, ...algorithm.set],
      seeds,
      minutes: environment.minutes,
      samples: false,
    })),
  );
}
