import { useQuery } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { toVisible } from '../format/visible-text.js';
import { isTyping } from '../parts/is-typing.js';
import { useSearch } from '../routing/router.js';
import { useSession } from '../session/session-context.js';
import { ViewPicker } from './view-picker.js';

/** States that a list of runs is narrowed to, as the API names them. */
export const runStates = [
  ['', 'Any state'],
  ['live', 'Live and waiting'],
  ['paused', 'Paused'],
  ['finished', 'Finished'],
  ['failed', 'Failed'],
  ['cancelled', 'Cancelled'],
] as const;

const orders = [
  ['', 'Newest first'],
  ['oldest', 'Oldest first'],
  ['ended', 'Ended last'],
  ['name', 'By name'],
] as const;

/** What the list of runs is narrowed by; all of it is in the address. */
export function RunFilters() {
  const { client } = useSession();
  const [search, setSearch] = useSearch();
  const field = useSlashKey();
  const { data: projects = [] } = useQuery({
    queryKey: ['projects'],
    meta: { what: 'the projects' },
    queryFn: async () => {
      const found: string[] = [];
      for await (const { name } of client.projects()) found.push(name);
      return found;
    },
  });
  const pick = (name: string, label: string, options: readonly (readonly [string, string])[]) => (
    <select
      aria-label={label}
      value={search.get(name) ?? ''}
      onChange={(event) => setSearch({ [name]: event.target.value })}
    >
      {options.map(([value, text]) => (
        <option key={value} value={value}>
          {text}
        </option>
      ))}
    </select>
  );
  const given = ['tag', 'group'].filter((name) => search.has(name));
  return (
    <div className="filters" role="search">
      <SearchField input={field} value={search.get('text') ?? ''} onChange={(text) => setSearch({ text })} />
      {pick('state', 'State', runStates)}
      {projects.length > 1 &&
        pick('project', 'Project', [
          ['', 'All projects'],
          ...projects.map((name) => [name, toVisible(name)] as const),
        ])}
      {pick('sort', 'Order', orders)}
      <ViewPicker />
      {given.map((name) => (
        <button key={name} aria-pressed="true" onClick={() => setSearch({ [name]: undefined })}>
          {name} {toVisible(search.get(name) ?? '')} ✕
        </button>
      ))}
    </div>
  );
}

/** Asks the server when typing has paused. */
export function SearchField({
  input,
  value,
  placeholder = 'Search name, title, id or note',
  onChange,
}: {
  readonly input: React.RefObject<HTMLInputElement>;
  readonly value: string;
  readonly placeholder?: string;
  onChange(text: string): void;
}) {
  const [text, setText] = useState(value);
  const timer = useRef<number>();
  useEffect(() => setText(value), [value]);
  return (
    <input
      ref={input}
      type="search"
      placeholder={`${placeholder}  /`}
      aria-label={placeholder}
      value={text}
      maxLength={200}
      onChange={(event) => {
        setText(event.target.value);
        window.clearTimeout(timer.current);
        timer.current = window.setTimeout(() => onChange(event.target.value), 250);
      }}
    />
  );
}

/** `/` goes to the search field, unless somebody is typing. */
export function useSlashKey(): React.RefObject<HTMLInputElement> {
  const field = useRef<HTMLInputElement>(null);
  useEffect(() => {
    const press = (event: KeyboardEvent): void => {
      if (event.key !== '/' || isTyping(event)) return;
      event.preventDefault();
      field.current?.focus();
    };
    document.addEventListener('keydown', press);
    return () => document.removeEventListener('keydown', press);
  }, []);
  return field;
}
