import { Module } from '@nestjs/common';
import { TrajectoryFiles } from './trajectory-files.service.js';
import { TrajectoryQueries } from './trajectory-queries.service.js';
import { TrajectoryController } from './trajectory.controller.js';
import { TrajectoryResolver } from './trajectory.resolver.js';

/** Trajectories of runs: lists, search, whole ones. */
@Module({
  controllers: [TrajectoryController],
  providers: [TrajectoryQueries, TrajectoryFiles, TrajectoryResolver],
  exports: [TrajectoryQueries],
})
export class TrajectoriesModule {}
