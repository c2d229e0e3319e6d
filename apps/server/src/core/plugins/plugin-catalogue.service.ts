/**
 * @file The plugins as the server knows them. Plugin code runs in a process of its own, which is replaced to reload it;
 * jobs are not touched by that: each training process has loaded its plugins itself.
 */
import { resolve } from 'node:path';
import { findWorkspace } from '@espalier/config/plain';
import { Inject, Injectable, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { SERVER_OPTIONS, type ServerOptions } from '../../config/server-options.js';
import { type CatalogueLink, CatalogueLost, startCatalogue } from './catalogue-link.js';
import type {
  CatalogueAnswers,
  CataloguedPlugin,
  CatalogueQuestion,
  ResolvedSpec,
  SpecRequest,
} from './catalogue-messages.js';

@Injectable()
export class PluginCatalogue implements OnApplicationBootstrap, OnApplicationShutdown {
  /** folder with plugins/ and config/plugins.yaml */
  readonly root: string;
  private readonly models: SpecRequest['models'];
  private readonly limitMs: number;
  private readonly passed: readonly string[];
  private current: Promise<CatalogueLink> | undefined;
  private isClosed = false;

  constructor(@Inject(SERVER_OPTIONS) { root, plugins, modelRoots, data }: ServerOptions) {
    this.models = { roots: modelRoots, excluded: [data] };
    this.root = root === '' ? findWorkspace() : resolve(root);
    this.limitMs = plugins.callSeconds * 1000;
    this.passed = plugins.passEnvironment;
  }

  /** Begins loading; nobody waits for it, and a failure is told to the first who asks. */
  onApplicationBootstrap(): void {
    void this.link().catch(() => undefined);
  }

  async onApplicationShutdown(): Promise<void> {
    this.isClosed = true;
    (await this.current?.catch(() => undefined))?.close();
  }

  /** @throws plugin.catalogue_unavailable; what discovering plugins throws */
  async list(): Promise<readonly CataloguedPlugin[]> {
    return this.ask({ op: 'list' });
  }

  /** The JSON Schema of a run spec, with the options of the installed plugins. @throws as `list` */
  async runSpecSchema(): Promise<Record<string, unknown>> {
    return this.ask({ op: 'schema' });
  }

  /** @throws plugin.catalogue_unavailable; every error of a spec */
  async resolve(given: Omit<SpecRequest, 'models'>): Promise<ResolvedSpec> {
    return this.ask({ op: 'resolve', request: { ...given, models: this.models } });
  }

  /** Asks again when the process ended at a question of somebody else; each such end takes that one out of the way. */
  private async ask<Q extends CatalogueQuestion>(question: Q): Promise<CatalogueAnswers[Q['op']]> {
    for (;;) {
      try {
        return await (await this.link()).ask(question, this.limitMs);
      } catch (error) {
        if (!(error instanceof CatalogueLost) || this.isClosed) throw error;
      }
    }
  }

  /**
   * Loads the plugins anew. Until that has succeeded the old process answers, and it stays when it fails.
   *
   * @throws plugin.catalogue_unavailable; what discovering plugins throws
   */
  async reload(): Promise<readonly CataloguedPlugin[]> {
    const fresh = await startCatalogue(this.root, this.limitMs, this.passed);
    const plugins = await fresh.ask({ op: 'list' }, this.limitMs);
    const old = this.current;
    this.current = Promise.resolve(fresh);
    // whoever was just given the old one may still be asking it
    void old?.then((link) => setTimeout(() => link.close(), this.limitMs).unref()).catch(() => undefined);
    if (this.isClosed) fresh.close();
    return plugins;
  }

  /** Gives the process that answers, after starting one where there is none or it has ended. */
  private async link(): Promise<CatalogueLink> {
    const present = await this.current?.catch(() => undefined);
    if (present?.isAlive === true) return present;
    const isStarting = this.starting !== undefined;
    this.starting ??= startCatalogue(this.root, this.limitMs, this.passed).finally(
      () => (this.starting = undefined),
    );
    if (!isStarting) this.current = this.starting;
    return this.starting;
  }
  private starting: Promise<CatalogueLink> | undefined;
}
