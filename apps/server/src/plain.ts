/** @file The entry `@espalier/server/plain`: settings, backups and webhooks. It loads neither Nest nor TypeORM, whose start takes a second. */
export { type ServerOptions, serverOptions } from './config/server-options.js';
export { type BackupManifest, type BackupProgress } from './core/backup/backup-folder.js';
export { createBackup } from './core/backup/create-backup.js';
export { restoreBackup } from './core/backup/restore-backup.js';
export { postWebhook } from './core/history/alerts/post-webhook.js';
