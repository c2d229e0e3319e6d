import type { RunDetails } from '@espalier/client';
import { useState } from 'react';
import { toVisible } from '../format/visible-text.js';

/** Every option of a run by its path, as it was resolved. */
export default function Settings({ run }: { readonly run: RunDetails }) {
  const [text, setText] = useState('');
  const rows = flatten(run.spec).filter(([path, value]) =>
    `${path} ${value}`.toLowerCase().includes(text.toLowerCase()),
  );
  return (
    <div className="stack">
      <div className="row">
        <input
          type="search"
          placeholder="Search options"
          aria-label="Search options"
          value={text}
          onChange={(event) => setText(event.target.value)}
        />
        <span className="small muted">
          {rows.length} options, hash <span className="mono">{run.specHash.slice(0, 12)}</span>
        </span>
      </div>
      <div className="card settings">
        {rows.map(([path, value]) => (
          <div key={path}>
            <span className="mono">{toVisible(path)}</span>
            <span className="mono value">{toVisible(value)}</span>
          </div>
        ))}
      </div>
    </div>
  );
}

function flatten(value: unknown, path = ''): [string, string][] {
  if (value === null || typeof value !== 'object' || Array.isArray(value))
    return [[path, JSON.stringify(value) ?? '']];
  return Object.entries(value).flatMap(([name, inner]) =>
    flatten(inner, path === '' ? name : `${path}.${name}`),
  );
}
