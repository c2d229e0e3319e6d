/** @file 200 texts that run something, or hide what stands around them, where text becomes markup or a terminal reads it. */

const bases = [
  '<script>window.pwned=1</script>',
  '<img src=x onerror="window.pwned=1">',
  '<svg/onload=window.pwned=1>',
  '"><script>window.pwned=1</script>',
  "';window.pwned=1;//",
  'javascript:window.pwned=1',
  '<iframe srcdoc="<script>parent.pwned=1</script>"></iframe>',
  '</pre></title><script>window.pwned=1</script>',
  '<a href="javascript:window.pwned=1">x</a>',
  '{{constructor.constructor("window.pwned=1")()}}',
  '${window.pwned=1}',
  '<style>*{display:none}</style>',
  '<base href="https://evil.example/">',
  '<meta http-equiv="refresh" content="0;url=https://evil.example/">',
  '<form action="https://evil.example/"><button>x</button></form>',
  '&lt;script&gt;window.pwned=1&lt;/script&gt;',
  '\u001b[2J\u001b]0;title\u0007',
  '\u202egnp.exe\u2066',
  'in\u200bvis\ufeffible\u0000',
  '<details open ontoggle=window.pwned=1>',
];
/** Where a payload may stand: after what closes an element, an attribute or a comment, or among control characters. */
const places: readonly ((payload: string) => string)[] = [
  (payload) => payload,
  (payload) => `">${payload}`,
  (payload) => `'>${payload}`,
  (payload) => `--><!--${payload}`,
  (payload) => `</textarea>${payload}`,
  (payload) => `</script>${payload}`,
  (payload) => `<b title="${payload}`,
  (payload) => `&#x3c;${payload}`,
  (payload) => `\u001b[31m${payload}\u001b[0m`,
  (payload) => `${payload}\u0000\u0008`,
];
/** 200 of them. */
export const payloads = places.flatMap((place) => bases.map(place));
/** It has no control or format character, so that it stands on the page as it is. */
export const isVisible = (text: string): boolean => !/[\p{Cc}\p{Cf}]/u.test(text);

/** Counts what payloads would have made of a page, evaluated in it: whether one ran, and elements that no view makes. */
export const inspectPage = `[window.pwned, document.querySelectorAll('#page script, #page iframe, #page style, #page base, #page meta, #page form[action], #page a[href^="javascript"], #page img:not([src^="data:image/png"])').length]`;

/**
 * Texts of a page, tooltips and labels too, with a control or format character that is no mark; evaluated in it. A field
 * holds what is edited as it is.
 */
export const findHidden = String.raw`(() => {
  const isHidden = (text) => /[\p{Cc}\p{Cf}]/u.test(text.replace(/[\n\t]/g, ''));
  const found = [];
  const texts = document.createTreeWalker(document.getElementById('page'), NodeFilter.SHOW_TEXT);
  while (texts.nextNode())
    if (texts.currentNode.parentElement.tagName !== 'TEXTAREA') found.push(texts.currentNode.data);
  for (const name of ['title', 'aria-label', 'alt'])
    for (const one of document.querySelectorAll('#page [' + name + ']')) found.push(one.getAttribute(name));
  return found.filter(isHidden).slice(0, 3).map((text) => JSON.stringify(text.slice(0, 100)));
})()`;
