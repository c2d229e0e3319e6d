const typedInto = ['INPUT', 'SELECT', 'TEXTAREA'];

/** Whether a key goes into a field or an editor, and so is no shortcut; the YAML stands in a shadow root. */
export function isTyping(event: Event): boolean {
  const [target] = event.composedPath();
  return isField(target);
}

/** Whether a field or an editor has the focus. */
export function isFieldFocused(): boolean {
  let focused = document.activeElement;
  while (focused?.shadowRoot?.activeElement) focused = focused.shadowRoot.activeElement;
  return isField(focused);
}

const isField = (target: unknown): boolean =>
  target instanceof HTMLElement && (target.isContentEditable || typedInto.includes(target.tagName));
