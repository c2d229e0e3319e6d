import { deviceSchema, type PluginVersion, pluginVersion } from '@espalier/protocol';
import { Controller, Delete, Get, HttpCode, Param, Post, Query } from '@nestjs/common';
import { ApiOperation, ApiQuery, ApiTags } from '../http/open-api-notes.js';
import { z } from 'zod';
import { Access, CurrentCaller } from '../access/access.decorator.js';
import type { Caller } from '../access/caller.js';
import { type Page, parsePageSize } from '../graphql/page.js';
import { WorkerSteering } from './worker-steering.service.js';
import { Worker } from './worker.entity.js';
import { openApiAnswer } from '../http/open-api-answer.js';
import { pageShape, shapeOf, told } from '../http/answer-schema.js';

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
  constructor(private readonly steering: WorkerSteering) {}

  @Get()
  @Access('viewer')
  @ApiOperation({ summary: 'All workers that connected and are not forgotten, by name.' })
  @ApiQuery({ name: 'first', required: false, description: 'how many at most, 1 to 500; default 50' })
  @ApiQuery({ name: 'after', required: false, description: '`pageInfo.endCursor` of the page before' })
  @openApiAnswer(pageShape(workerAnswer))
  async list(@Query('first') first?: string, @Query('after') after?: string): Promise<Page<ToldWorker>> {
    const { items, pageInfo } = await this.steering.list(parsePageSize(first), after);
    return { items: items.map((worker) => this.tell(worker)), pageInfo };
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
  @ApiOperation({ summary: 'Takes a worker out of placement; the jobs it has go on.' })
  @openApiAnswer(workerAnswer)
  async drain(@CurrentCaller() caller: Caller, @Param('id') id: string): Promise<ToldWorker> {
    return this.tell(await this.steering.drain(caller, id, true));
  }

  @Post(':id/undrain')
  @HttpCode(200)
  @Access('admin')
  @ApiOperation({ summary: 'Lets a drained worker get jobs again.' })
  @openApiAnswer(workerAnswer)
  async undrain(@CurrentCaller() caller: Caller, @Param('id') id: string): Promise<ToldWorker> {
    return this.tell(await this.steering.drain(caller, id, false));
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
    connectedAt: new Date(times.connectedAt).toISOString(),
    lastSeenAt: new Date(times.lastSeenAt).toISOString(),
  };
}
