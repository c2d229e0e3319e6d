import type { RunRecord } from '../data/types.js';
import { formatNumber } from '../format/numbers.js';
import { Badge } from '../parts/badge.js';
import { Text } from '../parts/text.js';
import { Sparkline } from '../charts/sparkline.js';

/** The state of the collapse monitor and, where a rule fires, what it saw. */
export function Health({
  health,
  events,
}: {
  readonly health: string | null;
  readonly events: readonly RunRecord[];
}) {
  if (health === null) return null;
  const newest = events.filter(({ body }) => body.__typename === 'MonitorEvent').at(-1)?.body;
  const findings = newest?.__typename === 'MonitorEvent' ? newest.findings : [];
  return (
    <div className="health">
      <div className="row small">
        <Badge of={health} />
        <span className="muted">
          {health === 'healthy' ? (
            'No rule of the collapse monitor fires.'
          ) : newest?.__typename === 'MonitorEvent' ? (
            <Text of={newest.message} />
          ) : (
            'The collapse monitor has raised an alarm.'
          )}
        </span>
      </div>
      {health !== 'healthy' && findings.length > 0 && (
        <ul>
          {findings.map(({ rule, level, input, value, limit, baseline, since, history }) => (
            <li key={rule}>
              <Badge of={level} />
              <b>{rule.replaceAll('-', ' ')}</b>
              <span className="muted small">
                <span className="mono">{input}</span> is {formatNumber(value)}
                {baseline !== null && <>, was {formatNumber(baseline)}</>}; limit {formatNumber(limit)}; since
                step {since}
              </span>
              <Sparkline values={history} label={`${input}, newest values`} width={80} height={20} />
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}
