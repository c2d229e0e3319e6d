/** The file positions of an error's stack, such as `/a.js:1:2`, innermost first. */
export function stackLocations({ stack = '' }: Error): string[] {
  return stack.split('\n').flatMap((line) => {
    const frame = line.trim();
    if (!frame.startsWith('at ')) return [];
    const location = frame.endsWith(')')
      ? frame.slice(frame.lastIndexOf('(') + 1, -1)
      : frame.replace(/^at (?:async )?/, '');
    return /^(?:file:\/\/|\/|[A-Z]:\\).+:\d+:\d+$/.test(location) ? [location.replace('file://', '')] : [];
  });
}
