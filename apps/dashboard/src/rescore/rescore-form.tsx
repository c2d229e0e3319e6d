/** @file Which rewards, which checkpoint, which steps. The run's own rewards are where it begins. */
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { ErrorNote, Waiting } from '../parts/states.js';
import { useSearch } from '../routing/router.js';
import { readRange } from '../routing/run-filter.js';
import { useSession } from '../session/session-context.js';
import { PluginRows } from '../start/option-form.js';
import { pluginsOf, type Schema } from '../start/spec-schema.js';
import { mostSteps, type RewardEntry, tellSteps, withOption } from './rescore.js';

interface Props {
  readonly runId: string;
  onQueued(jobId: string): void;
}

export function RescoreForm({ runId, onQueued }: Props) {
  const { client } = useSession();
  const known = useQuery({
    queryKey: ['rescore-choices', runId],
    queryFn: async () => {
      const [run, checkpoints, counts, schema] = await Promise.all([
        client.runs.get(runId),
        client.runs.checkpoints(runId),
        client.trajectories.counts(runId, {}),
        client.rest('/api/v1/run-spec-schema').then(async (answer) => (await answer.json()) as Schema),
      ]);
      return {
        rewards: rewardsOf(run.spec),
        checkpoints: checkpoints.filter(({ isComplete }) => isComplete).map(({ step }) => step),
        steps: counts.steps.map(Number),
        schema: schema.properties?.['rewards']?.items ?? {},
      };
    },
  });
  if (known.error !== null) return <ErrorNote error={known.error} retry={() => void known.refetch()} />;
  if (known.data === undefined) return <Waiting what="rewards and checkpoints" />;
  if (known.data.checkpoints.length === 0)
    return (
      <p className="muted">
        No checkpoint of this run is stored, which scoring again needs: it has saved none yet, or they were
        deleted.
      </p>
    );
  return <Choices runId={runId} known={known.data} onQueued={onQueued} />;
}

const rewardsOf = (spec: unknown): readonly RewardEntry[] => {
  const { rewards } = spec as { readonly rewards?: unknown };
  return Array.isArray(rewards) ? (rewards as RewardEntry[]) : [];
};

interface Known {
  readonly rewards: readonly RewardEntry[];
  /** steps of those that are complete */
  readonly checkpoints: readonly number[];
  /** that have trajectories */
  readonly steps: readonly number[];
  readonly schema: Schema;
}

function Choices({ runId, known, onQueued }: Props & { readonly known: Known }) {
  const { client } = useSession();
  const queries = useQueryClient();
  const [search] = useSearch();
  const [rewards, setRewards] = useState(known.rewards);
  const [checkpoint, setCheckpoint] = useState<number>();
  const { from, to } = readRange(search) ?? { from: 0, to: Infinity };
  const steps = known.steps.filter((step) => step >= from && step <= to);
  const start = useMutation({
    mutationFn: () =>
      client.runs.evaluate(runId, {
        rescore: { rewards: [...rewards], logprobs: checkpoint !== undefined, steps },
        ...(checkpoint === undefined ? {} : { step: checkpoint }),
      }),
    onSuccess: async ({ id }) => {
      await queries.invalidateQueries({ queryKey: ['rescorings', runId] });
      onQueued(id);
    },
  });
  const isAsked = rewards.length > 0 || checkpoint !== undefined;
  const most = mostSteps(checkpoint !== undefined);
  const [first = ''] = pluginsOf(known.schema);
  return (
    <>
      <div className="option-form rewards-form">
        <PluginRows
          path={['rewards']}
          values={rewards}
          schema={known.schema}
          problems={[]}
          isFull={false}
          remove={(at) => setRewards(rewards.filter((_, index) => index !== at))}
          set={(path, value) => setRewards(withOption(rewards, Number(path[1]), path.slice(2), value))}
        />
      </div>
      <div className="row">
        <button
          type="button"
          disabled={first === ''}
          onClick={() => setRewards([...rewards, { use: first }])}
        >
          Add a reward
        </button>
        <label>
          Log-probabilities under{' '}
          <select
            value={checkpoint ?? ''}
            onChange={({ target }) => setCheckpoint(target.value === '' ? undefined : Number(target.value))}
          >
            <option value="">no checkpoint</option>
            {known.checkpoints.map((step) => (
              <option key={step} value={step}>
                step {step}
              </option>
            ))}
          </select>
        </label>
        <button
          className="primary"
          disabled={start.isPending || !isAsked || steps.length === 0 || steps.length > most}
          onClick={() => start.mutate()}
        >
          Score {steps.length === 0 ? 'again' : `${tellSteps(steps)} again`}
        </button>
      </div>
      <p className="small muted">{whatHolds(isAsked, steps, most)}</p>
      {start.error !== null && <ErrorNote error={start.error} />}
    </>
  );
}

/** Why it cannot start, or how to choose other steps. */
function whatHolds(isAsked: boolean, steps: readonly number[], most: number): string {
  if (!isAsked) return 'Add a reward, choose a checkpoint, or both.';
  if (steps.length === 0) return 'No trajectory is stored in the chosen steps.';
  if (steps.length > most)
    return `These are ${steps.length} steps; choose at most ${most} with the filter below.`;
  return 'Steps are those of the filter below; rewards take a processor, no GPU.';
}
