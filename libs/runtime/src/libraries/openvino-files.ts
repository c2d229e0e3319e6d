import type { PinnedLibrary } from './pinned-library.js';

export const openvinoFiles: PinnedLibrary = {
  name: 'openvino',
  title: 'OpenVINO',
  version: '2026.4.0',
  license: 'Apache-2.0',
  platform: 'linux-x64',
  loadOrder: ['libopenvino_c.so.2640'],
  wheels: [
    {
      package: 'openvino',
      version: '2026.4.0',
      bytes: 59_116_483,
      unpackedBytes: 91_971_587,
      files: {
        'openvino-2026.4.0-22959-cp311-cp311-manylinux_2_28_x86_64.whl':
          '71ee4e65a914044a510af43da16f3279c8f9dae22cbc8eac63d4a785c4a9c03f',
        'openvino-2026.4.0-22959-cp310-cp310-manylinux_2_28_x86_64.whl':
          'dac6cf1098dad0b4b62ea4cfad46a113f44071ffc15088c8e9806a2cb24bfcd8',
        'openvino-2026.4.0-22959-cp312-cp312-manylinux_2_28_x86_64.whl':
          '75245768f656afffd49078cee55b50b9501bb6778798aec3cc30e5613a86e370',
        'openvino-2026.4.0-22959-cp313-cp313-manylinux_2_28_x86_64.whl':
          '186abfe5f355c33f19b50fe48340f9af0110e92fd279b7358a023fcbd225c380',
        'openvino-2026.4.0-22959-cp314-cp314-manylinux_2_28_x86_64.whl':
          '5ac6b16b3072f4c5f20ab308db598098bcd1c346108e93f4b36d8548b95707bf',
      },
      members: [
        'openvino/libs/libtbb.so.12',
        'openvino/libs/libopenvino.so.2640',
        'openvino/libs/libopenvino_c.so.2640',
        'openvino/libs/libopenvino_onnx_frontend.so.2640',
        'openvino/libs/libopenvino_intel_cpu_plugin.so',
      ],
      licenses: [
        'licenses/LICENSE',
        'licensing/onednn_third-party-programs.txt',
        'licensing/onetbb_third-party-programs.txt',
        'licensing/runtime-third-party-programs.txt',
      ],
    },
  ],
};
