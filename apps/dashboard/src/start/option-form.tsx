/** @file The options of a spec as fields, made from its JSON Schema. A field that is empty leaves its option out. */
import { useEffect, useState } from 'react';
import { formatCount } from '../format/numbers.js';
import { toVisible } from '../format/visible-text.js';
import type { SpecProblem } from './problems.js';
import {
  chosenBranch,
  type FieldKind,
  hintOf,
  isCommaList,
  kindOf,
  pluginsOf,
  readField,
  type Schema,
} from './spec-schema.js';

type Path = readonly (string | number)[];
type Value = Readonly<Record<string, unknown>>;

interface Shared {
  readonly problems: readonly SpecProblem[];
  readonly isFull: boolean;
  set(path: Path, value: unknown): void;
}

interface FormProps extends Shared {
  readonly schema: Schema;
  readonly value: Value;
}

const isRecord = (value: unknown): value is Value =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** What people set most, first; the rest as the schema has it. */
const first = [
  'name',
  'steps',
  'seed',
  'model',
  'environment',
  'algorithm',
  'rewards',
  'rollout',
  'optimizer',
  'update',
];

export function OptionForm({ schema, value, ...shared }: FormProps) {
  const names = Object.keys(schema.properties ?? {});
  const order = [
    ...first.filter((name) => names.includes(name)),
    ...names.filter((name) => !first.includes(name)),
  ];
  const simple = order.filter((name) => !isSection(schema.properties?.[name]));
  return (
    <div className="option-form">
      <fieldset>
        <legend>Run</legend>
        {simple.map((name) => (
          <Option
            key={name}
            path={[name]}
            schema={schema.properties?.[name] ?? {}}
            value={value[name]}
            {...shared}
          />
        ))}
      </fieldset>
      {order
        .filter((name) => !simple.includes(name))
        .map((name) => (
          <Section
            key={name}
            path={[name]}
            schema={schema.properties?.[name] ?? {}}
            value={value[name]}
            {...shared}
          />
        ))}
    </div>
  );
}

/** Kinds that have options of their own. */
const grouped: readonly string[] = ['section', 'plugin', 'plugins'];
const isSection = (schema: Schema = {}): boolean => [...grouped, 'other'].includes(kindOf(schema));

interface PartProps extends Shared {
  readonly path: Path;
  readonly schema: Schema;
  readonly value: unknown;
}

/** A group of options: those that are set, and the others on demand. */
export function Section({ path, schema, value, ...shared }: PartProps) {
  const [isOpen, setOpen] = useState(false);
  const plugins = pluginsOf(schema);
  const branch = chosenBranch(schema, value);
  const record = isRecord(value) ? value : {};
  const all = Object.keys(branch.properties ?? {}).filter((name) => name !== 'use');
  const set = all.filter((name) => name in record);
  const hasProblem = shared.problems.some((one) => one.path.startsWith(path.join('.')));
  const isWhole = isOpen || shared.isFull || hasProblem;
  if (kindOf(schema) === 'plugins')
    return <PluginList path={path} schema={schema} value={value} {...shared} />;
  if (kindOf(schema) === 'other')
    return (
      <fieldset>
        <legend title={schema.description}>{toVisible(path.join('.'))}</legend>
        <Raw value={value} />
      </fieldset>
    );
  if (plugins.length === 0 && set.length === 0 && !isWhole)
    return (
      <fieldset className="folded">
        <legend>{toVisible(path.join('.'))}</legend>
        <More count={all.length} isOpen={false} onToggle={() => setOpen(true)} about={schema.description} />
      </fieldset>
    );
  const shown = isWhole ? all : set;
  return (
    <fieldset>
      <legend title={schema.description}>{toVisible(path.join('.'))}</legend>
      {plugins.length > 0 && <PluginChoice path={path} plugins={plugins} value={record} {...shared} />}
      {shown.map((name) => {
        const own = branch.properties?.[name] ?? {};
        const props = { path: [...path, name], schema: own, value: record[name], ...shared };
        return grouped.includes(kindOf(own)) ? (
          <Section key={name} {...props} />
        ) : (
          <Option key={name} {...props} />
        );
      })}
      {all.length > set.length && !shared.isFull && (
        <More
          count={all.length - set.length}
          isOpen={isOpen}
          onToggle={() => setOpen(!isOpen)}
          about={undefined}
        />
      )}
    </fieldset>
  );
}

/** Such as the rewards: those that are set, or the defaults, which a change begins with. */
function PluginList({ path, schema, value, ...shared }: PartProps) {
  const held = listOf(value);
  const standard = listOf(schema.default);
  const [first = ''] = pluginsOf(schema.items);
  return (
    <fieldset>
      <legend title={schema.description}>{toVisible(path.join('.'))}</legend>
      {held.length === 0 && standard.length > 0 && (
        <p className="small faint">default: {standard.map(({ use }) => toVisible(String(use))).join(', ')}</p>
      )}
      <PluginRows
        path={path}
        values={held}
        schema={schema.items ?? {}}
        remove={(at) => {
          const left = held.filter((_, index) => index !== at);
          shared.set(path, left.length === 0 ? undefined : left);
        }}
        {...shared}
      />
      <button
        type="button"
        onClick={() => shared.set(path, [...(held.length === 0 ? standard : held), { use: first }])}
      >
        Add a {nounOf(path)}
      </button>
    </fieldset>
  );
}

const listOf = (value: unknown): readonly Value[] => (Array.isArray(value) ? value.filter(isRecord) : []);
/** Of one of a list. */
const nounOf = (path: Path): string => toVisible(String(path.at(-1)).replace(/s$/, ''));

interface RowsProps extends Shared {
  readonly path: Path;
  readonly values: readonly Value[];
  /** of one of them */
  readonly schema: Schema;
  remove(at: number): void;
}

/** Plugins one under the other, with the options of each. */
export function PluginRows({ path, values, schema, remove, ...shared }: RowsProps) {
  const noun = nounOf(path);
  const title = `${noun.slice(0, 1).toUpperCase()}${noun.slice(1)}`;
  return values.map((value, at) => (
    <div key={at} className="reward-row" role="group" aria-label={`${title} ${at + 1}`}>
      <div className="row between">
        <b>
          {title} {at + 1}
        </b>
        <button type="button" className="plain" onClick={() => remove(at)}>
          Remove
        </button>
      </div>
      <Section path={[...path, at]} schema={schema} value={value} {...shared} />
    </div>
  ));
}

interface MoreProps {
  readonly count: number;
  readonly isOpen: boolean;
  readonly about: string | undefined;
  onToggle(): void;
}

function More({ count, isOpen, about, onToggle }: MoreProps) {
  return (
    <div className="row">
      <button type="button" className="plain" onClick={onToggle} aria-expanded={isOpen}>
        {isOpen
          ? 'Show only what is set'
          : `${formatCount(count, 'more option')} at ${count === 1 ? 'its default' : 'their defaults'}`}
      </button>
      {about !== undefined && <span className="small faint">{toVisible(about)}</span>}
    </div>
  );
}

/** Another plugin has other options, so those of the old one go. */
function PluginChoice({
  path,
  plugins,
  value,
  set,
}: Shared & { path: Path; plugins: readonly string[]; value: Value }) {
  const use = typeof value['use'] === 'string' ? value['use'] : '';
  const id = `option-${path.join('-')}-use`;
  const others = Object.keys(value)
    .filter((key) => key !== 'use')
    .join(', ');
  return (
    <div className="field">
      <label htmlFor={id}>plugin</label>
      <select
        id={id}
        value={use}
        onChange={({ target }) => set(path, target.value === '' ? undefined : { use: target.value })}
      >
        {(use === '' || !plugins.includes(use)) && (
          <option value={use}>{use === '' ? (others === '' ? 'default' : `by ${others}`) : use}</option>
        )}
        {plugins.map((plugin) => (
          <option key={plugin}>{plugin}</option>
        ))}
      </select>
    </div>
  );
}

function Option({ path, schema, value, problems, set }: PartProps) {
  const kind = kindOf(schema);
  const own = problems.filter((problem) => problem.path === path.join('.'));
  const id = `option-${path.join('-')}`;
  const props = { id, kind, schema, value, isBad: own.length > 0, onSet: (next: unknown) => set(path, next) };
  return (
    <div className="field" data-option={path.join('.')}>
      <label htmlFor={id}>{toVisible(String(path.at(-1)))}</label>
      {kind === 'other' || (kind === 'strings' && value !== undefined && !isCommaList(value)) ? (
        <Raw value={value} />
      ) : kind === 'choice' || kind === 'boolean' ? (
        <Choice {...props} />
      ) : (
        <Typed {...props} />
      )}
      <p className="about">{toVisible(schema.description ?? '')}</p>
      {own.map(({ message }) => (
        <p key={message} className="bad" role="alert">
          {toVisible(message)}
        </p>
      ))}
    </div>
  );
}

interface FieldProps {
  readonly id: string;
  readonly kind: FieldKind;
  readonly schema: Schema;
  readonly value: unknown;
  readonly isBad: boolean;
  onSet(value: unknown): void;
}

function Choice({ id, kind, schema, value, isBad, onSet }: FieldProps) {
  const options = kind === 'boolean' ? ['true', 'false'] : (schema.enum ?? []).map(String);
  const hint = hintOf(schema);
  return (
    <select
      id={id}
      aria-invalid={isBad}
      value={value === undefined ? '' : String(value)}
      onChange={({ target }) => onSet(readField(kind, target.value))}
    >
      <option value="">{hint === '' ? 'default' : `default: ${hint}`}</option>
      {options.map((option) => (
        <option key={option}>{option}</option>
      ))}
    </select>
  );
}

/** What is typed is kept as it stands until the field is left. */
function Typed({ id, kind, schema, value, isBad, onSet }: FieldProps) {
  const given =
    value === undefined || value === null
      ? ''
      : isCommaList(value)
        ? value.join(', ')
        : typeof value === 'object'
          ? JSON.stringify(value)
          : String(value);
  const [text, setText] = useState(given);
  useEffect(() => setText(given), [given]);
  const apply = (): void => {
    if (text !== given) onSet(readField(kind, text));
  };
  return (
    <input
      id={id}
      aria-invalid={isBad}
      inputMode={kind === 'number' ? 'decimal' : undefined}
      placeholder={hintOf(schema) || (kind === 'strings' ? 'default; separated by commas' : 'default')}
      value={text}
      onChange={({ target }) => setText(target.value)}
      onBlur={apply}
      onKeyDown={(event) => event.key === 'Enter' && apply()}
    />
  );
}

function Raw({ value }: { readonly value: unknown }) {
  return (
    <span className="raw">
      {value === undefined ? (
        <span className="faint">not set</span>
      ) : (
        <code>{toVisible(JSON.stringify(value))}</code>
      )}
      <span className="small faint"> edited in the YAML</span>
    </span>
  );
}
