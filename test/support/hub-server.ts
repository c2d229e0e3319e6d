/**
 * @file A model hub on this machine with the routes of huggingface.co: model info, tree, resolve with redirects, ETags and
 * ranges, in the headers and codes that it uses. Faults are chosen per request.
 */
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';

export interface HubRequest {
  readonly route: 'info' | 'tree' | 'resolve' | 'storage';
  /** of a file */
  readonly path: string;
  readonly range: string | undefined;
  readonly authorization: string | undefined;
}

/** What happens to a request in place of the right answer. */
export type Fault =
  | { readonly status: number; readonly headers?: Record<string, string> }
  | { readonly breakAfter: number }
  | { readonly stallAfter: number }
  | { readonly ignoresRange: true }
  | { readonly corrupt: true };

export interface HubServer {
  readonly url: string;
  /** what `main` is */
  commit: string;
  readonly requests: HubRequest[];
  /** decides about each request; undefined answers rightly */
  fault: (request: HubRequest) => Fault | undefined;
  /** files of the repository by name */
  files: Map<string, Buffer>;
  token: string | undefined;
  close(): Promise<void>;
}

const largeBytes = 2000;
export const hubCommit = 'c'.repeat(40);

const sha256 = (content: Buffer): string => createHash('sha256').update(content).digest('hex');
const gitOid = (content: Buffer): string =>
  createHash('sha1').update(`blob ${content.length}\0`).update(content).digest('hex');

/** Serves the files of a folder as the repository `owner/tiny`, whose `main` is one commit. */
export async function startHubServer(folder: string): Promise<HubServer> {
  const hub: HubServer = {
    url: '',
    commit: hubCommit,
    requests: [],
    fault: () => undefined,
    files: new Map(readdirSync(folder).map((name) => [name, readFileSync(join(folder, name))])),
    token: undefined,
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
  const server = createServer((request, response) => answer(hub, request, response));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return Object.assign(hub, { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` });
}

function answer(hub: HubServer, request: IncomingMessage, response: ServerResponse): void {
  const { pathname } = new URL(request.url ?? '', 'http://hub');
  const parsed = parse(decodeURIComponent(pathname));
  if (parsed === undefined) return refuse(response, 404, 'RepoNotFound');
  const { range, authorization } = request.headers;
  const seen: HubRequest = { ...parsed, range, authorization };
  hub.requests.push(seen);
  const fault = hub.fault(seen);
  if (fault !== undefined && 'status' in fault) {
    response.writeHead(fault.status, fault.headers ?? {}).end('{}');
    return;
  }
  if (parsed.route !== 'storage' && hub.token !== undefined && authorization !== `Bearer ${hub.token}`)
    return refuse(response, 401, 'GatedRepo');
  if (parsed.repository !== 'owner/tiny') return refuse(response, 404, 'RepoNotFound');
  if (!['main', 'refs/pr/1', 'storage', hub.commit].includes(parsed.revision))
    return refuse(response, 404, 'RevisionNotFound');
  if (parsed.route === 'info') return json(response, { _id: '1', id: 'owner/tiny', sha: hub.commit }, fault);
  if (parsed.route === 'tree') return json(response, tree(hub), fault);
  const content = hub.files.get(parsed.path);
  if (content === undefined) return refuse(response, 404, 'EntryNotFound');
  if (parsed.route === 'resolve' && content.length > largeBytes) {
    response.writeHead(302, {
      location: `/storage/owner/tiny/${parsed.path}?X-Amz-Signature=secret-signature`,
      'x-linked-etag': `"${sha256(content)}"`,
      'x-linked-size': String(content.length),
      'x-repo-commit': hub.commit,
    });
    response.end();
    return;
  }
  const ignoresRange = fault !== undefined && 'ignoresRange' in fault;
  sendContent(content, ignoresRange ? undefined : range, fault, response);
}

function parse(
  path: string,
): (Pick<HubRequest, 'route' | 'path'> & { repository: string; revision: string }) | undefined {
  const info = /^\/api\/models\/([^/]+\/[^/]+)\/revision\/(.+)$/.exec(path);
  if (info !== null) return { route: 'info', repository: info[1] ?? '', revision: info[2] ?? '', path: '' };
  const tree = /^\/api\/models\/([^/]+\/[^/]+)\/tree\/([0-9a-f]{40})$/.exec(path);
  if (tree !== null) return { route: 'tree', repository: tree[1] ?? '', revision: tree[2] ?? '', path: '' };
  const storage = /^\/storage\/([^/]+\/[^/]+)\/(.+)$/.exec(path);
  if (storage !== null)
    return { route: 'storage', repository: storage[1] ?? '', revision: 'storage', path: storage[2] ?? '' };
  const file = /^\/([^/]+\/[^/]+)\/resolve\/([0-9a-f]{40})\/(.+)$/.exec(path);
  if (file !== null)
    return { route: 'resolve', repository: file[1] ?? '', revision: file[2] ?? '', path: file[3] ?? '' };
  return undefined;
}

const tree = ({ files }: HubServer): unknown[] =>
  [...files].map(([path, content]) => ({
    type: 'file',
    path,
    size: content.length,
    oid: gitOid(content),
    ...(content.length > largeBytes
      ? { lfs: { oid: sha256(content), size: content.length, pointerSize: 134 } }
      : {}),
  }));

function sendContent(
  content: Buffer,
  range: string | undefined,
  fault: Fault | undefined,
  response: ServerResponse,
): void {
  const [, first = '0', last = ''] = /^bytes=(\d+)-(\d*)$/.exec(range ?? '') ?? [];
  const from = Number(first);
  // as the real hub answers: an empty file has no range
  if (range !== undefined && from >= content.length) {
    response.writeHead(416, { 'content-range': `bytes */${content.length}` }).end();
    return;
  }
  const to = last === '' ? content.length - 1 : Math.min(Number(last), content.length - 1);
  const etag = content.length > largeBytes ? sha256(content) : gitOid(content);
  response.writeHead(range === undefined ? 200 : 206, {
    'content-length': String(to - from + 1),
    etag: `"${etag}"`,
    'accept-ranges': 'bytes',
    ...(range === undefined ? {} : { 'content-range': `bytes ${from}-${to}/${content.length}` }),
  });
  const body = Buffer.from(content.subarray(from, to + 1));
  if (fault !== undefined && 'corrupt' in fault) body[body.length - 1] = (body[body.length - 1] ?? 0) ^ 1;
  sendBody(body, fault, response);
}

/** Sends a body whose length has been announced, as far as the fault lets it. */
function sendBody(body: Buffer, fault: Fault | undefined, response: ServerResponse): void {
  const doesBreak = fault !== undefined && 'breakAfter' in fault;
  const doesStall = fault !== undefined && 'stallAfter' in fault;
  const cut = doesBreak ? fault.breakAfter : doesStall ? fault.stallAfter : body.length;
  if (cut >= body.length) {
    response.end(body);
    return;
  }
  response.write(body.subarray(0, cut), () => {
    if (doesBreak) setTimeout(() => response.destroy(), 30);
  });
}

function json(response: ServerResponse, value: unknown, fault: Fault | undefined): void {
  const body = Buffer.from(fault !== undefined && 'corrupt' in fault ? '<html>' : JSON.stringify(value));
  response.writeHead(200, { 'content-type': 'application/json', 'content-length': String(body.length) });
  sendBody(body, fault, response);
}

function refuse(response: ServerResponse, status: number, code: string): void {
  response
    .writeHead(status, { 'content-type': 'application/json', 'x-error-code': code })
    .end(JSON.stringify({ error: code }));
}
