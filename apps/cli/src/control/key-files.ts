/** Name of the file in the data folder that keeps the first admin key for commands on this machine. */
export const adminKeyFile = 'admin.key';
/** The same of the first worker key, for workers on this machine. */
export const workerKeyFile = 'worker.key';
