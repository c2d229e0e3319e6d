/** @file Which paths an artifact may have, and what its path determines. */
import { AppError, isSafePath, runLayout, safePathRule } from '@espalier/contracts';
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

/** The kind of an artifact, by its path. */
export function artifactKindOf(path: string): ArtifactKind {
  const isIn = (folder: string): boolean => path.startsWith(`${folder}/`);
  if (isIn(runLayout.checkpoints)) return 'checkpoint';
  if (isIn(runLayout.trajectories)) return 'trajectories';
  if (path === runLayout.spec || path === 'spec.yaml') return 'spec';
  return isIn('evaluations') || isIn(runLayout.validation) ? 'evaluation' : 'log';
}

/** The step in a path, as in `step-000010`; −1: none. */
export function artifactStepOf(path: string): number {
  return runLayout.stepOf(path) ?? -1;
}
