import { spawn } from 'node:child_process'
import type { Terminal } from '../output.js'

/** Shows a text through the pager if it is longer than the screen. */
export function showInPager(terminal: Terminal, text: string, pager: string | undefined): Promise<void> {
  const rows = terminal.size?.rows ?? Number.POSITIVE_INFINITY
  if (pager === 'cat' || text.split('\n').length <= rows) {
    terminal.out(text)
    return Promise.resolve()
  }
  return new Promise((resolve) => {
    const shown = spawn(pager ?? 'less -FRX', { shell: true, stdio: ['pipe', 'inherit', 'pipe'] })
    // Leaving the pager early closes the pipe.
    shown.stdin.on('error', () => {})
    // ^C goes to the pager.
    const ignore = (): void => {}
    process.on('SIGINT', ignore)
    shown.on('error', () => {})
    shown.on('close', (code) => {
      process.off('SIGINT', ignore)
      // 127: the shell did not find the pager.
      if (code === 127 || code === null) terminal.out(text)
      resolve()
    })
    shown.stdin.end(text)
  })
}
