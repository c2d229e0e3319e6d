/** @file Scores what a run has stored again: by other rewards, or by what a checkpoint thinks of the tokens. */
import { useEffect, useRef } from 'react';
import { formatAge } from '../format/numbers.js';
import { Badge } from '../parts/badge.js';
import { ErrorNote, Waiting } from '../parts/states.js';
import { Text } from '../parts/text.js';
import { useNow } from '../data/use-now.js';
import { useSearch } from '../routing/router.js';
import { useMayAct } from '../session/session-context.js';
import { RescoreForm } from './rescore-form.js';
import { RescoredResult } from './rescored-result.js';
import { openPanel, useRescored, useRescorings } from './use-rescored.js';
import { tellSteps } from './rescore.js';
import '../styles/rescore.css';

interface Props {
  readonly runId: string;
  /** the button that opened it is gone */
  readonly takesFocus: boolean;
}

export default function RescorePanel({ runId, takesFocus }: Props) {
  const [, setSearch] = useSearch();
  const mayAct = useMayAct();
  const now = useNow();
  const rescorings = useRescorings(runId, true);
  const { jobId, evaluation, result, error } = useRescored(runId);
  const place = useRef<HTMLElement>(null);
  useEffect(() => {
    if (takesFocus) place.current?.focus({ preventScroll: true });
  }, [takesFocus]);
  const failure = rescorings.error ?? error;
  return (
    <section className="card rescore" aria-label="Score again" tabIndex={-1} ref={place}>
      <header>
        <h2>Score again</h2>
        <span className="small muted">What is stored, by other rewards. The run itself is not changed.</span>
        <button className="plain" aria-label="Close" onClick={() => setSearch({ again: undefined })}>
          ✕
        </button>
      </header>
      <div className="pad stack">
        {mayAct ? (
          <RescoreForm runId={runId} onQueued={(id) => setSearch({ again: id })} />
        ) : (
          <p className="muted">
            Scoring again needs a key with the operator role. What others asked for is below.
          </p>
        )}
        {failure !== null && <ErrorNote error={failure} retry={() => void rescorings.refetch()} />}
        {rescorings.data !== undefined && rescorings.data.length > 0 && (
          <ul className="rescorings" aria-label="Scored again">
            {rescorings.data.map((one) => (
              <li key={one.jobId} data-job={one.jobId}>
                <button
                  className="plain"
                  aria-pressed={one.jobId === jobId}
                  onClick={() => setSearch({ again: one.jobId === jobId ? openPanel : one.jobId })}
                >
                  {tellSteps(one.rescoredSteps ?? [])}
                </button>
                <Badge of={one.state} />
                <span className="small muted">
                  {formatAge(one.createdAt, now)}
                  {one.state !== 'finished' && one.message !== '' && (
                    <>
                      {': '}
                      <Text of={one.message} />
                    </>
                  )}
                </span>
              </li>
            ))}
          </ul>
        )}
        {jobId !== undefined && rescorings.data !== undefined && evaluation === undefined && (
          <p className="muted">
            This run has not scored anything again by that name: the job is gone, or of another run.
          </p>
        )}
        {evaluation?.state === 'finished' && result === undefined && error === null && (
          <Waiting what="the result" />
        )}
        {result !== undefined && evaluation !== undefined && (
          <RescoredResult
            runId={runId}
            step={evaluation.step}
            weights={evaluation.rescoredBy}
            result={result}
          />
        )}
      </div>
    </section>
  );
}
