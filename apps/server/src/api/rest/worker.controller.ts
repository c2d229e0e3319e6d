import { deviceSchema, type PluginVersion, pluginVersion } from '@espalier/protocol';
import { toIsoTime } from '@espalier/protocol/bounds';
import { Body, Controller, Delete, Get, HttpCode, Param, Post, Query } from '@nestjs/common';
import { z } from 'zod';
import { Access, CurrentCaller } from '../access/access.decorator.js';
import type { Caller } from '../../core/access/caller.js';
import { type PageAnswer, toOrder, toPageAnswer } from '../../core/database/page.js';
import { parseInput } from '../../core/input/parse-input.js';
import { DeviceHistory, deviceHistoryQuery } from '../../core/workers/device-history.service.js';
import { drainInput, WorkerLifecycle, workersQuery } from '../../core/workers/worker-lifecycle.service.js';
import { DeviceSpan } from '../../core/database/entities/device-minute.js';
import { Worker } from '../../core/database/entities/worker.js';
import { dtoSchema, pageSchema } from './open-api/response-schema.js';
import { Describe, Tag } from './open-api/open-api.js';

const plugins = z
  .array(pluginVersion)
  .nullable()
  .describe('its plugins that are not built in; null: it is not connected');
const workerResponse = dtoSchema(Worker, {
  also: { devices: z.array(deviceSchema), plugins: plugins },
});

@Tag('workers')
@Controller('api/v1/workers')
@Access('admin')
export class WorkerController {
  constructor(
    private readonly lifecycle: WorkerLifecycle,
    private readonly history: DeviceHistory,
  ) {}

  @Get()
  @Access('viewer')
  @Describe({
    summary: 'All known workers, by name unless ordered otherwise.',
    query: workersQuery,
    response: pageSchema(workerResponse),
  })
  async list(@Query() given: unknown): Promise<PageAnswer<WorkerDto>> {
    const { orderBy, direction, ...page } = parseInput(workersQuery, given, 'list workers');
    const found = await this.lifecycle.list(page, toOrder(orderBy, direction));
    return toPageAnswer(found, (worker) => this.toDto(worker));
  }

  @Get(':id')
  @Access('viewer')
  @Describe({ summary: 'One worker with its devices.', response: workerResponse })
  async read(@Param('id') id: string): Promise<WorkerDto> {
    return this.toDto(await this.lifecycle.find(id));
  }

  @Get(':id/device-history')
  @Access('viewer')
  @Describe({
    summary: 'What its devices did: means of equal spans of time up to now, oldest first.',
    query: deviceHistoryQuery,
    response: z.object({ spans: z.array(dtoSchema(DeviceSpan)) }),
  })
  async deviceHistory(@Param('id') id: string, @Query() given: unknown) {
    const query = parseInput(deviceHistoryQuery, given, 'read the history of devices');
    const spans = await this.history.list(id, query);
    return { spans: spans.map(({ at, devices }) => ({ at: toIsoTime(at), devices })) };
  }

  @Delete(':id')
  @Describe({ summary: 'Forgets a disconnected worker; its attempts stay.', response: workerResponse })
  async forget(@CurrentCaller() caller: Caller, @Param('id') id: string): Promise<WorkerDto> {
    return this.toDto(await this.lifecycle.forget(caller, id));
  }

  @Post(':id/drain')
  @HttpCode(200)
  @Describe({
    summary:
      'Drains a worker: it gets no new jobs. Those it has continue there, or with a deadline on other workers.',
    body: drainInput,
    isBodyOptional: true,
    response: workerResponse,
  })
  async drain(
    @CurrentCaller() caller: Caller,
    @Param('id') id: string,
    @Body() body: unknown,
  ): Promise<WorkerDto> {
    const { deadlineSeconds } = parseInput(drainInput, body, 'drain a worker');
    return this.toDto(await this.lifecycle.drain(caller, id, deadlineSeconds));
  }

  @Post(':id/undrain')
  @HttpCode(200)
  @Describe({ summary: 'Undrains a worker: it gets jobs again.', response: workerResponse })
  async undrain(@CurrentCaller() caller: Caller, @Param('id') id: string): Promise<WorkerDto> {
    return this.toDto(await this.lifecycle.undrain(caller, id));
  }

  private toDto(worker: Worker): WorkerDto {
    return { ...toWorkerDto(worker), plugins: this.lifecycle.pluginsOf(worker.id) };
  }
}

interface WorkerDto extends ReturnType<typeof toWorkerDto> {
  readonly plugins: readonly PluginVersion[] | null;
}

function toWorkerDto({ id, name, host, version, node, labels, devices, online, draining, ...times }: Worker) {
  return {
    id,
    name,
    host,
    version,
    node,
    labels,
    devices,
    online,
    draining,
    connectedAt: toIsoTime(times.connectedAt),
    lastSeenAt: toIsoTime(times.lastSeenAt),
  };
}
