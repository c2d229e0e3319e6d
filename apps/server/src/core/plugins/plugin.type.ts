import type { CataloguedPlugin } from './catalogue-messages.js';

export class PluginType implements CataloguedPlugin {
  kind!: string;

  id!: string;

  package!: string;

  version!: string;

  folder!: string;

  source!: 'folder' | 'package';

  isolation!: string;

  summary!: string;

  health!: 'ok' | 'broken';

  message!: string;

  schema!: Record<string, unknown> | null;

  sha256!: string;
}
