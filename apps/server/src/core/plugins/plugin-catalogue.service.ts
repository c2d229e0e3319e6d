/**
 * @file The catalogue of installed plugins. Plugin code runs in a separate process, which is replaced to reload it; that does
 * not affect jobs, as each training process loads its plugins itself.
 */
import { resolve } from 'node:path';
import { findWorkspace } from '@espalier/config/plain';
import { Inject, Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { SERVER_OPTIONS, type ServerOptions } from '../../config/server-options.js';
import { type CatalogueLink, CatalogueLost, startCatalogue } from './catalogue-link.js';
import type {
  CatalogueResponses,
  CataloguedPlugin,
  CatalogueRequest,
  PlayedState,
  PlayRequest,
  ResolvedSpec,
  SpecRequest,
} from './catalogue-messages.js';

@Injectable()
export class PluginCatalogue implements OnApplicationShutdown {
  /** folder with plugins/ and config/plugins.yaml */
  readonly root: string;
  private readonly models: SpecRequest['models'];
  private readonly limitMs: number;
  private readonly passEnvironment: readonly string[];
  private current: Promise<CatalogueLink> | undefined;
  private starting: Promise<CatalogueLink> | undefined;
  /** ends every process of the catalogue, one that still loads too */
  private readonly closing = new AbortController();

  constructor(@Inject(SERVER_OPTIONS) { root, plugins, modelRoots, data }: ServerOptions) {
    this.models = { roots: modelRoots, excluded: [data] };
    this.root = root === '' ? findWorkspace() : resolve(root);
    this.limitMs = plugins.callSeconds * 1000;
    this.passEnvironment = plugins.passEnvironment;
  }

  /** Starts loading in the background, before anybody asks; a failure is reported to the first request. */
  preload(): void {
    void this.link().catch(() => undefined);
  }

  onApplicationShutdown(): void {
    this.closing.abort();
  }

  /** @throws plugin.catalogue_unavailable; what discovering plugins throws */
  async list(): Promise<readonly CataloguedPlugin[]> {
    return this.send({ op: 'list' });
  }

  /** The JSON Schema of a run spec, with the options of the installed plugins. @throws as `list` */
  async runSpecSchema(): Promise<Record<string, unknown>> {
    return this.send({ op: 'schema' });
  }

  /** @throws plugin.catalogue_unavailable; every error of a spec */
  async resolve(spec: Omit<SpecRequest, 'models'>): Promise<ResolvedSpec> {
    return this.send({ op: 'resolve', spec: { ...spec, models: this.models } });
  }

  /** Plays a trajectory on by hand. @throws plugin.catalogue_unavailable; rollout.not_repeatable; what the environment throws */
  async play(play: PlayRequest): Promise<PlayedState> {
    return this.send({ op: 'play', play });
  }

  /** Retries when the process ended because of another request, which fails and is not retried. */
  private async send<Q extends CatalogueRequest>(request: Q): Promise<CatalogueResponses[Q['op']]> {
    for (;;) {
      try {
        return await (await this.link()).send(request, this.limitMs);
      } catch (error) {
        if (!(error instanceof CatalogueLost) || this.closing.signal.aborted) throw error;
      }
    }
  }

  /**
   * Reloads the plugins. The old process serves requests until that has succeeded, and stays if it fails.
   *
   * @throws plugin.catalogue_unavailable; what discovering plugins throws
   */
  async reload(): Promise<readonly CataloguedPlugin[]> {
    const fresh = await this.start();
    const plugins = await fresh.send({ op: 'list' }, this.limitMs);
    const old = this.current;
    this.current = Promise.resolve(fresh);
    // requests to the old one may be pending
    void old?.then((link) => setTimeout(() => link.close(), this.limitMs).unref()).catch(() => undefined);
    return plugins;
  }

  /** Returns the current process, after starting one if there is none or it has ended. */
  private async link(): Promise<CatalogueLink> {
    const current = await this.current?.catch(() => undefined);
    if (current?.isAlive === true) return current;
    const isStarting = this.starting !== undefined;
    this.starting ??= this.start().finally(() => (this.starting = undefined));
    if (!isStarting) this.current = this.starting;
    return this.starting;
  }

  private start(): Promise<CatalogueLink> {
    return startCatalogue(this.root, this.limitMs, this.passEnvironment, this.closing.signal);
  }
}
