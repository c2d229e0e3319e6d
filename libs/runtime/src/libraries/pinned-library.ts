/** @file What is pinned of a native library: files of a package index by their hash, and what is taken from them. */

/** One wheel of a package index. */
export interface PinnedWheel {
  readonly package: string;
  readonly version: string;
  /** file name → sha256; the first is fetched, the others are builds for another Python with the same libraries */
  readonly files: Readonly<Record<string, string>>;
  /** of the first file */
  readonly bytes: number;
  /** libraries to unpack, by the end of their path */
  readonly members: readonly string[];
  /** licence texts to unpack, by the end of their path; each gets the name of the package before its own */
  readonly licenses: readonly string[];
  /** of all that is unpacked */
  readonly unpackedBytes: number;
  /** its libraries may be those that the machine has: their names say which interface they have */
  readonly isOftenInstalled?: boolean;
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
  /** the libraries to open, each after those that it needs */
  readonly loadOrder: readonly string[];
}
