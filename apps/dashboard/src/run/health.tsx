import type { RunDetails } from '@espalier/client';
import { useQuery } from '@tanstack/react-query';
import type { RunRecord } from '../data/types.js';
import { About } from '../charts/about.js';
import { Badge } from '../parts/badge.js';
import { Text } from '../parts/text.js';
import { useSession } from '../session/session-context.js';
import { FindingNumbers } from '../verdicts/finding-numbers.js';
import { Sparkline } from '../charts/sparkline.js';

interface Props {
  readonly run: Pick<RunDetails, 'id' | 'health'>;
  /** newest first, as far as they are read */
  readonly events: readonly RunRecord[];
}

/** The state of the collapse monitor and, where a rule fires, what it saw. */
export function Health({ run: { id, health }, events }: Props) {
  const { client } = useSession();
  const pushed = events.find(({ body }) => body.__typename === 'MonitorEvent');
  const stored = useQuery({
    queryKey: ['newest-monitor', id],
    meta: { what: 'what the collapse monitor saw' },
    queryFn: async () =>
      (await client.events.list(id, { kinds: ['monitor'] }, { first: 1 })).items[0] ?? null,
    enabled: health !== null && health !== 'healthy' && pushed === undefined,
  });
  if (health === null) return null;
  const newest = (pushed ?? stored.data)?.body;
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
        <About
          title="health"
          words="What the collapse monitor says. A rule compares a metric with its own past in this run, or with a limit. The state changes when a rule fires at several checks in a row (monitor.patience, two unless the run says otherwise), and is healthy again after several at which none does (monitor.recovery, three). Verdicts has the evidence of each alarm."
        />
      </div>
      {health !== 'healthy' && findings.length > 0 && (
        <ul>
          {findings.map((finding) => (
            <li key={finding.rule}>
              <Badge of={finding.level} />
              <b>{finding.rule.replaceAll('-', ' ')}</b>
              <span className="muted small">
                <FindingNumbers {...finding} />; since step {finding.since}
              </span>
              <Sparkline
                values={finding.history}
                label={`${finding.input}, newest values`}
                width={80}
                height={20}
              />
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}
