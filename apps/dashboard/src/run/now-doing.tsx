import { useState } from 'react';
import { useQuery } from '@tanstack/react-query';
import { About } from '../charts/about.js';
import type { Progress, JobState } from '../data/types.js';
import { useLive } from '../data/use-live.js';
import { formatSeconds } from '../format/numbers.js';
import { useSession } from '../session/session-context.js';

const phases: Readonly<Record<string, string>> = {
  collect: 'collects trajectories',
  credit: 'gives credit',
  update: 'updates the policy',
  validate: 'validates',
  save: 'saves',
};

/** The phase of the current step and what is left of the run; only while it runs. */
export function NowDoing({
  run,
}: {
  readonly run: { readonly id: string; readonly state: JobState; readonly step: number | null };
}) {
  const { client } = useSession();
  const [progress, setProgress] = useState<Progress>();
  const isRunning = run.state === 'running';
  useLive(isRunning ? run.id : undefined, () => client.live.progress(run.id), setProgress);
  const { data: eta } = useQuery({
    queryKey: ['eta', run.id, run.step],
    meta: { what: 'the time left' },
    queryFn: () => client.runs.eta(run.id),
    enabled: isRunning,
    placeholderData: (old) => old,
  });
  if (!isRunning) return null;
  return (
    <div className="row small muted" aria-live="off">
      {progress !== undefined && (
        <>
          <span>{phases[progress.phase] ?? progress.phase}</span>
          <span className="progress" style={{ width: 120 }}>
            <i
              style={{
                width: `${progress.total > 0 ? Math.min(100, (progress.done / progress.total) * 100) : 0}%`,
              }}
            />
          </span>
        </>
      )}
      {eta && (
        <span>
          about {formatSeconds(Math.round(eta.seconds))} left
          <About
            title="the time left"
            words="The median duration of the newest steps of this attempt, at most 23, times the steps left, minus the time the current one has taken. A pause or a slow validation changes it little. It appears after two steps."
          />
        </span>
      )}
    </div>
  );
}
