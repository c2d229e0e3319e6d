/** @file The attempts of a run: where each ran, from which step to which, and how it ended. */
import type { RunDetails } from '@espalier/client';
import { absent, formatMoment, formatSeconds } from '../format/numbers.js';
import { Badge } from '../parts/badge.js';
import { Text } from '../parts/text.js';

type Attempt = RunDetails['attempts'][number];

interface Props {
  readonly attempts: readonly Attempt[];
  readonly now: number;
  /** whose lines are shown; undefined: of all */
  readonly chosen: number | undefined;
  choose(number: number | undefined): void;
}

export function Attempts({ attempts, now, chosen, choose }: Props) {
  if (attempts.length === 0) return null;
  return (
    <div className="card scroll">
      <table className="actions" aria-label="Attempts">
        <thead>
          <tr>
            <th>Attempt</th>
            <th>State</th>
            <th>Where</th>
            <th className="number-cell">Steps</th>
            <th>Began</th>
            <th>Took</th>
            <th>How it ended</th>
          </tr>
        </thead>
        <tbody>
          {attempts.map((attempt) => (
            <tr key={attempt.id} aria-current={attempt.number === chosen || undefined}>
              <td>
                <button
                  className="plain"
                  aria-pressed={attempt.number === chosen}
                  aria-label={`Lines of attempt ${attempt.number} only`}
                  onClick={() => choose(attempt.number === chosen ? undefined : attempt.number)}
                >
                  {attempt.number}
                </button>
              </td>
              <td>
                <Badge of={attempt.state} />
              </td>
              <td>
                <Text of={attempt.workerName} />
                <span className="faint small">
                  {' '}
                  <Text
                    of={[...attempt.devices, attempt.pid === null ? '' : `process ${attempt.pid}`].join(', ')}
                  />
                </span>
              </td>
              <td className="number-cell">{tellSteps(attempt)}</td>
              <td title={formatMoment(attempt.startedAt)}>{formatMoment(attempt.startedAt)}</td>
              <td>{tellTime(attempt, now)}</td>
              <td>
                {tellEnd(attempt)}
                {attempt.message !== '' && (
                  <span className="muted">
                    {' '}
                    <Text of={attempt.message} />
                  </span>
                )}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

/** From the step it began after to the newest that it did; a dash: it did not begin. */
function tellSteps({ startStep, step }: Attempt): string {
  if (startStep === null) return absent;
  return `${startStep}–${Math.max(startStep, step ?? startStep)}`;
}

function tellTime({ startedAt, endedAt }: Attempt, now: number): string {
  if (startedAt === null) return '';
  const end = endedAt === null ? now : Date.parse(endedAt);
  return formatSeconds(Math.max(0, Math.round((end - Date.parse(startedAt)) / 1000)));
}

function tellEnd({ endedAt, verdict, exitCode, signal }: Attempt): string {
  if (endedAt === null) return '';
  const how = signal === null ? (exitCode === null ? '' : `code ${exitCode}`) : signal;
  return [verdict, how === '' ? '' : `(${how})`].filter((part) => part !== null && part !== '').join(' ');
}
