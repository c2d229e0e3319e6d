/** @file Which runs are compared: by words, tag, group, project and state, or one by one. */
import type { Run } from '@espalier/client';
import { usePages } from '../data/use-pages.js';
import { toVisible } from '../format/visible-text.js';
import { More, type ShownPart } from '../parts/more.js';
import { Text } from '../parts/text.js';
import { useSearch } from '../routing/router.js';
import { runStates, SearchField, useSlashKey } from '../runs/run-filters.js';
import { useSession } from '../session/session-context.js';
import type { Selection } from './selection.js';

/** What depends on which runs are chosen. */
const ofChoice = 'runs text tag group project state all where a b cells prompt'.split(' ');

interface Props {
  readonly runs: readonly Run[];
  readonly selection: Selection;
}

export function Chooser({ runs, selection: { ids, filter } }: Props) {
  const { client } = useSession();
  const [search, setSearch] = useSearch();
  const field = useSlashKey();
  const newest = usePages({
    queryKey: ['runs-to-compare'],
    read: (page) => client.runs.list({}, page),
    count: () => client.totals.runs(),
  });
  const known = newest.items ?? [];
  const all = [...known, ...runs];
  const pick = (name: string, label: string, values: readonly string[]) => {
    const given = search.get(name) ?? '';
    const listed = [...new Set([...values, given])].filter((value) => value !== '').sort();
    const options = [['', `Any ${label.toLowerCase()}`], ...listed.map((value) => [value, toVisible(value)])];
    return listed.length > 0 && <Picker name={name} label={label} options={options as [string, string][]} />;
  };
  return (
    <section className="card" data-part="chooser">
      <div className="filters note" role="search">
        <SearchField
          input={field}
          value={search.get('text') ?? ''}
          onChange={(text) => setSearch({ text, runs: undefined, where: undefined })}
        />
        {pick(
          'tag',
          'Tag',
          all.flatMap(({ tags }) => tags),
        )}
        {pick(
          'group',
          'Group',
          all.map(({ group }) => group),
        )}
        {pick(
          'project',
          'Project',
          all.map(({ project }) => project),
        )}
        <Picker name="state" label="State" options={runStates} />
        {filter === undefined ? (
          <button onClick={() => setSearch({ all: '1' })}>All runs</button>
        ) : (
          <button
            className="plain"
            onClick={() => setSearch(Object.fromEntries(ofChoice.map((name) => [name, undefined])))}
          >
            choose anew
          </button>
        )}
      </div>
      <OneByOne
        key={String(filter === undefined)}
        known={known}
        part={newest}
        ids={ids}
        isOpen={filter === undefined}
      />
    </section>
  );
}

/** A filter; runs that are named one by one go. */
function Picker({
  name,
  label,
  options,
}: {
  readonly name: string;
  readonly label: string;
  readonly options: readonly (readonly [string, string])[];
}) {
  const [search, setSearch] = useSearch();
  return (
    <select
      aria-label={label}
      value={search.get(name) ?? ''}
      onChange={(event) => setSearch({ [name]: event.target.value, runs: undefined, where: undefined })}
    >
      {options.map(([value, text]) => (
        <option key={value} value={value}>
          {text}
        </option>
      ))}
    </select>
  );
}

function OneByOne({
  known,
  part,
  ids,
  isOpen,
}: {
  readonly known: readonly Run[];
  readonly part: ShownPart;
  readonly ids: readonly string[];
  readonly isOpen: boolean;
}) {
  const [, setSearch] = useSearch();
  const toggle = (id: string): void =>
    setSearch({ runs: (ids.includes(id) ? ids.filter((one) => one !== id) : [...ids, id]).join(',') });
  return (
    <details open={isOpen || ids.length > 0}>
      <summary className="note small">One by one</summary>
      <div className="chooser note">
        {known.map((run) => (
          <button
            key={run.id}
            aria-pressed={ids.includes(run.id)}
            onClick={() => toggle(run.id)}
            title={run.id}
          >
            <Text of={run.title || run.name} /> <span className="faint">{run.id.slice(-5)}</span>
          </button>
        ))}
      </div>
      <div className="note">
        <More of={part} what="runs" />
      </div>
    </details>
  );
}
