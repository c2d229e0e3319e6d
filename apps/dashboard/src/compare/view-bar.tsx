/** @file How what is chosen is grouped and drawn. */
import { toVisible } from '../format/visible-text.js';
import { useFold } from '../data/use-pages.js';
import { More } from '../parts/more.js';
import { Text } from '../parts/text.js';
import { useSearch } from '../routing/router.js';
import { axes, type Selection, statistics } from './selection.js';

interface Props {
  readonly selection: Selection;
  /** options that differ */
  readonly settings: readonly string[];
  readonly metrics: readonly string[];
  /** metrics that have a chart */
  readonly shown: readonly string[];
}

const alongs = axes.map((one) => [one, one === 'seconds' ? 'time' : one] as const);
const shows = [
  ['groups', 'Groups'],
  ['runs', 'Each run'],
] as const;
const bands = [
  ['interval', 'mean, 95 % interval'],
  ['range', 'mean, lowest to highest'],
] as const;

export function ViewBar({ selection, settings, metrics, shown }: Props) {
  const [, setSearch] = useSearch();
  const { by, axis, band, show, statistic, from, to } = selection;
  return (
    <div className="view-bar">
      <GroupButtons by={by} settings={settings} />
      <div className="row small">
        <Choice name="show" label="Lines" value={show} choices={shows} />
        <Choice name="axis" label="Along" value={axis} choices={alongs} />
        {show === 'groups' && <Choice name="band" label="Band" value={band} choices={bands} />}
        <select
          aria-label="Number of a run"
          value={statistic}
          onChange={(event) => setSearch({ stat: event.target.value })}
        >
          {Object.entries(statistics).map(([value, text]) => (
            <option key={value} value={value}>
              {text}
            </option>
          ))}
        </select>
        <select
          aria-label="Add a chart"
          value=""
          onChange={(event) => setSearch({ metrics: [...shown, event.target.value].join(',') })}
        >
          <option value="">Add a chart …</option>
          {metrics
            .filter((name) => !shown.includes(name))
            .map((name) => (
              <option key={name} value={name}>
                {toVisible(name)}
              </option>
            ))}
        </select>
        {(from !== undefined || to !== undefined) && (
          <button aria-pressed="true" onClick={() => setSearch({ from: undefined, to: undefined })}>
            steps {from ?? 0} – {to ?? 'newest'} ✕
          </button>
        )}
      </div>
    </div>
  );
}

/** of options to group by, at first */
const shownOptions = 14;

function GroupButtons({
  by,
  settings,
}: {
  readonly by: Selection['by'];
  readonly settings: readonly string[];
}) {
  const [, setSearch] = useSearch();
  const grouped = by ?? [];
  const options = useFold([...new Set([...grouped, ...settings])], shownOptions);
  const group = (paths: readonly string[]): void =>
    setSearch({ by: paths.join(','), a: undefined, b: undefined });
  return (
    <div className="row small">
      <span className="muted">Group by</span>
      <button aria-pressed={by === undefined} onClick={() => group([])}>
        all but seed
      </button>
      {options.items.map((path) => (
        <button
          key={path}
          aria-pressed={grouped.includes(path)}
          onClick={() =>
            group(grouped.includes(path) ? grouped.filter((one) => one !== path) : [...grouped, path])
          }
        >
          <Text of={path} />
        </button>
      ))}
      <More of={options} what="options that differ" />
    </div>
  );
}

/** One of a few, in the address; the first leaves it. */
function Choice({
  name,
  label,
  value,
  choices,
}: {
  readonly name: string;
  readonly label: string;
  readonly value: string;
  readonly choices: readonly (readonly [string, string])[];
}) {
  const [, setSearch] = useSearch();
  return (
    <span className="segmented" role="group" aria-label={label}>
      {choices.map(([one, text], at) => (
        <button
          key={one}
          aria-pressed={value === one}
          onClick={() => setSearch({ [name]: at === 0 ? undefined : one })}
        >
          {text}
        </button>
      ))}
    </span>
  );
}
