import type { OpenedServer } from './open-server.js';

/**
 * The address of a view of the page. The key is in its fragment, which a browser sends to no server.
 *
 * @param path    such as /runs/<id>
 * @param withKey sign in with the admin key, if this folder has it
 */
export function linkTo(
  { server, adminKey }: Pick<OpenedServer, 'adminKey'> & { readonly server: { readonly url: string } },
  path: string,
  withKey: boolean,
): string {
  const fragment = withKey && adminKey !== undefined ? `#key=${encodeURIComponent(adminKey)}` : '';
  return `${server.url}${path}${fragment}`;
}
