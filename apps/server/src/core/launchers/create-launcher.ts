import { isAbsolute, join } from 'node:path';
import { findInstallation } from '@espalier/config/plain';
import type { LauncherOptions } from '../../config/launcher-options.js';
import { createKubernetesLauncher } from './kubernetes-launcher.js';
import type { Launcher } from './launcher.js';
import { createLocalLauncher, createSshLauncher } from './shell-launchers.js';
import { createSlurmLauncher } from './slurm-launcher.js';

/** Creates the launcher of a setting. @param data folder of the server */
export function createLauncher(options: LauncherOptions, data: string): Launcher {
  switch (options.driver) {
    case 'local': {
      const folder = options.folder === '' ? join('launchers', options.name) : options.folder;
      return createLocalLauncher(
        { ...options, folder: isAbsolute(folder) ? folder : join(data, folder) },
        ownCommand(),
      );
    }
    case 'ssh':
      return createSshLauncher(options);
    case 'slurm':
      return createSlurmLauncher(options, ownCommand());
    case 'kubernetes':
      return createKubernetesLauncher(options);
  }
}

/** The worker of this installation. */
const ownCommand = (): string[] => [process.execPath, findInstallation().program, 'worker'];
