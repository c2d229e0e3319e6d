import type { RunDetails } from '@espalier/client';

/** The attempts of the training job; evaluations and chats have jobs of their own. */
export function attemptsOf({
  jobs,
  attempts,
}: Pick<RunDetails, 'jobs' | 'attempts'>): RunDetails['attempts'] {
  const training = new Set(jobs.flatMap(({ id, kind }) => (kind === 'train' ? [id] : [])));
  return attempts.filter(({ jobId }) => training.has(jobId));
}
