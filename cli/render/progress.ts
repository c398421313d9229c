import { type Terminal, truncate } from '../output.js'

export interface Progress {
  /** What is going on now. */
  show(text: string): void
  /** Nothing goes on any more: the line is gone. */
  end(): void
}

const FRAMES = ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏']
const FRAME_MS = 100
const ERASE = '\r\u001b[K'

/** On standard error: one line with a spinner where somebody watches, else a line whenever the text changes. */
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
