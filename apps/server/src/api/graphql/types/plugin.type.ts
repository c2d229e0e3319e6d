import { IsolationEnum, PluginHealthEnum, PluginKindEnum, PluginSourceEnum } from '../enums.js';
import { JsonScalar } from '../scalars.js';
import { CataloguedPlugin } from '../../../core/plugins/catalogue-messages.js';
import { Recipe } from '../../../core/runs/recipes.service.js';
import { messageCost } from '../limits/field-costs.js';
import { describeType, enumOrNull } from './describe-type.js';

describeType(
  Recipe,
  { description: 'A run configuration that comes with Espalier, to create a run from.' },
  {
    name: [() => String, { description: 'Its path below config/runs, without the ending.' }],
    title: [() => String, { description: 'What it is, in a sentence.' }],
    description: [() => String, { description: 'What to expect of it; may be empty.' }],
    source: [() => String, { description: 'The file, for `source` of a new run.', complexity: messageCost }],
    spec: [() => JsonScalar, { description: 'The options it sets, for `spec` of a new run; not resolved.' }],
  },
);

describeType(
  CataloguedPlugin,
  {
    name: 'Plugin',
    description: 'An installed plugin: an environment, a reward, an algorithm or a model.',
  },
  {
    kind: enumOrNull(() => PluginKindEnum, 'Its kind; null for a package that could not be loaded.'),
    id: [() => String, { description: 'The value of `use:` in a spec; unique within its kind.' }],
    package: [() => String, { description: 'Name of its package.' }],
    version: [() => String, { description: 'Version of its package.' }],
    folder: [() => String, { description: 'Folder of its package on the server.' }],
    source: [() => PluginSourceEnum, { description: 'Where it comes from.' }],
    isolation: [() => IsolationEnum, { description: 'Where it runs by default.' }],
    summary: [() => String, { description: 'What it is, in a sentence.' }],
    health: [() => PluginHealthEnum, { description: 'Whether it can be used.' }],
    message: [() => String, { description: 'The fault and its remedy; empty if there is none.' }],
    schema: [() => JsonScalar, { nullable: true, description: 'JSON Schema of its options.' }],
    sha256: [() => String, { description: 'Of all files of its package, in hexadecimal.' }],
  },
);
