/** @file The ten trajectories that show an alarm best, and by which quantity they were chosen. */
import { useQuery } from '@tanstack/react-query';
import { About } from '../charts/about.js';
import type { Alarm } from '../data/types.js';
import { formatCount, formatNumber, formatValue } from '../format/numbers.js';
import { Badge } from '../parts/badge.js';
import { ErrorNote } from '../parts/states.js';
import { Text } from '../parts/text.js';
import { Link } from '../routing/link.js';
import { toPath } from '../routing/router.js';
import { useSession } from '../session/session-context.js';

interface Props {
  readonly alarm: Alarm;
  /** undefined: no rule of the monitor fired */
  readonly rule: Alarm['findings'][number]['rule'] | undefined;
}

const say = (quantity: string): string => quantity.replaceAll('-', ' ');

export function ExampleList({ alarm, rule }: Props) {
  const { client } = useSession();
  const { data, error, refetch } = useQuery({
    queryKey: ['alert-examples', alarm.id, rule],
    queryFn: () => client.verdicts.examples(alarm.id, rule === undefined ? {} : { rule }),
  });
  const name = rule === undefined ? 'this alarm' : say(rule);
  return (
    <section className="examples" aria-label={`Trajectories that show ${name}`}>
      <h4>
        {data === undefined || data.examples.length === 0
          ? 'Trajectories that show it'
          : `The ${data.examples.length} that show it`}
        {data !== undefined && (
          <>
            {' '}
            <span className="faint small">
              {data.order === 'least' ? 'least' : 'most'} {say(data.quantity)} ·{' '}
              {data.fromStep === data.toStep
                ? `step ${data.toStep}`
                : `steps ${data.fromStep}–${data.toStep}`}
            </span>
            <About
              title={`how they were chosen, for ${name}`}
              words={`Of ${data.available} trajectories stored in these steps, ${data.considered} have this quantity and were compared: ${data.meaning}${data.unit === '1' ? '' : ` (${data.unit})`}. Those with the ${data.order} of it are listed, at most two of a group before others. Raw key: alertExamples.${data.quantity}`}
            />
          </>
        )}
      </h4>
      {error !== null && <ErrorNote error={error} retry={() => void refetch()} />}
      {data === undefined && error === null && <p className="faint small">Looking at trajectories …</p>}
      {data?.examples.length === 0 && (
        <p className="muted small">
          {data.available === 0
            ? 'No trajectory of these steps is stored yet; they come with the files of the run.'
            : 'None of these trajectories has a reward or another quantity to choose by.'}
        </p>
      )}
      <ol>
        {data?.examples.map(({ value, trajectory: { id, step, reward, success, turns } }) => (
          <li key={id} className="small">
            <b className="value">{formatValue(value, data.unit)}</b>
            <Link href={toPath('runs', alarm.runId, 'trajectories', id)} className="mono">
              <Text of={id} />
            </Link>
            <Badge of={success ? 'finished' : 'cancelled'} text={success ? 'success' : 'no success'} />
            <span className="muted">
              reward {formatNumber(reward)} · {formatCount(turns, 'turn')} · step {step}
            </span>
          </li>
        ))}
      </ol>
    </section>
  );
}
