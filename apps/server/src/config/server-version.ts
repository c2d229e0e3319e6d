/** The version of the server; that of all packages. */
export const serverVersion = '0.1.0';
