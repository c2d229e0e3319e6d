/** @file The metrics of a run that no panel shows, each with a way to its curve. */
import { useState } from 'react';
import { isShown } from '../charts/panels.js';
import { formatCount } from '../format/numbers.js';
import { toVisible } from '../format/visible-text.js';
import { Link } from '../routing/link.js';

/** So many are found by eye. */
const fewEnough = 12;

/** What is left of the names of a run's metrics, of which a text is a part. */
export const otherMetrics = (names: readonly string[], text = ''): string[] =>
  names.filter((name) => !isShown(name) && name.toLowerCase().includes(text.trim().toLowerCase())).sort();

/** Nothing where the panels show all. */
export function MoreMetrics({ runId, names }: { readonly runId: string; readonly names: readonly string[] }) {
  const [text, setText] = useState('');
  const all = otherMetrics(names);
  if (all.length === 0) return null;
  return (
    <details className="card more-metrics">
      <summary>{formatCount(all.length, 'more metric')}</summary>
      {all.length > fewEnough && (
        <input
          type="search"
          placeholder="Search metrics"
          aria-label="Search metrics"
          value={text}
          onChange={({ target }) => setText(target.value)}
        />
      )}
      <ul>
        {otherMetrics(all, text).map((name) => (
          <li key={name}>
            <Link
              className="mono small"
              href={`/compare?${new URLSearchParams({ runs: runId, metrics: name }).toString()}`}
            >
              {toVisible(name)}
            </Link>
          </li>
        ))}
      </ul>
    </details>
  );
}
