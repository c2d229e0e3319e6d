/**
 * @file Native libraries that `espalier setup` fetches: which file of which version, by its hash. Their licences come with
 * them. A library of another version is never loaded: results would differ from what was measured.
 */

export const libraryNames = ['openvino'] as const;
export type LibraryName = (typeof libraryNames)[number];

/** One wheel of a package index. */
export interface PinnedWheel {
  readonly package: string;
  readonly version: string;
  /** file name → sha256; the first is fetched, the others are builds for another Python with the same libraries */
  readonly files: Readonly<Record<string, string>>;
  /** of the first file */
  readonly bytes: number;
  /** members to unpack, by the end of their path */
  readonly members: readonly string[];
}

export interface PinnedLibrary {
  /** of its folder */
  readonly name: string;
  readonly title: string;
  readonly version: string;
  readonly license: string;
  /** as in `${process.platform}-${process.arch}` */
  readonly platform: string;
  readonly wheels: readonly PinnedWheel[];
}

const openvino: PinnedLibrary = {
  name: 'openvino',
  title: 'OpenVINO',
  version: '2026.4.0',
  license: 'Apache-2.0',
  platform: 'linux-x64',
  wheels: [
    {
      package: 'openvino',
      version: '2026.4.0',
      bytes: 59_116_483,
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
        'licenses/LICENSE',
        'licensing/onednn_third-party-programs.txt',
        'licensing/onetbb_third-party-programs.txt',
        'licensing/runtime-third-party-programs.txt',
      ],
    },
  ],
};

export const pinnedLibraries: Readonly<Record<LibraryName, PinnedLibrary>> = { openvino };
