import { Controller, Get, Query } from '@nestjs/common';
import { toIsoTime } from '@espalier/protocol/bounds';
import { z } from 'zod';
import { Access } from '../access/access.decorator.js';
import { type PageAnswer, toOrder, toPageAnswer } from '../../core/database/page.js';
import { AuditEntry } from '../../core/database/entities/audit-entry.js';
import { auditQuery, AuditService, type ChainReport } from '../../core/access/audit.service.js';
import { parseInput } from '../../core/input/parse-input.js';
import { dtoSchema, pageSchema } from './open-api/response-schema.js';
import { Describe, Tag } from './open-api/open-api.js';

const chainReport = z.object({
  entries: z.int(),
  brokenAt: z.int().nullable(),
}) satisfies z.ZodType<ChainReport>;

@Tag('audit')
@Controller('api/v1/audit')
@Access('admin')
export class AuditController {
  constructor(private readonly audit: AuditService) {}

  @Get()
  @Describe({
    summary: 'Who did what, or tried to; newest first unless ordered otherwise.',
    query: auditQuery,
    response: pageSchema(dtoSchema(AuditEntry, { also: { detail: z.record(z.string(), z.unknown()) } })),
  })
  async list(@Query() given: unknown): Promise<PageAnswer<Omit<AuditEntry, 'time'> & { time: string }>> {
    const query = parseInput(auditQuery, given, 'list the audit log');
    const { first, after, last, before, orderBy, direction, ...where } = query;
    const page = { first, after, last, before };
    return toPageAnswer(await this.audit.list(where, page, toOrder(orderBy, direction)), (entry) => ({
      ...entry,
      time: toIsoTime(entry.time),
    }));
  }

  @Get('check')
  @Describe({
    summary: 'Verifies the hash chain of the whole log; `brokenAt` is null if it is intact.',
    response: chainReport,
  })
  check(): Promise<ChainReport> {
    return this.audit.verify();
  }
}
