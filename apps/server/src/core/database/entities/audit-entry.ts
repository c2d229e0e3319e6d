import { Column, Entity, Index, PrimaryGeneratedColumn } from 'typeorm';
import { bigint, json } from '../columns.js';

@Entity('audit_entry')
@Index('audit_by_time', ['time'])
export class AuditEntry {
  @PrimaryGeneratedColumn('increment')
  id!: number;

  @Column(bigint)
  time!: number;

  @Column('text')
  keyId!: string;

  @Column('text')
  keyName!: string;

  @Column('text')
  action!: string;

  @Column('text')
  subject!: string;

  @Column('text')
  outcome!: string;

  @Column(json)
  detail!: Record<string, unknown>;

  /** sha256 over this entry and the hash of the entry before, hexadecimal */
  @Column('text')
  hash!: string;
}
