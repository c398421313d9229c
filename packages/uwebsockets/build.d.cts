export interface System {
  /** As `process.platform`, `process.arch`, `process.versions.node` and `process.versions.modules`. */
  readonly platform: string
  readonly arch: string
  readonly node: string
  readonly modules: string
  /** Version of glibc on Linux; undefined with another C library. */
  readonly glibc: string | undefined
  /** The folder of an installed package's file; undefined if it is not installed. */
  folderOf(entry: string): string | undefined
  exists(file: string): boolean
}

export type Build =
  | { readonly package: string; readonly file: string; readonly problem?: never }
  /** What is missing, in one line. */
  | { readonly problem: string }

/** The build of uWebSockets.js that fits a system, preferring the newer one. Loads nothing. */
export function chooseBuild(system: System): Build

/** The build for this system, determined once. */
export function buildForThisSystem(): Build
