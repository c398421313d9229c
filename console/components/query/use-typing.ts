import { useEffect, useState } from 'preact/hooks'

/** Whether a name is being typed: until its field is left, Enter is pressed or a suggestion is chosen. */
export function useTyping(): boolean {
  const [typing, setTyping] = useState(false)
  useEffect(() => {
    const begin = ({ target }: Event): void =>
      setTyping(target instanceof HTMLElement && target.getAttribute('role') === 'combobox')
    const end = (): void => setTyping(false)
    const enter = ({ key }: KeyboardEvent): void => {
      if (key === 'Enter') end()
    }
    // Before the value changes. Values that are pasted or filled in come without it.
    document.addEventListener('beforeinput', begin)
    document.addEventListener('input', begin)
    document.addEventListener('focusout', end)
    document.addEventListener('click', end)
    document.addEventListener('keydown', enter)
    return () => {
      document.removeEventListener('beforeinput', begin)
      document.removeEventListener('input', begin)
      document.removeEventListener('focusout', end)
      document.removeEventListener('click', end)
      document.removeEventListener('keydown', enter)
    }
  }, [])
  return typing
}
