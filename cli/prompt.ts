import { refusedError } from './command-error.js'
import type { Terminal } from './output.js'

/** Asks on the terminal. Any answer but yes means no. */
export async function confirm(terminal: Terminal, question: string): Promise<boolean> {
  const { createInterface } = await import('node:readline/promises')
  terminal.err(`${question} [y/N] `)
  const lines = createInterface({ input: process.stdin })
  try {
    for await (const line of lines) return /^y(es)?$/i.test(line.trim())
    return false
  } finally {
    lines.close()
  }
}

/** Reads a line without echo. Throws CommandError on ^C and ^D. */
export function readHidden(terminal: Terminal, question: string): Promise<string> {
  const { stdin } = process
  terminal.err(question)
  stdin.setRawMode(true)
  stdin.setEncoding('utf8')
  stdin.resume()
  return new Promise((resolve, reject) => {
    let line = ''
    const end = (finish: () => void): void => {
      stdin.setRawMode(false)
      stdin.pause()
      stdin.off('data', take)
      terminal.err('\n')
      finish()
    }
    const take = (chunk: string): void => {
      // Remove the marks of bracketed paste.
      for (const character of chunk.replaceAll('\u001b[200~', '').replaceAll('\u001b[201~', '')) {
        if (character === '\r' || character === '\n') {
          end(() => resolve(line))
          return
        }
        if (character === '\u0003' || character === '\u0004') {
          end(() => reject(refusedError('nothing was stored')))
          return
        }
        if (character === '\u007f' || character === '\b') line = line.slice(0, -1)
        else if (character === '\u0015') line = ''
        else line += character
      }
    }
    stdin.on('data', take)
  })
}
