/** Name of the file in the data folder that keeps the first admin key for commands on this machine. */
export const adminKeyFile = 'admin.key';
