import { useState } from 'preact/hooks'

/**
 * A text with a button that copies it.
 * @param what named to screen readers after "Copy"
 */
export function CopyBlock(props: { readonly text: string; readonly what: string }) {
  const [state, setState] = useState<'idle' | 'copied' | 'failed'>('idle')
  async function copy(): Promise<void> {
    try {
      await navigator.clipboard.writeText(props.text)
      setState('copied')
    } catch {
      // Not allowed, or not HTTPS: the text can be selected instead.
      setState('failed')
    }
  }
  return (
    <div class="copy-block">
      <pre tabIndex={0}>
        <code>{props.text}</code>
      </pre>
      <button type="button" class="button small" onClick={copy}>
        {state === 'copied' ? 'Copied' : state === 'failed' ? 'Select it' : 'Copy'}
        <span class="hidden-text"> {props.what}</span>
      </button>
    </div>
  )
}
