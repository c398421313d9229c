import lz4 from 'lz4-napi'

/** Above it the work is done beside the event loop; handing it over costs about as much as 50 KB of work. */
const SYNC_BYTES = 64 * 2 ** 10

/** Kafka's lz4: frames without checksums, since batches have one. */
export async function compressLz4(bytes: Buffer): Promise<Buffer> {
  return bytes.length <= SYNC_BYTES ? lz4.compressFrameSync(bytes) : lz4.compressFrame(bytes)
}

export async function decompressLz4(bytes: Buffer): Promise<Buffer> {
  return bytes.length <= SYNC_BYTES / 4 ? lz4.decompressFrameSync(bytes) : lz4.decompressFrame(bytes)
}
