import { useQuery } from '@tanstack/react-query';
import { SearchField, useSlashKey } from '../runs/run-filters.js';
import { useSearch } from '../routing/router.js';
import { useMetricNames } from '../data/use-run-metrics.js';
import { useSession } from '../session/session-context.js';
import { toVisible } from '../format/visible-text.js';
import { filterNames, noFilter } from '../routing/run-filter.js';
import { labelNames, outcomeNames, tagsOf, tellFilter } from './list-filter.js';

type Options = readonly (readonly [string, string])[];

const splits: Options = [
  ['', 'Any split'],
  ['train', 'Training'],
  ['validation', 'Validation'],
  ['test', 'Test'],
];
const outcomes: Options = [
  ['', 'Any outcome'],
  ['yes', 'Success'],
  ['no', 'No success'],
];
const kept: Options = [
  ['', 'Kept or dropped'],
  ['yes', 'Trained on'],
  ['no', 'Dropped'],
];
const orders: Options = [
  ['', 'Newest step first'],
  ['step', 'Oldest step first'],
  ['best', 'Highest reward'],
  ['worst', 'Lowest reward'],
];
const labels: Options = [
  ['', 'Any label'],
  ...labelNames.map((name): [string, string] => [name, name.replaceAll('-', ' ')]),
];

const fates: Options = [
  ['', 'Any part in the update'],
  ...outcomeNames.map((name): [string, string] => [name, name.replaceAll('-', ' ')]),
];
/** What a link can narrow a list by beside the fields: shown, and taken off by a click. */
const given = ['tag', 'reason', 'group', 'masked', 'clipped'] as const;

export function TrajectoryFilters({ runId }: { readonly runId: string }) {
  const [search, setSearch] = useSearch();
  const tags = useTags(runId);
  const hasTags = tags.length > 1;
  const field = useSlashKey();
  const pick = (name: string, label: string, options: Options) => (
    <select
      aria-label={label}
      value={search.get(name) ?? ''}
      onChange={(event) => setSearch({ [name]: event.target.value })}
    >
      {options.map(([value, text]) => (
        <option key={value} value={value}>
          {text}
        </option>
      ))}
    </select>
  );
  const number = (name: string, label: string) => (
    <input
      className="number"
      inputMode="decimal"
      placeholder={label}
      aria-label={label}
      value={search.get(name) ?? ''}
      onChange={(event) => setSearch({ [name]: event.target.value })}
    />
  );
  const isFiltered = filterNames.some((name) => name !== 'sort' && search.has(name));
  return (
    <div className="filters" role="search">
      <SearchField
        input={field}
        value={search.get('text') ?? ''}
        placeholder="Search what was seen and written"
        onChange={(text) => setSearch({ text })}
      />
      <span className="pair-of">
        {number('from', 'From step')}
        {number('to', 'To step')}
      </span>
      {hasTags && pick('tag', 'Environment', optionsOf(tags, search.get('tag') ?? ''))}
      {pick('split', 'Split', splits)}
      {pick('success', 'Outcome', outcomes)}
      {pick('label', 'Failure label', labels)}
      {pick('kept', 'Kept', kept)}
      {pick('outcome', 'Part in the update', fates)}
      <span className="pair-of">
        {number('least', 'Reward ≥')}
        {number('most', 'Reward ≤')}
      </span>
      {pick('sort', 'Order', orders)}
      {given.map((name) => {
        const told = hasTags && name === 'tag' ? undefined : tellFilter(search, name);
        return (
          told !== undefined && (
            <button key={name} aria-pressed="true" onClick={() => setSearch({ [name]: undefined })}>
              {told} ✕
            </button>
          )
        );
      })}
      {isFiltered && (
        <button className="plain" onClick={() => setSearch(noFilter)}>
          Clear
        </button>
      )}
    </div>
  );
}

/** The environments of a run, by their tags: those of its spec, and what else its metrics name. */
function useTags(runId: string): readonly string[] {
  const { client } = useSession();
  // as the page of the run reads it
  const { data: run } = useQuery({ queryKey: ['run', runId], queryFn: () => client.runs.get(runId) });
  const names = useMetricNames(runId);
  return tagsOf(run?.spec, names ?? []);
}

/** The tags, and that of the address if the run has no such one. */
const optionsOf = (tags: readonly string[], chosen: string): Options => [
  ['', 'Any environment'],
  ...[...new Set([...tags, chosen])]
    .filter((tag) => tag !== '')
    .map((tag): [string, string] => [tag, toVisible(tag)]),
];
