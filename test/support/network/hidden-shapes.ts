/**
 * Requests that a proxy in front may take for one, with a second request inside its body, if this server's
 * parser ends the first one earlier. All consist of bytes that some proxy passes on unchanged.
 */
export interface HiddenShape {
  readonly name: string
  /** The bytes up to where the parser may see the end of the first request. */
  readonly before: string
  /** The bytes behind the hidden request, which end the body that the proxy sees. */
  readonly after: string
}

/**
 * @param outer method and target of the request around
 * @param headers its lines, each with its line end, without any that frame the body
 * @param body a whole body that the target takes
 * @param hidden the request inside
 */
export function hiddenShapes(
  outer: string,
  headers: string,
  body: string,
  hidden: string,
): readonly HiddenShape[] {
  const head = (framing: string): string => `${outer} HTTP/1.1\r\n${headers}${framing}\r\n`
  const length = (text: string): string => `Content-Length: ${Buffer.byteLength(text)}\r\n`
  const hex = (text: string): string => Buffer.byteLength(text).toString(16)
  const chunk = (text: string): string => `${hex(text)}\r\n${text}\r\n`
  const CHUNKED = 'Transfer-Encoding: chunked\r\n'
  const END = '0\r\n\r\n'
  const shapes: Record<string, readonly [string, string?]> = {
    'no length': [head('')],
    'a length behind an empty name': [head(`: y\r\n${length(hidden)}`)],
    'a length behind an empty name and a space': [head(`: y\r\n ${length(hidden)}`)],
    'chunks behind an empty name': [`${head(`: y\r\n${CHUNKED}`)}`, ''],
    'a length of nothing before an empty name, another behind': [
      head(`Transfer-Encoding: \r\nContent-Length: 0\r\n: y\r\n${length(hidden)}`),
    ],
    'a whole body in chunks': [head(CHUNKED) + chunk(body) + END],
    'a refused body in chunks': [head(CHUNKED) + chunk('{') + END],
    'no body in chunks': [head(CHUNKED) + END],
    trailers: [`${head(CHUNKED)}${chunk(body)}0\r\nX: y\r\n\r\n`],
    'trailers of two letters': [`${head(CHUNKED)}${chunk(body)}0\r\nXX`],
    'chunk data with other bytes behind it': [`${head(CHUNKED)}${hex(body)}\r\n${body}XX${END}`],
    'chunk data with nothing behind it': [`${head(CHUNKED)}${hex(body)}\r\n${body}0\r\n\r\n\r\n`],
    'chunk data with a line feed behind it': [`${head(CHUNKED)}${hex(body)}\r\n${body}\n0\r\n\r\n`, ''],
    'chunks beside a length': [head(`${CHUNKED}Content-Length: 5\r\n`) + END],
    'a length beside chunks': [head(`Content-Length: 5\r\n${CHUNKED}`) + END],
    'chunks twice': [head(CHUNKED + CHUNKED) + END],
    'two lengths': [head(`Content-Length: 0\r\n${length(hidden)}`)],
    'two lengths, the other way': [head(`${length(body)}${length(body + hidden)}`) + body],
    'a space before the colon': [head(`Content-Length : ${hidden.length}\r\n`)],
    'a folded length': [head(`X: y\r\n ${length(hidden)}`)],
    'a length in another spelling': [head(`Content_Length: ${hidden.length}\r\n`)],
  }
  for (const encoding of [
    '',
    ' ',
    'Chunked',
    'chunked ',
    'identity',
    'x',
    'gzip, chunked',
    'chunked, identity',
    '"chunked"',
  ]) {
    shapes[`Transfer-Encoding '${encoding}'`] = [head(`Transfer-Encoding: ${encoding}\r\n`) + END]
    shapes[`Transfer-Encoding '${encoding}' beside a length`] = [
      head(`Transfer-Encoding: ${encoding}\r\n${length(END)}`) + END,
    ]
    shapes[`Transfer-Encoding '${encoding}' beside the length of the body`] = [
      head(`Transfer-Encoding: ${encoding}\r\n${length(body)}`) + body,
    ]
    shapes[`Transfer-Encoding '${encoding}' beside a length of nothing`] = [
      head(`Transfer-Encoding: ${encoding}\r\nContent-Length: 0\r\n`),
    ]
  }
  for (const connection of [
    'Connection: close',
    'Connection: Close',
    'Connection:close ',
    'Connection: keep-alive, close',
    'Connection: close, X',
    'Connection: keep-alive\r\nConnection: close',
    'Connection: close\r\nConnection: keep-alive',
  ])
    for (const [kind, text] of [
      ['a good', body],
      ['a refused', '{'],
      ['no', ''],
    ] as const)
      shapes[`${connection.replace('\r\n', ' ')}, ${kind} body`] = [
        head(`${connection}\r\n${length(text)}`) + text,
      ]
  // If the parser reads only a part of the size, or more than there is, it takes the rest for a request.
  const inner = hex(`\r\n${hidden}`)
  for (const size of [
    `0 ${inner}`,
    `0\r${inner}`,
    `0\t${inner}`,
    `0;${inner}`,
    `0x${inner}`,
    `0,${inner}`,
    `0.${inner}`,
    `00000000000000000${inner}`,
    `10000000000000000`,
    `+0`,
    `-0`,
    ` 0`,
    `0 `,
    `0\r`,
    `0\r\r`,
    `0\n`,
    ``,
    `g`,
  ])
    shapes[`a chunk's size ${JSON.stringify(size)}`] = [`${head(CHUNKED)}${size}\r\n`, `\r\n${END}`]
  for (const size of ['5 5', '5\r', '5\t', '5;', '5 ', ' 5', '05', '5\r5'])
    shapes[`a chunk's size ${JSON.stringify(size)} and data`] = [
      `${head(CHUNKED)}${size}\r\nabcde\r\n${END}`,
      `\r\n${END}`,
    ]
  for (const size of ['5 5', '5\r', '5\r5', '5\n'])
    shapes[`a chunk's size ${JSON.stringify(size)} and more data`] = [
      `${head(CHUNKED)}${size}\r\n${'a'.repeat(0x55)}\r\n${END}`,
      `\r\n${END}`,
    ]
  return Object.entries(shapes).map(([name, [before, after = '']]) => ({ name, before, after }))
}
