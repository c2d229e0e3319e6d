/** @file Paths inside the folder of a run, which are also the paths under which a server stores its files. */

/** Names a step; up to 999999, names sort like numbers. */
const stepName = (step: number): string => `step-${String(step).padStart(6, '0')}`;

/** Paths relative to the folder of a run, with forward slashes. */
export const runLayout = {
  /** the resolved spec */
  spec: 'spec.json',
  /** held while a process uses the folder */
  lock: 'run.lock',
  /** where and with what the run was made */
  origin: 'origin.json',
  /** how many attempts there were */
  attempts: 'attempts.json',
  metrics: 'metrics.jsonl',
  events: 'events.jsonl',
  checkpoints: 'checkpoints',
  /** the adapter that the run began with, so that it resumes when the run that saved it has removed it */
  start: 'start',
  trajectories: 'trajectories',
  validation: 'validation',
  /** what experiment trackers have of the run */
  trackers: 'trackers',
  /** in the folder of a checkpoint: counters of the trainer */
  checkpointState: 'state.json',
  /** in the folder of a checkpoint: length and sha256 of the logs that it continues */
  checkpointLogs: 'logs.json',
  /** in the folder of a checkpoint: length and sha256 of its files; written last */
  manifest: 'manifest.json',
  stepName,
  checkpoint: (step: number): string => `checkpoints/${stepName(step)}`,
  trajectoriesOf: (step: number): string => `trajectories/${stepName(step)}.jsonl.gz`,
  validationOf: (step: number): string => `validation/${stepName(step)}.json`,
  /** The step that a path names, as in `step-000010`; undefined: none. */
  stepOf: (path: string): number | undefined => {
    const digits = /(?:^|\/)step-(\d{1,9})(?=[./]|$)/.exec(path)?.[1];
    return digits === undefined ? undefined : Number(digits);
  },
} as const;
