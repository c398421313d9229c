import lz4 from 'lz4-napi'

/** Bytes above which compressing is done beside the event loop; handing it over costs about as much as 50 KB of work. */
export const COMPRESSED_AT_ONCE = 256 * 2 ** 10
const DECOMPRESSED_AT_ONCE = 16 * 2 ** 10

/** Kafka's lz4: frames without checksums, since batches have one. */
export async function compressLz4(bytes: Buffer): Promise<Buffer> {
  return bytes.length <= COMPRESSED_AT_ONCE ? lz4.compressFrameSync(bytes) : lz4.compressFrame(bytes)
}

export async function decompressLz4(bytes: Buffer): Promise<Buffer> {
  return bytes.length <= DECOMPRESSED_AT_ONCE ? lz4.decompressFrameSync(bytes) : lz4.decompressFrame(bytes)
}
