import lz4 from 'lz4-napi'

/** Larger blocks are decompressed off the event loop. Below, handing them over costs as much as the work. */
const DECOMPRESSED_AT_ONCE = 16 * 2 ** 10

/** Kafka's lz4 frames have no checksums, because batches have one. */
export async function decompressLz4(bytes: Buffer): Promise<Buffer> {
  return bytes.length <= DECOMPRESSED_AT_ONCE ? lz4.decompressFrameSync(bytes) : lz4.decompressFrame(bytes)
}
