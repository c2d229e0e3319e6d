/** @file Which paths an artifact may have, and what a path says about it. */
import { AppError } from '@espalier/contracts';
import type { ArtifactKind } from '@espalier/protocol';

const segment = /^[A-Za-z0-9_][A-Za-z0-9._+=@ -]{0,199}$/;
const maxLength = 1000;
const maxDepth = 16;

/**
 * Checks the path of an artifact: names of letters, digits and `._+=@ -`, with forward slashes between them, relative,
 * without `.` and `..`.
 *
 * @throws artifact.invalid_path
 */
export function requireArtifactPath(path: string): string {
  const parts = path.split('/');
  const isFine =
    path.length <= maxLength && parts.length <= maxDepth && parts.every((part) => segment.test(part));
  if (isFine && !parts.some((part) => part.endsWith('.') || part.endsWith(' '))) return path;
  throw new AppError(
    'artifact.invalid_path',
    `use the artifact path ${JSON.stringify(path.slice(0, 200))}: it is no plain relative path; write names of letters, digits and ._+=@- with single slashes between them, such as checkpoints/step-000010/manifest.json`,
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
