/** The page of REST operations, from the OpenAPI document. */
import { row } from './markdown.mjs';

const titles = { me: 'The key of a request' };
const order = ['get', 'post', 'put', 'patch', 'delete'];

/** The page in Markdown, without its heading. @param document OpenAPI, as JSON */
export function describeRest(document) {
  const byTag = new Map();
  for (const [path, methods] of Object.entries(JSON.parse(document).paths)) {
    if (!path.startsWith('/api/v1')) continue;
    for (const method of order.filter((name) => methods[name] !== undefined)) {
      const { summary, tags } = methods[method];
      const rows = byTag.get(tags[0]) ?? [];
      rows.push({ path: path.slice('/api/v1'.length), method: method.toUpperCase(), summary });
      byTag.set(tags[0], rows);
    }
  }
  const tables = [...byTag]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([tag, rows]) => {
      rows.sort((a, b) => (a.path < b.path ? -1 : a.path > b.path ? 1 : 0));
      const title = titles[tag] ?? `${tag[0].toUpperCase()}${tag.slice(1)}`;
      const cells = rows.map(({ method, path, summary }) => row(method, `\`${path}\``, summary));
      return `## ${title}\n\n${[row('', '', ''), row('---', '---', '---'), ...cells].join('\n')}`;
    });
  return [
    'Every path begins with `/api/v1`. Parameters, bodies, responses and error codes: [openapi.json](openapi.json), which `/docs` of a server shows. How to use the API: [the API](../use/api.md).',
    ...tables,
  ];
}
