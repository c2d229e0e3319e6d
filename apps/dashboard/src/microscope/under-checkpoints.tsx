/** @file What the checkpoints of the run think of these tokens, and when a sentence became likely. */
import type { Client } from '@espalier/client';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { hasEnded } from '../data/run-states.js';
import type { OpenedTrajectory, TokenPage } from '../data/types.js';
import { formatNumber, formatShare } from '../format/numbers.js';
import { toVisibleToken } from '../format/visible-text.js';
import { Badge } from '../parts/badge.js';
import { ErrorNote, Waiting } from '../parts/states.js';
import { Text } from '../parts/text.js';
import { useMayAct, useSession } from '../session/session-context.js';
import { textOf } from './blocks.js';
import { likelyFrom, meanOfBuckets, meanOver, sentenceAround, type TokenRange } from './likely.js';

/** A checkpoint, and what is known of it: nothing was asked, it is asked, or its values by token. */
interface Checkpoint {
  readonly step: number;
  readonly state: string | undefined;
  readonly message: string;
  readonly logprobs: ReadonlyMap<number, number | null> | undefined;
}

async function readCheckpoints(client: Client, runId: string, id: string): Promise<readonly Checkpoint[]> {
  const [checkpoints, evaluations] = await Promise.all([
    client.runs.checkpoints(runId),
    client.runs.evaluations(runId),
  ]);
  const own = evaluations.filter(
    ({ trajectory, rescoredSteps }) => trajectory === id && rescoredSteps !== null,
  );
  return Promise.all(
    checkpoints
      .filter(({ isComplete }) => isComplete)
      .map(async ({ step }): Promise<Checkpoint> => {
        // one that is done is worth more than a later one that failed
        const of = own.filter((one) => one.step === step);
        const job = of.findLast(({ state }) => state === 'finished') ?? of.at(-1);
        const tokens =
          job?.state === 'finished' ? (await client.runs.rescored(job.jobId))?.rescoredTrajectory : undefined;
        const logprobs =
          tokens && new Map(tokens.positions.map((token, at) => [token, tokens.logprobs[at] ?? null]));
        return { step, state: job?.state, message: job?.message ?? '', logprobs: logprobs ?? undefined };
      }),
  );
}

interface Props {
  readonly runId: string;
  readonly trajectory: OpenedTrajectory;
  readonly token: number | undefined;
  readonly page: TokenPage | undefined;
}

export default function UnderCheckpoints({ runId, trajectory, token, page }: Props) {
  const { client } = useSession();
  const queries = useQueryClient();
  const { id } = trajectory.row;
  const queryKey = ['under-checkpoints', runId, id];
  const { data, error, refetch } = useQuery({
    queryKey,
    queryFn: () => readCheckpoints(client, runId, id),
    refetchInterval: ({ state }) =>
      state.data?.some((one) => one.state !== undefined && !hasEnded(one.state)) === true ? 1000 : false,
  });
  const score = useMutation({
    mutationFn: async (steps: readonly number[]) => {
      for (const step of steps)
        await client.runs.evaluate(runId, { step, rescore: { logprobs: true, trajectory: id } });
    },
    onSettled: () => queries.invalidateQueries({ queryKey }),
  });
  const mayAct = useMayAct();
  if (error !== null) return <ErrorNote error={error} retry={() => void refetch()} />;
  if (data === undefined) return <Waiting what="checkpoints" />;
  if (data.length === 0)
    return (
      <p className="card note muted">
        No checkpoint of this run is stored: it has saved none yet, or they were deleted.
      </p>
    );
  const open = data.filter(({ state }) => state === undefined || ['failed', 'cancelled'].includes(state));
  const parts = partsOf(trajectory, token, page);
  return (
    <section className="card under-checkpoints" aria-label="Under checkpoints">
      <header>
        <h2>Under checkpoints</h2>
        {mayAct && open.length > 0 && (
          <button disabled={score.isPending} onClick={() => score.mutate(open.map(({ step }) => step))}>
            Score under {open.length === 1 ? `step ${open[0]?.step}` : `${open.length} checkpoints`}
          </button>
        )}
        {!mayAct && open.length > 0 && (
          <span className="small muted">Scoring needs a key with the operator role.</span>
        )}
      </header>
      {score.error !== null && <ErrorNote error={score.error} />}
      <p className="small muted sentence">
        {parts.sentence === undefined ? (
          'Choose a token for its sentence and its turn.'
        ) : (
          <q className="mono">{parts.words}</q>
        )}
      </p>
      <div className="scroll">
        <Table trajectory={trajectory} checkpoints={data} parts={parts} token={token} page={page} />
      </div>
      <p className="small muted">
        {tellLikely(data, parts)} Mean log-probability of a token, and e to its power, at the temperature of
        sampling.
      </p>
    </section>
  );
}

interface Parts {
  readonly all: TokenRange;
  readonly turn: TokenRange | undefined;
  readonly sentence: TokenRange | undefined;
  readonly words: string;
}

/** What is looked at: everything, and the turn and the sentence of a chosen token. */
function partsOf(
  { turns, row }: OpenedTrajectory,
  token: number | undefined,
  page: TokenPage | undefined,
): Parts {
  const all = { start: 0, end: row.tokens };
  const turn =
    token === undefined
      ? undefined
      : turns.find(({ sampled }) => token >= sampled.start && token < sampled.end);
  if (token === undefined || turn === undefined || page === undefined)
    return { all, turn: undefined, sentence: undefined, words: '' };
  const sentence = sentenceAround(token, turn.sampled, (at) => textOf(turn, page, at));
  const words = Array.from({ length: sentence.end - sentence.start }, (_, at) =>
    toVisibleToken(textOf(turn, page, sentence.start + at) ?? ''),
  ).join('');
  return { all, turn: turn.sampled, sentence, words };
}

function tellLikely(checkpoints: readonly Checkpoint[], { sentence, turn, all }: Parts): string {
  const range = sentence ?? turn ?? all;
  const scored = checkpoints.flatMap(({ step, logprobs }) =>
    logprobs === undefined ? [] : [{ step, mean: meanOver((token) => logprobs.get(token), range) }],
  );
  if (scored.length === 0) return 'No checkpoint has scored it yet.';
  const what = sentence === undefined ? 'It' : 'The sentence';
  const from = likelyFrom(scored);
  const among = scored.length === 1 ? 'the one' : `the ${scored.length}`;
  return from === undefined
    ? `${what} is not likely under the newest of ${among} that scored it (less than one half a token).`
    : `${what} is likely from the checkpoint of step ${from} on, of ${among} that scored it (one half a token or more).`;
}

interface TableProps extends Omit<Props, 'runId'> {
  readonly checkpoints: readonly Checkpoint[];
  readonly parts: Parts;
}

function Table({ trajectory, checkpoints, parts, token, page }: TableProps) {
  const isChosen = parts.sentence !== undefined;
  const sampled = token === undefined || page === undefined ? undefined : page.logprobs[token - page.from];
  return (
    <table className="actions" aria-label="Log-probabilities under checkpoints">
      <thead>
        <tr>
          <th>Checkpoint</th>
          {isChosen && <th className="number-cell">Token</th>}
          {isChosen && <th className="number-cell">Sentence</th>}
          {isChosen && <th className="number-cell">Turn</th>}
          <th className="number-cell">All</th>
        </tr>
      </thead>
      <tbody>
        <tr data-step="sampled">
          <td>as sampled, for step {trajectory.row.step}</td>
          {isChosen && <Mean of={sampled ?? undefined} />}
          {isChosen &&
            [parts.sentence, parts.turn].map((range, at) => (
              <Mean
                key={at}
                of={page && range && meanOver((place) => page.logprobs[place - page.from], range)}
              />
            ))}
          <Mean of={meanOfSampled(trajectory)} />
        </tr>
        {checkpoints.map(({ step, state, message, logprobs }) => (
          <tr key={step} data-step={step}>
            <td className="nowrap">
              step {step} {state !== undefined && state !== 'finished' && <Badge of={state} />}
              {state !== 'finished' && message !== '' && (
                <span className="small muted">
                  {' '}
                  <Text of={message} />
                </span>
              )}
            </td>
            {[
              isChosen && { start: token ?? 0, end: (token ?? 0) + 1 },
              parts.sentence,
              parts.turn,
              parts.all,
            ].map(
              (range, at) =>
                range !== undefined &&
                range !== false && (
                  <Mean
                    key={at}
                    of={logprobs && meanOver((place) => logprobs.get(place), range)}
                    isAsked={state !== undefined}
                  />
                ),
            )}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

/** Over all sampled tokens, also those of pages that are not read. */
function meanOfSampled({ tokenSummary: { sampled, series } }: OpenedTrajectory): number | undefined {
  return meanOfBuckets(series.find(({ name }) => name === 'logprobs')?.means ?? [], sampled);
}

function Mean({ of, isAsked = true }: { readonly of: number | undefined; readonly isAsked?: boolean }) {
  if (of === undefined) return <td className="number-cell faint">{isAsked ? '–' : 'not scored'}</td>;
  return (
    <td className="number-cell">
      {formatNumber(of)} <span className="small muted">{formatShare(Math.exp(of))}</span>
    </td>
  );
}
