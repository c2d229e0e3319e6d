import { isAbsolute, join } from 'node:path';
import { Global, Inject, Module, type OnApplicationShutdown, type OnModuleInit } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import type { FastifyInstance } from 'fastify';
import { SERVER_OPTIONS, type ServerOptions } from '../config/server-options.js';
import { ArtifactAccess } from './artifact-access.service.js';
import { ArtifactController } from './artifact.controller.js';
import { ARTIFACT_STORE, ArtifactService } from './artifact.service.js';
import { OrphanSweep } from './orphan-sweep.service.js';
import type { ArtifactStore } from './store/artifact-store.js';
import { createArtifactStore } from './store/create-artifact-store.js';

/** A relative folder lies in the data folder. */
async function openStore({ data, artifacts }: ServerOptions): Promise<ArtifactStore> {
  const { store } = artifacts;
  if (store.driver !== 'directory') return createArtifactStore(store);
  const folder = isAbsolute(store.folder) ? store.folder : join(data, store.folder);
  return createArtifactStore({ ...store, folder });
}

const octets = 'application/octet-stream';

/** Files that runs leave. */
@Global()
@Module({
  controllers: [ArtifactController],
  providers: [
    {
      provide: ARTIFACT_STORE,
      inject: [SERVER_OPTIONS],
      useFactory: openStore,
    },
    ...[ArtifactService, ArtifactAccess, OrphanSweep],
  ],
  exports: [ArtifactService, ArtifactAccess],
})
export class ArtifactsModule implements OnModuleInit, OnApplicationShutdown {
  constructor(
    private readonly host: HttpAdapterHost,
    @Inject(ARTIFACT_STORE) private readonly store: ArtifactStore,
  ) {}

  async onApplicationShutdown(): Promise<void> {
    await this.store.close();
  }

  /** Bytes arrive as a stream, never gathered in memory. */
  onModuleInit(): void {
    const server = this.host.httpAdapter.getInstance<FastifyInstance>();
    if (server.hasContentTypeParser(octets)) return;
    server.addContentTypeParser(octets, (_request, payload, done) => done(null, payload));
  }
}
