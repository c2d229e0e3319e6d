/** @file Lets a checkpoint continue a trajectory from its turns, and shows what came of it. */
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { Evaluation } from '@espalier/client';
import { hasEnded } from '../data/run-states.js';
import type { ContinuedTurn } from '../data/types.js';
import { formatNumber, formatShare } from '../format/numbers.js';
import { Badge } from '../parts/badge.js';
import { ErrorNote } from '../parts/states.js';
import { Text } from '../parts/text.js';
import { useMayAct, useSession } from '../session/session-context.js';
import { countStops } from './turning.js';

/** An evaluation that continues a trajectory; what came of it is null while it is not done. */
export type Continuation = Evaluation & { readonly continued: readonly ContinuedTurn[] | null };

/** Results of more are not read. */
const mostShown = 10;

/** The continuations of a trajectory, newest first; read again while one is under way. */
export function useContinuations(runId: string, id: string) {
  const { client } = useSession();
  return useQuery({
    queryKey: ['continuations', runId, id],
    queryFn: async () => {
      const own = (await client.runs.evaluations(runId))
        .filter(({ trajectory, rescoredSteps }) => trajectory === id && rescoredSteps === null)
        .reverse();
      return Promise.all(
        own.map(async (one, place): Promise<Continuation> => {
          const isDone = one.state === 'finished' && place < mostShown;
          return { ...one, continued: isDone ? await client.runs.continuation(one.jobId) : null };
        }),
      );
    },
    refetchInterval: ({ state }) => (state.data?.some((one) => !hasEnded(one.state)) === true ? 1000 : false),
  });
}

interface Props {
  readonly runId: string;
  readonly id: string;
  readonly turn: number;
  readonly turns: number;
}

export function ContinueForm({ runId, id, turn, turns }: Props) {
  const { client } = useSession();
  const mayAct = useMayAct();
  const queries = useQueryClient();
  const checkpoints = useQuery({
    queryKey: ['checkpoints', runId],
    queryFn: () => client.runs.checkpoints(runId),
  });
  const usable = checkpoints.data?.filter(({ isComplete }) => isComplete) ?? [];
  const [step, setStep] = useState<number>();
  const [episodes, setEpisodes] = useState('32');
  const start = useMutation({
    mutationFn: (chosen: readonly number[] | undefined) =>
      client.runs.evaluate(runId, {
        trajectory: id,
        episodes: Number(episodes),
        step: step ?? usable.at(-1)?.step ?? null,
        ...(chosen === undefined ? {} : { turns: [...chosen] }),
      }),
    onSuccess: () => queries.invalidateQueries({ queryKey: ['continuations', runId, id] }),
  });
  if (checkpoints.error !== null)
    return <ErrorNote error={checkpoints.error} retry={() => void checkpoints.refetch()} />;
  if (checkpoints.data !== undefined && usable.length === 0)
    return (
      <p className="note muted">
        No checkpoint of this run is stored, so nothing can continue from here: it has saved none yet, or they
        were deleted.
      </p>
    );
  if (!mayAct) return <p className="note muted">Continuing from here needs a key with the operator role.</p>;
  const isCount = /^\d{1,4}$/.test(episodes) && Number(episodes) > 0;
  return (
    <div className="note stack tight">
      <div className="row">
        <label>
          Checkpoint{' '}
          <select
            value={step ?? usable.at(-1)?.step ?? ''}
            onChange={({ target }) => setStep(Number(target.value))}
          >
            {usable.map((one) => (
              <option key={one.step} value={one.step}>
                step {one.step}
              </option>
            ))}
          </select>
        </label>
        <label>
          Times{' '}
          <input
            className="number"
            inputMode="numeric"
            value={episodes}
            aria-invalid={!isCount}
            onChange={({ target }) => setEpisodes(target.value)}
          />
        </label>
        <button disabled={start.isPending || !isCount} onClick={() => start.mutate([turn])}>
          From turn {turn + 1}
        </button>
        {turns > 1 && (
          <button disabled={start.isPending || !isCount} onClick={() => start.mutate(undefined)}>
            From each of {turns} turns
          </button>
        )}
      </div>
      {!isCount && <p className="small down">Times: a whole number from 1 to 9999.</p>}
      {start.error !== null && <ErrorNote error={start.error} />}
    </div>
  );
}

/** One of them: its state, and turn by turn what came of it. */
export function ContinuedTable({
  evaluation,
  onPick,
}: {
  readonly evaluation: Continuation;
  onPick(turn: number): void;
}) {
  const { state, message, step, episodes, continued, jobId } = evaluation;
  return (
    <div className="continued" data-job={jobId}>
      <div className="row small">
        <Badge of={state} />
        <span>
          checkpoint of step {step}, {episodes} times from each turn
        </span>
        {message !== '' && continued === null && (
          <span className="muted">
            <Text of={message} />
          </span>
        )}
      </div>
      {continued !== null && (
        <div className="scroll">
          <table className="actions" aria-label="Continuations by turn">
            <thead>
              <tr>
                <th>Turn</th>
                <th className="number-cell">Success</th>
                <th>95 % interval</th>
                <th className="number-cell">Reward</th>
                <th>How they ended</th>
              </tr>
            </thead>
            <tbody>
              {continued.map((one) => (
                <tr key={one.turn} data-turn={one.turn}>
                  <td>
                    <button className="plain" onClick={() => onPick(one.turn)}>
                      {one.turn + 1}
                    </button>
                  </td>
                  <td className="number-cell">
                    {one.successRate === null ? (
                      <span className="faint">none completed</span>
                    ) : (
                      formatShare(one.successRate)
                    )}
                  </td>
                  <td className="nowrap muted">
                    {one.successRate !== null &&
                      `${formatShare(one.successLow)} to ${formatShare(one.successHigh)}`}
                  </td>
                  <td className="number-cell">{formatNumber(one.rewardMean)}</td>
                  <td className="small">
                    {one.outcomes === null ? (
                      <span className="faint">more than are stored one by one</span>
                    ) : (
                      countStops(one.outcomes)
                        .map(([reason, count]) => `${count} ${reason}`)
                        .join(', ')
                    )}
                    {one.failed > 0 && <span className="down"> {one.failed} failed</span>}
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
    </div>
  );
}
