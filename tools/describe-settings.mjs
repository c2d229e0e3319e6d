/**
 * The settings of the server, from the zod schema that checks them: as a YAML file of commented defaults, and as
 * tables for the page about the server.
 */
import { z } from 'zod';
import { row } from './markdown.mjs';

const schemaOf = (schema) => z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' });

/** config/server.yaml: every setting with its default, commented out; the names of sections stand as they are. */
export function renderSettings(schema) {
  const lines = [
    '# Settings of the server. Lines such as `#port: 4500` show a default: take the # away and change it.',
    '# Every setting can also be given as a variable: access.adminKey is ESPALIER__SERVER__ACCESS__ADMINKEY.',
    '# Written by `npm run generate`; what is changed here stays only in a copy, given with --config.',
  ];
  const write = (object, defaults, indent) => {
    const options = Object.entries(object.properties ?? {});
    const isSection = ([, option]) => option.properties !== undefined;
    for (const [name, option] of options.filter((entry) => !isSection(entry))) {
      lines.push('', ...wrap(option.description ?? name, `${indent}# `));
      lines.push(`${indent}#${name}: ${yamlOf(option, defaults?.[name] ?? option.default)}`);
    }
    for (const [name, option] of options.filter(isSection)) {
      lines.push('', ...wrap(option.description ?? name, `${indent}# `), `${indent}${name}:`);
      write(option, defaults?.[name] ?? option.default ?? {}, `${indent}  `);
    }
  };
  write(schemaOf(schema), {}, '');
  return `${lines.join('\n')}\n`;
}

/** A default as YAML, short. */
function yamlOf(option, standard) {
  const value = standard ?? (option.type === 'array' ? [] : '');
  if (Array.isArray(value)) return `[${value.join(', ')}]`;
  if (typeof value === 'object')
    return `{ ${Object.entries(value)
      .map(([name, entry]) => `${name}: ${entry}`)
      .join(', ')} }`;
  return value === '' ? "''" : String(value);
}

const valueOf = (option, standard) =>
  standard === undefined
    ? option.type === 'array'
      ? '[]'
      : "''"
    : standard === ''
      ? "''"
      : JSON.stringify(standard).replaceAll('"', "'");

/** Breaks a sentence into lines of at most 110 characters. */
function wrap(text, start) {
  const lines = [];
  let line = start;
  for (const word of text.replaceAll('\n', ' ').split(' ')) {
    if (line.length + word.length > 110) {
      lines.push(line.trimEnd());
      line = start;
    }
    line += `${word} `;
  }
  return [...lines, line.trimEnd()];
}

/** Tables of all settings, one per section, in Markdown. */
export function describeSettings(schema) {
  const parts = [];
  const write = (object, path, description) => {
    const leaves = Object.entries(object.properties ?? {}).filter(
      ([, option]) => option.properties === undefined,
    );
    if (path !== '')
      parts.push(
        `## \`${path.slice(0, -1)}\``,
        description === undefined ? '' : `${description[0].toUpperCase()}${description.slice(1)}.`,
      );
    if (leaves.length > 0)
      parts.push(
        [
          row('setting', 'default', 'meaning'),
          row('---', '---', '---'),
          ...leaves.map(([name, option]) =>
            row(`\`${path}${name}\``, `\`${valueOf(option, option.default)}\``, option.description ?? ''),
          ),
        ].join('\n'),
      );
    for (const [name, option] of Object.entries(object.properties ?? {}))
      if (option.properties !== undefined) write(option, `${path}${name}.`, option.description);
  };
  write(schemaOf(schema), '', undefined);
  return parts.filter((part) => part !== '');
}
