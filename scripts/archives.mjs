// Archives without times or owners: the same files give the same bytes.
import { crc32, deflateRawSync, gzipSync } from 'node:zlib'

/** An npm package (POSIX ustar, gzip) of `[name, contents, mode]`. */
export function npmPackage(files) {
  const entries = files.map(([name, contents, mode = 0o644]) => tarEntry(`package/${name}`, contents, mode))
  return gzipSync(Buffer.concat([...entries, Buffer.alloc(1024)]), { level: 9 })
}

/** A file of a tar archive with npm's fixed time. */
function tarEntry(name, contents, mode) {
  const data = Buffer.from(contents)
  const header = Buffer.alloc(512)
  const octal = (value, length) => `${value.toString(8).padStart(length - 1, '0')}\0`
  header.write(name, 0)
  header.write(octal(mode, 8), 100)
  header.write(octal(0, 8), 108)
  header.write(octal(0, 8), 116)
  header.write(octal(data.length, 12), 124)
  header.write(octal(499_162_500, 12), 136)
  header.write('        ', 148)
  header.write('0', 156)
  header.write('ustar\0', 257)
  header.write('00', 263)
  const sum = header.reduce((total, byte) => total + byte, 0)
  header.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148)
  return Buffer.concat([header, data, Buffer.alloc((512 - (data.length % 512)) % 512)])
}

/** Midnight of 1980-01-01, the first time that a zip archive can have. */
const ZIP_DATE = 0x21
/** A regular file that all may read, in the form of Unix. */
const ZIP_MODE = 0o100644 * 0x10000

/** A zip archive of `[name, contents]`. */
export function zip(files) {
  const locals = []
  const central = []
  let offset = 0
  for (const [name, contents] of files) {
    const data = Buffer.from(contents)
    const packed = deflateRawSync(data, { level: 9 })
    const common = Buffer.alloc(26)
    common.writeUInt16LE(20, 0)
    common.writeUInt16LE(0x800, 2)
    common.writeUInt16LE(8, 4)
    common.writeUInt16LE(ZIP_DATE, 8)
    common.writeUInt32LE(crc32(data), 10)
    common.writeUInt32LE(packed.length, 14)
    common.writeUInt32LE(data.length, 18)
    common.writeUInt16LE(Buffer.byteLength(name), 22)
    const local = Buffer.concat([Buffer.from('PK\x03\x04'), common, Buffer.from(name), packed])
    const rest = Buffer.alloc(14)
    rest.writeUInt32LE(ZIP_MODE, 6)
    rest.writeUInt32LE(offset, 10)
    // Made by version 2.0 on Unix.
    central.push(Buffer.from('PK\x01\x02\x14\x03', 'latin1'), common, rest, Buffer.from(name))
    locals.push(local)
    offset += local.length
  }
  const directory = Buffer.concat(central)
  const end = Buffer.alloc(22)
  end.write('PK\x05\x06', 'latin1')
  end.writeUInt16LE(files.length, 8)
  end.writeUInt16LE(files.length, 10)
  end.writeUInt32LE(directory.length, 12)
  end.writeUInt32LE(offset, 16)
  return Buffer.concat([...locals, directory, end])
}
