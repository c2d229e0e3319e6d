import { ruleNames } from '@espalier/contracts/health';
import { useQuery } from '@tanstack/react-query';
import type { Alert } from '../data/types.js';
import { toVisible } from '../format/visible-text.js';
import { useSearch } from '../routing/router.js';
import { useSession } from '../session/session-context.js';
import { codePrefix, nobody, severities } from './alert-filter.js';

type Option = readonly [value: string, text: string];

interface Props {
  readonly alerts: readonly Alert[];
  nameOf(runId: string): string;
}

/** What the list of alerts is narrowed by. */
export function AlertFilters({ alerts, nameOf }: Props) {
  const { client, me } = useSession();
  const [search, setSearch] = useSearch();
  const { data: record } = useQuery({
    queryKey: ['alert-record', undefined],
    meta: { what: 'the codes of alerts' },
    queryFn: () => client.verdicts.record(),
  });
  const codes = record?.kinds.filter(({ isRule, name }) => !isRule && !name.startsWith('monitor.')) ?? [];
  const pick = (name: string, label: string, options: readonly Option[]) => {
    const value = search.get(name) ?? '';
    const isListed = options.some(([one]) => one === value);
    return (
      <select aria-label={label} value={value} onChange={({ target }) => setSearch({ [name]: target.value })}>
        {!isListed && <option value={value}>{toVisible(value)}</option>}
        {options.map(([one, text]) => (
          <option key={one} value={one}>
            {text}
          </option>
        ))}
      </select>
    );
  };
  const names = new Set([me.name, ...alerts.flatMap(({ assignee }) => assignee ?? [])]);
  const run = search.get('run') ?? '';
  const runs = [...new Set([...alerts.map(({ runId }) => runId), ...(run === '' ? [] : [run])])];
  return (
    <div className="filters" role="search" aria-label="Which alerts">
      {pick('state', 'State', [
        ['', 'Open'],
        ['acknowledged', 'Acknowledged'],
        ['all', 'Open and acknowledged'],
      ])}
      {pick('severity', 'Severity', [['', 'Any severity'], ...severities.map((one) => [one, one] as const)])}
      {pick('rule', 'Rule', [
        ['', 'Any rule'],
        ...ruleNames.map((rule) => [rule, rule.replaceAll('-', ' ')] as const),
        ...codes.map(({ name }) => [`${codePrefix}${name}`, toVisible(name)] as const),
      ])}
      {pick('assignee', 'Assignee', [
        ['', 'Any assignee'],
        [nobody, 'Nobody'],
        ...[...names].sort().map((name) => [name, toVisible(name)] as const),
      ])}
      {pick('run', 'Run', [['', 'Any run'], ...runs.map((id) => [id, toVisible(nameOf(id))] as const)])}
      {search.has('project') && (
        <button aria-pressed="true" onClick={() => setSearch({ project: undefined })}>
          project {toVisible(search.get('project') ?? '')} ✕
        </button>
      )}
    </div>
  );
}
