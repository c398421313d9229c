/** What anything that was thrown says, in a line for people. Refused connections say nothing but their code. */
export function messageOf(thrown: unknown): string {
  if (!(thrown instanceof Error)) return String(thrown)
  if (thrown.message !== '') return thrown.message
  return 'code' in thrown ? String(thrown.code) : thrown.name
}
