/**
 * The page of options: every option of runs and warm starts with type, default, range, unit and meaning, from the
 * JSON Schema of the zod schemas that check them. Options of plugins are on a page of their own.
 */
import { continuedWarmStartSchema, runSpecSchema, warmStartSpecSchema } from '@espalier/contracts';
import { z } from 'zod';
import { row } from './markdown.mjs';

const unbounded = Number.MAX_SAFE_INTEGER;
const schemaOf = (schema) => z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' });

/** The page in Markdown, without its heading. */
export function describeOptions() {
  const warmStart = schemaOf(warmStartSpecSchema);
  const { default: longer } = warmStart.properties.optimizer.properties.learningRate;
  const { default: shorter } =
    schemaOf(continuedWarmStartSchema).properties.optimizer.properties.learningRate;
  warmStart.properties.optimizer.properties.learningRate.default = `${longer} or ${shorter}`;
  return [
    'Every option of a run (`train`, `eval`, `plan`) and of a warm start (`warm-start`). A file holds only what differs from the default; `--set path=value` changes one option; `npm run cli -- plan <config>` shows all of a run with the source of each value. Keys next to `use:` are options of [plugins](plugins.md).',
    '## Options of a run',
    ...sections(schemaOf(runSpecSchema)),
    '## Options of a warm start',
    'How it is used: [warm-start a model for your environment](../use/warm-start.md).',
    ...sections(warmStart),
  ];
}

/** A table of the leaves of an object, then one section per object in it. */
function sections(schema, path = '') {
  const entries = Object.entries(schema.properties ?? {}).filter(([name]) => !isChoice(schema, name));
  const inner = entries.filter(([, option]) => childOf(option) !== undefined);
  const leaves = entries.filter(([, option]) => childOf(option) === undefined);
  const rows = leaves.map(([name, option]) => describe(name, option, schema.required?.includes(name)));
  const head = [row('option', 'type', 'default', 'range', 'unit', 'meaning'), row(...Array(6).fill('---'))];
  return [
    ...(rows.length === 0 ? [] : [[...head, ...rows].join('\n')]),
    ...inner.flatMap(([name, option]) => {
      const isList = option.type === 'array';
      const title = `${path}${name}${isList ? '[]' : ''}`;
      return [`### \`${title}\``, sentence(option.description), ...sections(childOf(option), `${title}.`)];
    }),
  ];
}

/** Inside a list of choices, `use` is the plugin's name; inside a choice itself the parent determines it. */
const isChoice = (schema, name) => name === 'use' && Object.keys(schema.properties).length === 1;

/** The object whose options get a section of their own. */
function childOf(option) {
  const child = option.type === 'array' ? option.items : option;
  const names = Object.keys(child?.properties ?? {});
  return names.length > 0 && !(names.length === 1 && names[0] === 'use') ? child : undefined;
}

function describe(name, option, isRequired) {
  const standard = option.default === undefined ? (isRequired ? 'required' : '') : code(option.default);
  return row(
    `\`${name}\``,
    typeOf(option),
    standard,
    rangeOf(option),
    option.unit ?? option.items?.unit ?? '',
    option.description ?? '',
  );
}

const code = (value) => `\`${typeof value === 'string' ? value : JSON.stringify(value)}\``;
const sentence = (text = '') => (text === '' ? '' : `${text[0].toUpperCase()}${text.slice(1)}.`);

function typeOf({ type, enum: names, items, properties }) {
  if (names !== undefined) return names.map(code).join(', ');
  if (type === 'array') return `list of ${typeOf(items)}`;
  if (properties?.use !== undefined) return 'plugin: `{ use: … }`';
  return { integer: 'integer', boolean: '`true`, `false`' }[type] ?? (type === 'string' ? 'text' : type);
}

function rangeOf({ minimum, maximum, exclusiveMinimum, exclusiveMaximum, pattern, minItems }) {
  if (pattern !== undefined) return code(pattern);
  if (minItems !== undefined) return `at least ${minItems}`;
  return [
    minimum !== undefined && minimum > -unbounded ? `≥ ${minimum}` : '',
    exclusiveMinimum !== undefined ? `> ${exclusiveMinimum}` : '',
    maximum !== undefined && maximum < unbounded ? `≤ ${maximum}` : '',
    exclusiveMaximum !== undefined ? `< ${exclusiveMaximum}` : '',
  ]
    .filter(Boolean)
    .join(', ');
}
