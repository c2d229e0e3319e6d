import { Field, ObjectType } from '@nestjs/graphql';
import { JsonScalar } from '../graphql/scalars.js';
import type { CataloguedPlugin } from './catalogue-messages.js';

@ObjectType('Plugin', {
  description: 'An installed plugin: an environment, a reward, an algorithm or a model.',
})
export class PluginType implements CataloguedPlugin {
  @Field(() => String, {
    description:
      '`environment`, `reward`, `algorithm` or `model`; empty for a package that could not be loaded.',
  })
  kind!: string;

  @Field(() => String, { description: 'What stands behind `use:` in a spec; unique within its kind.' })
  id!: string;

  @Field(() => String, { description: 'Name of its package.' })
  package!: string;

  @Field(() => String, { description: 'Version of its package.' })
  version!: string;

  @Field(() => String, { description: 'Folder of its package on the server.' })
  folder!: string;

  @Field(() => String, {
    description: '`folder`: a folder under plugins/; `package`: named in config/plugins.yaml.',
  })
  source!: 'folder' | 'package';

  @Field(() => String, { description: 'Where it runs unless a spec says otherwise: `none` or `process`.' })
  isolation!: string;

  @Field(() => String, { description: 'What it is, in a sentence.' })
  summary!: string;

  @Field(() => String, { description: '`ok` or `broken`.' })
  health!: 'ok' | 'broken';

  @Field(() => String, { description: 'What is wrong with it and what to do; empty when it is well.' })
  message!: string;

  @Field(() => JsonScalar, { nullable: true, description: 'JSON Schema of its options.' })
  schema!: Record<string, unknown> | null;

  @Field(() => String, { description: 'Of all files of its package, in hexadecimal.' })
  sha256!: string;
}
