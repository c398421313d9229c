/** Shortcuts of every page: `/` goes to the search field, arrows go from row to row of a table. */
export function listenForShortcuts(): void {
  document.addEventListener('keydown', (event) => {
    const { target, key } = event
    if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return
    if (!(target instanceof HTMLElement) || target.matches('input, textarea, select')) return
    if (key === '/' && document.querySelector('dialog[open]') === null) {
      const search = document.querySelector<HTMLElement>('main input[type=search], main input[role=combobox]')
      if (search === null) return
      event.preventDefault()
      search.focus()
    } else if (key === 'ArrowDown' || key === 'ArrowUp') {
      const next = inNextRow(target, key === 'ArrowDown' ? 'nextElementSibling' : 'previousElementSibling')
      if (next === undefined) return
      event.preventDefault()
      next.focus()
    }
  })
}

/** The link or button at the same position of the next row. */
function inNextRow(
  from: HTMLElement,
  sibling: 'nextElementSibling' | 'previousElementSibling',
): HTMLElement | undefined {
  const row = from.closest('tbody tr')
  const position = row === null ? -1 : actionsOf(row).indexOf(from)
  const next = row?.[sibling]
  return position < 0 || next == null ? undefined : actionsOf(next)[position]
}

const actionsOf = (row: globalThis.Element): HTMLElement[] => [
  ...row.querySelectorAll<HTMLElement>('a, button'),
]
