import { useEffect, useState } from 'preact/hooks'

interface Toast {
  readonly id: number
  readonly text: string
}

const SEEN_MS = 6_000
let next = 0
let publish: ((toast: Toast) => void) | undefined

/** Shows a message for a few seconds. */
export function toast(text: string): void {
  next += 1
  publish?.({ id: next, text })
}

export function Toasts() {
  const [toasts, setToasts] = useState<readonly Toast[]>([])
  useEffect(() => {
    publish = (added) => {
      setToasts((before) => [...before.slice(-2), added])
      setTimeout(() => setToasts((before) => before.filter(({ id }) => id !== added.id)), SEEN_MS)
    }
    return () => {
      publish = undefined
    }
  }, [])
  return (
    <div class="toasts" role="status" aria-live="polite">
      {toasts.map(({ id, text }) => (
        <div class="toast" key={id} dir="auto">
          {text}
        </div>
      ))}
    </div>
  )
}
