import type { ArtifactStoreOptions } from '../../../config/artifact-options.js';
import type { ArtifactStore } from './artifact-store.js';
import { DirectoryArtifactStore } from './directory-artifact-store.js';

/** Creates the store that the settings describe; the S3 client is loaded only for a bucket. */
export async function createArtifactStore(options: ArtifactStoreOptions): Promise<ArtifactStore> {
  if (options.driver === 'directory') return new DirectoryArtifactStore(options.folder);
  const { S3ArtifactStore } = await import('./s3-artifact-store.js');
  return new S3ArtifactStore(options);
}
