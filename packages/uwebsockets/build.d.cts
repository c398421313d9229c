export interface System {
  /** As `process.platform`, `process.arch`, `process.versions.node` and `process.versions.modules`. */
  readonly platform: string
  readonly arch: string
  readonly node: string
  readonly modules: string
  /** Of the running C library on Linux; undefined where that is another than glibc. */
  readonly glibc: string | undefined
  /** The folder of an installed package's file; undefined where it is not installed. */
  folderOf(entry: string): string | undefined
  exists(file: string): boolean
}

export type Build =
  | { readonly package: string; readonly file: string; readonly problem?: never }
  /** What is missing, in one line. */
  | { readonly problem: string }

/** The build of uWebSockets.js that fits a system, the newer one first. Loads nothing. */
export function chooseBuild(system: System): Build

/** The same for this one, found out once. */
export function buildForThisSystem(): Build
