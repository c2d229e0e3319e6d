import type { RunDetails } from '@espalier/client';
import { useState } from 'react';
import { formatCount } from '../format/numbers.js';
import { toVisible } from '../format/visible-text.js';
import { offerFile } from '../parts/offer-file.js';
import { Text } from '../parts/text.js';

/** Every option of a run by its path, as it was resolved. */
export default function Settings({ run }: { readonly run: RunDetails }) {
  const [text, setText] = useState('');
  const rows = flatten(run.spec).filter(([path, value]) =>
    `${path} ${value}`.toLowerCase().includes(text.toLowerCase()),
  );
  return (
    <div className="stack">
      <Source run={run} />
      <div className="row">
        <input
          type="search"
          placeholder="Search options"
          aria-label="Search options"
          value={text}
          onChange={(event) => setText(event.target.value)}
        />
        <span className="small muted">
          {formatCount(rows.length, 'option')}, hash <span className="mono">{run.specHash.slice(0, 12)}</span>
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

/** What the run was made from, to read and to make it again. */
function Source({ run: { name, source, spec, overrides, gitRevision } }: { readonly run: RunDetails }) {
  const [copied, setCopied] = useState<string>();
  // JSON is YAML, too
  const text = source ?? JSON.stringify(spec, null, 2);
  const file = `${name.replace(/[^\w.-]+/g, '-')}.yaml`;
  const command = ['espalier run create', file, ...overrides.map((one) => `--set ${quote(one)}`)].join(' ');
  const copy = async (what: string, words: string): Promise<void> => {
    try {
      await navigator.clipboard.writeText(words);
      setCopied(`${what} copied`);
    } catch {
      // browsers allow it on https and on this machine only
      setCopied(`this browser does not let a page copy from here; select the text of the ${what} instead`);
    }
  };
  return (
    <section className="card source">
      <header>
        <h2>{source === null ? 'As it was resolved' : 'As it was written'}</h2>
        {gitRevision !== null && (
          <span className="small muted">
            at revision <span className="mono">{toVisible(gitRevision).slice(0, 12)}</span>
          </span>
        )}
        <button onClick={() => void copy('configuration', text)}>Copy</button>
        <button onClick={() => offerFile(file, new Blob([text], { type: 'application/yaml' }))}>
          Save {toVisible(file)}
        </button>
      </header>
      <pre tabIndex={0} role="region" aria-label="Configuration">
        <Text of={text} />
      </pre>
      <div className="row small">
        <span className="muted">To run it again with this file:</span>
        <code>{toVisible(command)}</code>
        <button className="plain" onClick={() => void copy('command', command)}>
          Copy the command
        </button>
        <span role="status" className="muted">
          {copied}
        </span>
      </div>
    </section>
  );
}

/** For a shell. */
const quote = (word: string): string =>
  /^[\w.,:=@%/+-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;

function flatten(value: unknown, path = ''): [string, string][] {
  if (value === null || typeof value !== 'object' || Array.isArray(value))
    return [[path, JSON.stringify(value) ?? '']];
  return Object.entries(value).flatMap(([name, inner]) =>
    flatten(inner, path === '' ? name : `${path}.${name}`),
  );
}
