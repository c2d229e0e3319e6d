import { Args, Field, ID, Int, ObjectType, Query, Resolver } from '@nestjs/graphql';
import { Access } from '../access/access.decorator.js';
import { type Page } from '../../core/database/page.js';
import { connectionOf, orderOf, PageArgs } from './connection.js';
import { parseInput } from '../../core/input/parse-input.js';
import { AuditEntry } from '../../core/database/entities/audit-entry.js';
import { auditConditions, auditOrderFields, AuditService } from '../../core/access/audit.service.js';
import { inputOfSchema } from './types/from-schema.js';

const AuditEntryConnection = connectionOf(AuditEntry, 'AuditEntry');
const AuditEntryOrder = orderOf('AuditEntry', auditOrderFields);
type AuditEntryOrder = InstanceType<typeof AuditEntryOrder>;

const AuditFilter = inputOfSchema(
  'AuditFilter',
  'Which entries; all conditions hold at once.',
  auditConditions,
  { keyId: ID },
);
type AuditFilter = InstanceType<typeof AuditFilter>;

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
    description: 'Who did what, or tried to. Needs an admin key.',
  })
  async auditLog(
    @Args() page: PageArgs,
    @Args('filter', { type: () => AuditFilter, nullable: true, description: 'Which; default: all.' })
    filter: AuditFilter | null | undefined,
    @Args('orderBy', { type: () => AuditEntryOrder, nullable: true, description: 'Default: newest first.' })
    orderBy: AuditEntryOrder | null | undefined,
  ): Promise<Page<AuditEntry>> {
    const where = parseInput(auditConditions, filter, 'list the audit log');
    return this.audit.list(where, page, orderBy ?? undefined);
  }

  @Query(() => AuditCheck, {
    nullable: true,
    description: 'Follows the hashes of the whole audit log. Needs an admin key.',
  })
  auditCheck(): Promise<AuditCheck> {
    return this.audit.verify();
  }
}
