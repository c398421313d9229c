import type { Terminal } from '../output.js'

/** Asks at the terminal; anything but yes is no. */
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
