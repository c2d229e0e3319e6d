/** @file Options that differ: beside each run where there are few, else each value with how many runs have it. */
import type { RunComparison } from '@espalier/client';
import { useMemo } from 'react';
import { useFold } from '../data/use-pages.js';
import { More } from '../parts/more.js';
import { Text } from '../parts/text.js';
import { Link } from '../routing/link.js';
import { toPath } from '../routing/router.js';

const mostColumns = 8;

interface Props {
  readonly compared: RunComparison;
  nameOf(id: string): string;
}

export function Differences({ compared: { runs, differences }, nameOf }: Props) {
  const isWide = runs.length > mostColumns;
  return (
    <section className="card" data-part="differences">
      <header>
        <h2>Options that differ</h2>
      </header>
      <div className="scroll" tabIndex={0} role="group" aria-label="Options that differ">
        <table className="actions">
          <thead>
            <tr>
              <th>Option</th>
              {isWide ? (
                <th>Values, and how many runs have them</th>
              ) : (
                runs.map(({ id }) => (
                  <th key={id}>
                    <Link href={toPath('runs', id)}>{nameOf(id)}</Link>
                  </th>
                ))
              )}
            </tr>
          </thead>
          <tbody>
            {differences.map(({ path, values }) => (
              <tr key={path}>
                <td className="mono">
                  <Text of={path} />
                </td>
                {isWide ? (
                  <td className="row">
                    <Counts of={values} />
                  </td>
                ) : (
                  values.map((value, at) => (
                    <td key={at} className="mono">
                      <Value text={textOf(value)} />
                    </td>
                  ))
                )}
              </tr>
            ))}
            {differences.length === 0 && (
              <tr>
                <td colSpan={runs.length + 1} className="muted">
                  None: the runs have the same options.
                </td>
              </tr>
            )}
          </tbody>
        </table>
      </div>
    </section>
  );
}

const notSet = '';
const textOf = (value: unknown): string =>
  value === null || value === undefined ? notSet : JSON.stringify(value);

function Value({ text }: { readonly text: string }) {
  return text === notSet ? <span className="faint">not set</span> : <Text of={text} />;
}

/** Each value with how many runs have it, the commonest first. */
function Counts({ of: values }: { readonly of: readonly unknown[] }) {
  const counts = useMemo(() => countValues(values), [values]);
  const part = useFold(counts, 40);
  return (
    <>
      {part.items.map(([text, count]) => (
        <span key={text} className="tag">
          <Value text={text} /> × {count}
        </span>
      ))}
      <More of={part} what="values" />
    </>
  );
}

function countValues(values: readonly unknown[]): [string, number][] {
  const counts = new Map<string, number>();
  for (const value of values) counts.set(textOf(value), (counts.get(textOf(value)) ?? 0) + 1);
  return [...counts].sort((a, b) => b[1] - a[1]);
}
