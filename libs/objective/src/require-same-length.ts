import { AppError } from '@espalier/contracts';

/** Requires arrays that belong together to be equally long; throws `objective.length_mismatch`. */
export function requireSameLength(where: string, arrays: Readonly<Record<string, ArrayLike<unknown>>>): void {
  const lengths = Object.entries(arrays).map(([name, array]) => ({ name, length: array.length }));
  if (lengths.every(({ length }) => length === lengths[0]?.length)) return;
  const found = lengths.map(({ name, length }) => `${name} [${length}]`).join(', ');
  throw new AppError(
    'objective.length_mismatch',
    `${where}: lengths differ, got ${found}; all must be equal`,
    {
      details: Object.fromEntries(lengths.map(({ name, length }) => [name, length])),
    },
  );
}
