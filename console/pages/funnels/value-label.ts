/** A property's value as text: what is no text is as JSON has it, and nothing is said to be nothing. */
export function valueLabel(value: unknown): string {
  if (value === null || value === undefined) return '(none)'
  if (value === '') return '(empty)'
  return typeof value === 'string' ? value : JSON.stringify(value)
}
