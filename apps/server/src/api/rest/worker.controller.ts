import { deviceSchema, type PluginVersion, pluginVersion } from '@espalier/protocol';
import { toIsoTime } from '@espalier/protocol/bounds';
import { Body, Controller, Delete, Get, HttpCode, Param, Post, Query } from '@nestjs/common';
import { ApiOperation, ApiTags } from './open-api-notes.js';
import { z } from 'zod';
import { Access, CurrentCaller } from '../access/access.decorator.js';
import type { Caller } from '../../core/access/caller.js';
import { type PageAnswer, pageQuery, toPageAnswer } from '../../core/database/page.js';
import { parseInput } from '../../core/input/parse-input.js';
import { openApiBody } from './open-api-body.js';
import { openApiQuery } from './open-api-notes.js';
import { drainInput, WorkerLifecycle } from '../../core/workers/worker-lifecycle.service.js';
import { Worker } from '../../core/database/entities/worker.js';
import { openApiAnswer } from './open-api-answer.js';
import { pageShape, shapeOf, told } from './answer-schema.js';

const plugins = z
  .array(pluginVersion)
  .nullable()
  .describe('what it has that did not come with Espalier; null: it is not connected, or does not say');
const workerAnswer = told(Worker, {
  also: { devices: shapeOf(z.array(deviceSchema)), plugins: shapeOf(plugins) },
});

@ApiTags('workers')
@Controller('api/v1/workers')
export class WorkerController {
  constructor(private readonly steering: WorkerLifecycle) {}

  @Get()
  @Access('viewer')
  @ApiOperation({ summary: 'All workers that connected and are not forgotten, by name.' })
  @openApiQuery(pageQuery)
  @openApiAnswer(pageShape(workerAnswer))
  async list(@Query() given: unknown): Promise<PageAnswer<ToldWorker>> {
    const page = await this.steering.list(parseInput(pageQuery, given, 'list workers'));
    return toPageAnswer(page, (worker) => this.tell(worker));
  }

  @Get(':id')
  @Access('viewer')
  @ApiOperation({ summary: 'One worker with its devices.' })
  @openApiAnswer(workerAnswer)
  async read(@Param('id') id: string): Promise<ToldWorker> {
    return this.tell(await this.steering.find(id));
  }

  @Delete(':id')
  @Access('admin')
  @ApiOperation({ summary: 'Takes a worker that is gone for good off the lists; what it has done stays.' })
  @openApiAnswer(workerAnswer)
  async forget(@CurrentCaller() caller: Caller, @Param('id') id: string): Promise<ToldWorker> {
    return this.tell(await this.steering.forget(caller, id));
  }

  @Post(':id/drain')
  @HttpCode(200)
  @Access('admin')
  @ApiOperation({
    summary:
      'Takes a worker out of placement; the jobs it has continue there, or with a deadline on other workers.',
  })
  @openApiBody(drainInput, false)
  @openApiAnswer(workerAnswer)
  async drain(
    @CurrentCaller() caller: Caller,
    @Param('id') id: string,
    @Body() body: unknown,
  ): Promise<ToldWorker> {
    const { deadlineSeconds } = parseInput(drainInput, body, 'drain a worker', { whole: 'the body' });
    return this.tell(await this.steering.drain(caller, id, deadlineSeconds));
  }

  @Post(':id/undrain')
  @HttpCode(200)
  @Access('admin')
  @ApiOperation({ summary: 'Lets a drained worker get jobs again.' })
  @openApiAnswer(workerAnswer)
  async undrain(@CurrentCaller() caller: Caller, @Param('id') id: string): Promise<ToldWorker> {
    return this.tell(await this.steering.undrain(caller, id));
  }

  private tell(worker: Worker): ToldWorker {
    return { ...tellWorker(worker), plugins: this.steering.pluginsOf(worker.id) };
  }
}

interface ToldWorker extends ReturnType<typeof tellWorker> {
  readonly plugins: readonly PluginVersion[] | null;
}

function tellWorker({ id, name, host, version, node, labels, devices, online, draining, ...times }: Worker) {
  return {
    ...{ id, name, host, version, node, labels, devices, online, draining },
    connectedAt: toIsoTime(times.connectedAt),
    lastSeenAt: toIsoTime(times.lastSeenAt),
  };
}
