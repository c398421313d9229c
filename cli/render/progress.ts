import { type Terminal, truncate } from '../output.js'

export interface Progress {
  show(text: string): void
  /** Removes the line. */
  end(): void
}

const FRAMES = ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏']
const FRAME_MS = 100
const ERASE = '\r\u001b[K'

/** Writes to standard error: a line with a spinner on a terminal, else a line for each new text. */
export function startProgress(terminal: Terminal, now: () => number): Progress {
  let text = ''
  if (!terminal.isInteractive)
    return {
      show(next) {
        if (next !== text) terminal.err(`${next}\n`)
        text = next
      },
      end() {},
    }
  const columns = (terminal.size?.columns ?? 80) - 3
  const draw = (): void => {
    const frame = FRAMES[Math.floor(now() / FRAME_MS) % FRAMES.length] ?? ''
    terminal.err(`${ERASE}${frame} ${truncate(text, columns)}`)
  }
  const timer = setInterval(draw, FRAME_MS)
  timer.unref()
  return {
    show(next) {
      text = next
      draw()
    },
    end() {
      clearInterval(timer)
      terminal.err(ERASE)
    },
  }
}
