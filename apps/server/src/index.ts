export { KeyService } from './core/access/key.service.js';
export { type FirstKeys } from './core/access/first-keys.js';
export { type ServerOptions, serverOptions } from './config/server-options.js';
export { type BackupManifest, type BackupProgress } from './core/backup/backup-folder.js';
export { createBackup } from './core/backup/create-backup.js';
export { restoreBackup } from './core/backup/restore-backup.js';
export { serve } from './serve.js';
export { type RunningServer, startServer } from './start-server.js';
