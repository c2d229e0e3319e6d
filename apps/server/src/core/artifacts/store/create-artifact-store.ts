import { locateData, type ServerOptions } from '../../../config/server-options.js';
import type { ArtifactStore } from './artifact-store.js';
import { DirectoryArtifactStore } from './directory-artifact-store.js';

/** Creates the store that the settings describe; the S3 client is loaded only for a bucket. */
export async function createArtifactStore(options: ServerOptions): Promise<ArtifactStore> {
  const { store } = options.artifacts;
  if (store.driver === 'directory') return new DirectoryArtifactStore(locateData(options).artifacts);
  const { S3ArtifactStore } = await import('./s3-artifact-store.js');
  return new S3ArtifactStore(store);
}
