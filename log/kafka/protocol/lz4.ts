import lz4 from 'lz4-napi'

/** Bytes above which they are decompressed beside the event loop; handing them over costs about as much as so much work. */
const DECOMPRESSED_AT_ONCE = 16 * 2 ** 10

/** Kafka's lz4: frames without checksums, since batches have one. */
export async function decompressLz4(bytes: Buffer): Promise<Buffer> {
  return bytes.length <= DECOMPRESSED_AT_ONCE ? lz4.decompressFrameSync(bytes) : lz4.decompressFrame(bytes)
}
