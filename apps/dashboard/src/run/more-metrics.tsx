/** @file The metrics of a run that are drawn nowhere in its overview, each with a way to its curve. */
import { useMemo, useState } from 'react';
import { drawnOf } from '../charts/panels.js';
import { formatCount } from '../format/numbers.js';
import { toVisible } from '../format/visible-text.js';
import { Link } from '../routing/link.js';

/** So many are found by eye. */
const fewEnough = 12;

/** Those of the metrics of a run that are drawn nowhere and have a text in their name. */
export function otherMetrics(names: readonly string[], text = ''): string[] {
  const drawn = drawnOf(names);
  const wanted = text.trim().toLowerCase();
  return names.filter((name) => !drawn.has(name) && name.toLowerCase().includes(wanted)).sort();
}

/** Nothing where all are drawn. */
export function MoreMetrics({ runId, names }: { readonly runId: string; readonly names: readonly string[] }) {
  const [text, setText] = useState('');
  const all = useMemo(() => otherMetrics(names), [names]);
  const found = useMemo(() => otherMetrics(names, text), [names, text]);
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
        {found.map((name) => (
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
