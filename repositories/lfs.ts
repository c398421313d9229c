const FIRST_LINE = Buffer.from('version https://git-lfs.github.com/spec/v1\n')

/**
 * Whether a blob is a Git LFS pointer to a file stored elsewhere. By the specification, a text below 1,024
 * bytes.
 */
export function isLfsPointer(content: Uint8Array): boolean {
  return content.length < 1024 && FIRST_LINE.equals(content.subarray(0, FIRST_LINE.length))
}
