const typedInto = ['INPUT', 'SELECT', 'TEXTAREA'];

/** Whether a key goes into a field or an editor, and so is no shortcut; the YAML stands in a shadow root. */
export function isTyping(event: Event): boolean {
  const [target] = event.composedPath();
  return target instanceof HTMLElement && (target.isContentEditable || typedInto.includes(target.tagName));
}
