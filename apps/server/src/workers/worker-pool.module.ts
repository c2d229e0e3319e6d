import { Global, Module } from '@nestjs/common';
import { WorkerPool } from './worker-pool.js';

/** Who is connected, and what was placed where. */
@Global()
@Module({ providers: [WorkerPool], exports: [WorkerPool] })
export class WorkerPoolModule {}
