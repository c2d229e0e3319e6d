import { Args, Field, Int, ObjectType, Query, Resolver } from '@nestjs/graphql';
import { Access } from '../access/access.decorator.js';
import { type Page } from '../../core/database/page.js';
import { connectionOf, PageArgs } from './connection.js';
import { AuditEntry } from '../../core/database/entities/audit-entry.js';
import { AuditService } from '../../core/access/audit.service.js';

const AuditEntryConnection = connectionOf(AuditEntry, 'AuditEntry');

@ObjectType({ description: 'Whether the audit log is as it was written.' })
export class AuditCheck {
  @Field(() => Int, { description: 'Entries that follow from those before.' })
  entries!: number;

  @Field(() => Int, {
    nullable: true,
    description: 'Id of the first entry that was changed, or before which one is missing; null: all is well.',
  })
  brokenAt!: number | null;
}

@Resolver(() => AuditEntry)
@Access('admin')
export class AuditResolver {
  constructor(private readonly audit: AuditService) {}

  @Query(() => AuditEntryConnection, {
    nullable: true,
    description: 'Who did what, or tried to; newest first. Needs an admin key.',
  })
  auditLog(@Args() page: PageArgs): Promise<Page<AuditEntry>> {
    return this.audit.list(page);
  }

  @Query(() => AuditCheck, {
    nullable: true,
    description: 'Follows the hashes of the whole audit log. Needs an admin key.',
  })
  auditCheck(): Promise<AuditCheck> {
    return this.audit.verify();
  }
}
