import { Column, Entity, Index, PrimaryColumn } from 'typeorm';
import { bigint } from '../columns.js';

/** An alert that a webhook is still to be told of; stored with the alert, removed when it was told. */
@Entity('webhook_delivery')
@Index('webhook_delivery_due', ['webhook', 'id'])
export class WebhookDelivery {
  @PrimaryColumn('text')
  id!: string;

  /** its name in the settings */
  @Column('text')
  webhook!: string;

  @Column('text')
  alertId!: string;

  @Column(bigint)
  createdAt!: number;
}
