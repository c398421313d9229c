import { FrameWriter, maxFrameBytes } from '../../append/lz4-frame.js'

const writer = new FrameWriter()

/** These bytes as one frame. */
export function lz4Frame(bytes: Uint8Array): Buffer {
  const into = Buffer.alloc(maxFrameBytes(bytes.length))
  writer.begin(into, 0)
  writer.write(bytes)
  return into.subarray(0, writer.end())
}
