import { Term } from '../charts/term.js';
import { useQuery } from '@tanstack/react-query';
import { formatNumber, formatShare } from '../format/numbers.js';
import { ErrorNote } from '../parts/states.js';
import { Text } from '../parts/text.js';
import { useSession } from '../session/session-context.js';

/** How often alarms of the project were right. */
export function AlertRecordTable({ project }: { readonly project: string }) {
  const { client } = useSession();
  const { data, error, refetch } = useQuery({
    queryKey: ['alert-record', project],
    queryFn: () => client.verdicts.record(project),
  });
  const kinds = data?.kinds.filter(
    ({ confirmed, falseAlarms, undecided }) => confirmed + falseAlarms + undecided > 0,
  );
  if (error !== null) return <ErrorNote error={error} retry={() => void refetch()} />;
  if (data === undefined || kinds === undefined || kinds.length === 0) return null;
  return (
    <section className="card" aria-label="How often alarms were right">
      <header>
        <h2>How often alarms were right</h2>
        <Term title="the record of alarms" of={['AlertRecord.precision', 'AlertRecord.alpha']} />
        <span className="faint small">
          in project <Text of={project} />
        </span>
      </header>
      <div className="scrolls">
        <table className="plain-table">
          <thead>
            <tr>
              <th>Alarm or rule</th>
              <th>Real</th>
              <th>False</th>
              <th>Undecided</th>
              <th>Precision</th>
            </tr>
          </thead>
          <tbody>
            {kinds.map(({ name, isRule, confirmed, falseAlarms, undecided, precision, low, high }) => (
              <tr key={`${isRule}/${name}`}>
                <th scope="row">
                  {isRule ? name.replaceAll('-', ' ') : <span className="mono">{name}</span>}
                </th>
                <td>{confirmed}</td>
                <td>{falseAlarms}</td>
                <td>{undecided}</td>
                <td>
                  {precision === null
                    ? '–'
                    : `${formatShare(precision)} [${formatShare(low)}, ${formatShare(high)}]`}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      <p className="faint small foot">
        By the majority of those who judged each alarm; 95 % Wilson interval.{' '}
        {data.judgedBySeveral > 0 &&
          `Several users judged ${data.judgedBySeveral}; Krippendorff’s α = ${data.alpha === null ? 'undefined' : formatNumber(data.alpha)}.`}
      </p>
    </section>
  );
}
