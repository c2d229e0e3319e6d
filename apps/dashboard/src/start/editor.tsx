/**
 * @file The editor of a spec: YAML with completion from the JSON Schema and marks where the server refuses something. It
 * stands in a shadow root, where CodeMirror adopts its styles, as the policy of the server allows no style elements.
 */
import { autocompletion, type CompletionContext, type CompletionResult } from '@codemirror/autocomplete';
import { defaultKeymap, history, historyKeymap } from '@codemirror/commands';
import { yaml } from '@codemirror/lang-yaml';
import { HighlightStyle, syntaxHighlighting } from '@codemirror/language';
import { type Diagnostic, lintGutter, setDiagnostics } from '@codemirror/lint';
import { EditorState } from '@codemirror/state';
import { EditorView, keymap, lineNumbers } from '@codemirror/view';
import { tags } from '@lezer/highlight';
import { useEffect, useRef } from 'react';
import type { SpecProblem } from './problems.js';
import { hintOf, pluginsOf, type Schema, schemaAt } from './spec-schema.js';
import { readSpec } from './spec-text.js';
import { contextAt, wordBefore } from './yaml-context.js';

interface Props {
  readonly text: string;
  readonly schema: Schema;
  readonly problems: readonly SpecProblem[];
  onChange(text: string): void;
}

const theme = EditorView.theme({
  '&': { height: '100%', background: 'var(--surface)', color: 'var(--text)', fontSize: '13px' },
  '&.cm-focused': { outline: 'none' },
  '.cm-scroller': { fontFamily: 'var(--mono)', lineHeight: '1.55' },
  '.cm-content': { caretColor: 'var(--text)', padding: '8px 0' },
  '.cm-cursor': { borderLeftColor: 'var(--text)' },
  '.cm-gutters': { background: 'var(--surface)', color: 'var(--faint)', border: 'none' },
  '.cm-selectionBackground, &.cm-focused .cm-selectionBackground': { background: 'var(--accent-soft)' },
  '.cm-tooltip': {
    border: '1px solid var(--line-strong)',
    borderRadius: '6px',
    background: 'var(--raised)',
    color: 'var(--text)',
  },
  '.cm-tooltip-autocomplete ul li[aria-selected]': { background: 'var(--accent-soft)', color: 'var(--text)' },
  '.cm-completionInfo': { maxWidth: '320px', padding: '8px 10px', fontFamily: 'var(--sans)' },
  '.cm-completionDetail': { color: 'var(--muted)', fontStyle: 'normal' },
  '.cm-diagnostic-error': { borderLeftColor: 'var(--bad)' },
  '.cm-lintRange-error': {
    backgroundImage: 'none',
    textDecoration: 'underline wavy var(--bad)',
    textUnderlineOffset: '3px',
  },
});
const highlight = HighlightStyle.define([
  { tag: tags.propertyName, color: 'var(--accent)' },
  { tag: [tags.string, tags.special(tags.string)], color: 'var(--info)' },
  { tag: tags.comment, color: 'var(--muted)', fontStyle: 'italic' },
  { tag: [tags.number, tags.bool, tags.null], color: 'var(--data-2)' },
]);

/** Keys that are not there yet, or values that an option may have. */
export function complete(
  text: string,
  offset: number,
  schema: Schema,
): Pick<CompletionResult, 'from' | 'options'> | undefined {
  const { path, key, word } = contextAt(text, offset);
  const value = readSpec(text) ?? readSpec(withoutLine(text, offset)) ?? {};
  const here = schemaAt(schema, path, value);
  const from = offset - word.length;
  if (key !== undefined) {
    const own = schemaAt(schema, [...path, key], value) ?? here?.properties?.[key];
    const outer = path.length === 0 ? schema : rawSchemaAt(schema, path, value);
    const values =
      key === 'use' ? pluginsOf(outer) : own?.type === 'boolean' ? ['true', 'false'] : (own?.enum ?? []);
    return { from, options: values.map((one) => ({ label: String(one), type: 'constant' })) };
  }
  const present = path.reduce<unknown>(
    (at, step) => (at as Record<string, unknown> | undefined)?.[step],
    value,
  );
  const known = new Set(typeof present === 'object' && present !== null ? Object.keys(present) : []);
  const isChoice = here?.properties === undefined && pluginsOf(here).length > 0;
  const properties = isChoice ? { use: { description: 'which plugin' } } : (here?.properties ?? {});
  const options = Object.entries(properties)
    .filter(([name]) => name === word || !known.has(name))
    .map(([name, option]) => ({
      label: name,
      type: 'property',
      apply: `${name}: `,
      detail: hintOf(option as Schema),
      ...(option.description === undefined ? {} : { info: option.description }),
    }));
  return { from, options };
}

/** The choice itself, before a branch is taken. */
function rawSchemaAt(schema: Schema, path: readonly (string | number)[], value: unknown): Schema | undefined {
  const outer = path.slice(0, -1);
  const last = path.at(-1) ?? '';
  const above = schemaAt(schema, outer, value);
  return typeof last === 'number' ? above?.items : above?.properties?.[last];
}

function withoutLine(text: string, offset: number): string {
  const start = text.lastIndexOf('\n', offset - 1) + 1;
  const end = text.indexOf('\n', offset);
  return text.slice(0, start) + (end === -1 ? '' : text.slice(end + 1));
}

export default function Editor({ text, schema, problems, onChange }: Props) {
  const place = useRef<HTMLDivElement>(null);
  const view = useRef<EditorView>();
  const newest = useRef({ schema, onChange });
  newest.current = { schema, onChange };
  const first = useRef(text);
  useEffect(() => {
    if (place.current === null) return undefined;
    const root = place.current.shadowRoot ?? place.current.attachShadow({ mode: 'open' });
    const source = (context: CompletionContext) => {
      const found = complete(context.state.doc.toString(), context.pos, newest.current.schema);
      const isAsked = context.explicit || wordBefore(context.state.doc.sliceString(0, context.pos)) !== '';
      return found === undefined || found.options.length === 0 || !isAsked ? null : found;
    };
    const editor = new EditorView({
      root,
      parent: root,
      state: EditorState.create({
        doc: first.current,
        extensions: [
          lineNumbers(),
          EditorView.lineWrapping,
          history(),
          yaml(),
          lintGutter(),
          autocompletion({ override: [source] }),
          keymap.of([...defaultKeymap, ...historyKeymap]),
          syntaxHighlighting(highlight),
          theme,
          EditorView.contentAttributes.of({ 'aria-label': 'Configuration as YAML', tabindex: '0' }),
          EditorView.updateListener.of((update) => {
            if (update.docChanged) newest.current.onChange(update.state.doc.toString());
          }),
        ],
      }),
    });
    view.current = editor;
    return () => editor.destroy();
  }, []);
  useEffect(() => {
    const editor = view.current;
    if (editor === undefined || editor.state.doc.toString() === text) return;
    editor.dispatch({ changes: { from: 0, to: editor.state.doc.length, insert: text } });
  }, [text]);
  useEffect(() => {
    const editor = view.current;
    if (editor === undefined) return;
    const { doc } = editor.state;
    const marks = problems.map(({ line, column, message }): Diagnostic => {
      const at = doc.line(Math.min(Math.max(1, line), doc.lines));
      const from = Math.min(at.from + column - 1, at.to);
      return { from, to: Math.max(from, at.to), severity: 'error', message };
    });
    editor.dispatch(setDiagnostics(editor.state, marks));
  }, [problems, text]);
  return <div ref={place} className="editor" />;
}
