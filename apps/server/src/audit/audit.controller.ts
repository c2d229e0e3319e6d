import { Controller, Get, Query } from '@nestjs/common';
import { ApiBearerAuth, ApiOperation, ApiTags } from '@nestjs/swagger';
import { Access } from '../access/access.decorator.js';
import { type Page, pageQuery, type PageQuery } from '../graphql/page.js';
import type { AuditEntry } from './audit-entry.entity.js';
import { AuditService, type ChainReport } from './audit.service.js';

@ApiTags('audit')
@ApiBearerAuth()
@Controller('api/v1/audit')
@Access('admin')
export class AuditController {
  constructor(private readonly audit: AuditService) {}

  @Get()
  @ApiOperation({ summary: 'Who did what, or tried to; newest first.' })
  list(@Query({ schema: pageQuery }) { first, after }: PageQuery): Promise<Page<AuditEntry>> {
    return this.audit.list(first, after);
  }

  @Get('check')
  @ApiOperation({ summary: 'Follows the hashes of the whole log; `brokenAt` is null when all is well.' })
  check(): Promise<ChainReport> {
    return this.audit.verify();
  }
}
