/**
 * @file Tells webhooks of alerts. What is to be told is stored with the alert in one transaction and removed when the
 * receiver has it, so an alert is told at least once, across restarts of the server, and in order.
 */
import { setTimeout as wait } from 'node:timers/promises';
import {
  Inject,
  Injectable,
  Logger,
  type OnApplicationBootstrap,
  type OnModuleDestroy,
} from '@nestjs/common';
import { excerpt } from '@espalier/protocol';
import { type EntityManager, In, LessThan, Not } from 'typeorm';
import { SERVER_OPTIONS, type ServerOptions } from '../../../config/server-options.js';
import type { WebhookOptions } from '../../../config/webhook-options.js';
import { Clock } from '../../database/clock.js';
import { createId } from '../../database/create-id.js';
import { Alert } from '../../database/entities/alert.js';
import { Run } from '../../database/entities/run.js';
import { WebhookDelivery } from '../../database/entities/webhook-delivery.js';
import { RunLog } from '../../database/run-log.js';
import { severities, toAlertDto } from './alert.service.js';
import { NotTaken, postWebhook } from './post-webhook.js';

const firstPauseMs = 1000;
const longestPauseMs = 10 * 60_000;
/** An alert this old is no news. */
const keptMs = 24 * 3_600_000;

@Injectable()
export class WebhookService implements OnApplicationBootstrap, OnModuleDestroy {
  private readonly webhooks: readonly WebhookOptions[];
  private readonly logger = new Logger('webhooks');
  private readonly stopped = new AbortController();
  private readonly senders = new Map<string, Sender>();
  /** time of the newest delivery by its id, ms */
  private newestId = 0;

  constructor(
    @Inject(SERVER_OPTIONS) options: ServerOptions,
    private readonly log: RunLog,
    private readonly clock: Clock,
  ) {
    this.webhooks = options.webhooks;
    if (this.webhooks.length > 0) log.onAlerts((manager, alerts) => this.store(manager, alerts));
  }

  async onApplicationBootstrap(): Promise<void> {
    const names = this.webhooks.map(({ name }) => name);
    // of webhooks that are no longer in the settings
    await this.log.write('alerts', (manager) => {
      const query = manager.createQueryBuilder().delete().from(WebhookDelivery);
      return (names.length === 0 ? query : query.where({ webhook: Not(In(names)) })).execute();
    });
    for (const webhook of this.webhooks) {
      const sender: Sender = { wake: () => undefined, running: Promise.resolve() };
      this.senders.set(webhook.name, sender);
      sender.running = this.run(webhook, sender);
    }
  }

  async onModuleDestroy(): Promise<void> {
    this.stopped.abort();
    for (const { wake } of this.senders.values()) wake();
    await Promise.all([...this.senders.values()].map(({ running }) => running));
  }

  /** Counts the alerts that each webhook has not taken yet. */
  async countWaiting(): Promise<Map<string, number>> {
    const counts = this.webhooks.map(
      async ({ name: webhook }) =>
        [webhook, await this.log.read((manager) => manager.countBy(WebhookDelivery, { webhook }))] as const,
    );
    return new Map(await Promise.all(counts));
  }

  private async store(manager: EntityManager, alerts: readonly Alert[]): Promise<void> {
    const createdAt = this.clock.now();
    const news = await withoutImports(manager, alerts);
    const rows = this.webhooks.flatMap((webhook) =>
      news
        .filter((alert) => isToldOf(webhook, alert))
        .map(({ id: alertId }) => ({
          id: this.nextId(createdAt),
          webhook: webhook.name,
          alertId,
          createdAt,
        })),
    );
    if (rows.length === 0) return;
    await manager.insert(WebhookDelivery, rows);
    this.log.afterCommit(manager, () => {
      for (const name of new Set(rows.map(({ webhook }) => webhook))) this.senders.get(name)?.wake();
    });
  }

  /** Ids sort by their time: each has a millisecond of its own, so that they sort in the order in which they were made. */
  private nextId(now: number): string {
    this.newestId = Math.max(now, this.newestId + 1);
    return createId('delivery', this.newestId);
  }

  /** Sends what waits for a webhook, oldest first, until the server stops. */
  private async run(webhook: WebhookOptions, sender: Sender): Promise<void> {
    let pauseMs = 0;
    while (!this.stopped.signal.aborted) {
      // an alert that is stored from here on ends the sleep
      const sleep = createSleep((wake) => (sender.wake = wake));
      try {
        const isMore = await this.sendNext(webhook);
        if (pauseMs > 0) this.logger.log(`webhook ${webhook.name}: it answers again`);
        pauseMs = 0;
        if (!isMore) await sleep(longestPauseMs);
      } catch (error) {
        if (this.stopped.signal.aborted) return;
        if (pauseMs === 0)
          this.logger.warn(`webhook ${webhook.name}: ${describe(error)}; it is tried again for 24 hours`);
        pauseMs = Math.min(longestPauseMs, Math.max(firstPauseMs, pauseMs * 2));
        await this.pause(Math.max(pauseMs, error instanceof NotTaken ? error.pauseMs : 0));
      }
    }
  }

  /** Waits, unless the server stops. */
  private async pause(ms: number): Promise<void> {
    await wait(ms, undefined, { signal: this.stopped.signal }).catch(() => undefined);
  }

  /** Sends the oldest alert that waits. @returns false when none does */
  private async sendNext({ name, ...webhook }: WebhookOptions): Promise<boolean> {
    const found = await this.log.read(async (manager) => {
      const delivery = await manager.findOne(WebhookDelivery, {
        where: { webhook: name },
        order: { id: 'ASC' },
      });
      const alert = delivery && (await manager.findOneBy(Alert, { id: delivery.alertId }));
      const run =
        alert &&
        (await manager.findOne(Run, { where: { id: alert.runId }, select: { id: true, name: true } }));
      return { delivery, alert, run };
    });
    const { delivery, alert, run } = found;
    if (delivery === null) return false;
    // its run may have been deleted
    if (alert !== null && run !== null)
      await postWebhook(webhook, delivery.id, toMessage(alert, run), this.stopped.signal).catch(
        async (error: unknown) => {
          if (!this.stopped.signal.aborted) await this.dropOld(name);
          throw error;
        },
      );
    await this.log.write('alerts', (manager) => manager.delete(WebhookDelivery, { id: delivery.id }));
    return true;
  }

  private async dropOld(webhook: string): Promise<void> {
    const before = this.clock.now() - keptMs;
    const { affected } = await this.log.write('alerts', (manager) =>
      manager.delete(WebhookDelivery, { webhook, createdAt: LessThan(before) }),
    );
    if ((affected ?? 0) > 0)
      this.logger.error(
        `webhook ${webhook}: ${affected} alerts older than 24 hours were not told; they are in the list of alerts`,
      );
  }
}

interface Sender {
  wake: () => void;
  running: Promise<void>;
}

/** A sleep that can be ended, also before it begins. @param onCreated gets what ends it */
function createSleep(onCreated: (wake: () => void) => void): (ms: number) => Promise<void> {
  const woken = new Promise<void>((resolve) => onCreated(resolve));
  return async (ms) => {
    const timer = new AbortController();
    await Promise.race([woken, wait(ms, undefined, { signal: timer.signal }).catch(() => undefined)]);
    timer.abort();
  };
}

/** What an imported run warned of was told long ago, if at all. */
async function withoutImports(manager: EntityManager, alerts: readonly Alert[]): Promise<readonly Alert[]> {
  const id = In([...new Set(alerts.map(({ runId }) => runId))]);
  const imported = await manager.find(Run, { where: { id, state: 'importing' }, select: { id: true } });
  const ids = new Set(imported.map((run) => run.id));
  return alerts.filter(({ runId }) => !ids.has(runId));
}

const isToldOf = ({ severity, projects }: WebhookOptions, alert: Alert): boolean =>
  severities.indexOf(alert.severity) >= severities.indexOf(severity) &&
  (projects.length === 0 || projects.includes(alert.project));

/** Characters of a text: Discord refuses more than 2,000, and a message can have the log of a process behind its first line. */
const textWidth = 1000;

function excerptLine(message: string): string {
  const [line = ''] = message.split('\n', 1);
  return excerpt(line, textWidth);
}

/** `text` is what chat services show, so that their incoming webhooks can be named directly. */
function toMessage(alert: Alert, { id, name }: Pick<Run, 'id' | 'name'>): object {
  const { time, ...rest } = toAlertDto(alert);
  const step = rest.step === null ? '' : ` at step ${rest.step}`;
  return {
    type: 'alert.created',
    timestamp: time,
    data: { ...rest, time, run: { id, name } },
    text: excerptLine(`${name}${step}: ${alert.severity} ${alert.code}: ${alert.message}`),
  };
}

const describe = (error: unknown): string => (error instanceof Error ? error.message : String(error));
