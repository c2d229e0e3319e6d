/** The places of an error's stack in files, as `/a.js:1:2`, the innermost first. */
export function stackPlaces({ stack = '' }: Error): string[] {
  return stack.split('\n').flatMap((line) => {
    const frame = line.trim();
    if (!frame.startsWith('at ')) return [];
    const place = frame.endsWith(')')
      ? frame.slice(frame.lastIndexOf('(') + 1, -1)
      : frame.replace(/^at (?:async )?/, '');
    return /^(?:file:\/\/|\/|[A-Z]:\\).+:\d+:\d+$/.test(place) ? [place.replace('file://', '')] : [];
  });
}
