/** A property value as text: JSON if it is not a string. */
export function valueLabel(value: unknown): string {
  if (value === null || value === undefined) return '(none)'
  if (value === '') return '(empty)'
  return typeof value === 'string' ? value : JSON.stringify(value)
}
