/** @file Which paths an artifact may have, and what a path says about it. */
import { AppError, isSafePath, safePathRule } from '@espalier/contracts';
import type { ArtifactKind } from '@espalier/protocol';

/**
 * Checks the path of an artifact.
 *
 * @throws artifact.invalid_path
 */
export function validateArtifactPath(path: string): string {
  if (isSafePath(path)) return path;
  throw new AppError(
    'artifact.invalid_path',
    `use the artifact path ${JSON.stringify(path.slice(0, 200))}: it is not a plain relative path; ${safePathRule}`,
  );
}

/** What a path says an artifact holds. */
export function artifactKindOf(path: string): ArtifactKind {
  if (path.startsWith('checkpoints/')) return 'checkpoint';
  if (path.startsWith('trajectories/')) return 'trajectories';
  if (path === 'spec.json' || path === 'spec.yaml') return 'spec';
  return path.startsWith('evaluations/') || path.startsWith('validation/') ? 'evaluation' : 'log';
}

/** The step a path names, as in `step-000010`; −1: none. */
export function artifactStepOf(path: string): number {
  const digits = /(?:^|\/)step-(\d{1,9})(?=[./]|$)/.exec(path)?.[1];
  return digits === undefined ? -1 : Number(digits);
}
