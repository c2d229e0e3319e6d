/** @file The sections of a configuration that hold environments or rewards: the run itself, then each tag. */
import { isRecord } from '@espalier/contracts/values';

type Written = Readonly<Record<string, unknown>>;

/** A section of the configuration with an environment, rewards or both. */
export interface Section {
  readonly path: readonly string[];
  readonly value: Written;
}

/** Lists the sections of a configuration that hold environments or rewards: the run itself, then each tag. */
export function listSections(value: Written): Section[] {
  const tagsOf = (holder: unknown, path: readonly string[]): Section[] =>
    isRecord(holder) && isRecord(holder['environments'])
      ? Object.entries(holder['environments']).flatMap(([tag, own]) =>
          isRecord(own) ? [{ path: [...path, 'environments', tag], value: own }] : [],
        )
      : [];
  return [{ path: [], value }, ...tagsOf(value, []), ...tagsOf(value['validation'], ['validation'])];
}
