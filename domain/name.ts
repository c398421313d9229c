/** Names of experiments, variants, targets, funnels, steps, keys and people. Source: API.md section 12. */
const UNSAFE = /[\p{Cc}\p{Bidi_Control}]/u
/** Spaces, formatting characters, and letters that are drawn as nothing. */
const INVISIBLE = /^[\p{Z}\p{Cf}\p{Default_Ignorable_Code_Point}\u2800]*$/u

/** Trimmed and in NFC, as names are stored. */
export function normalizeName(name: string): string {
  return name.trim().normalize('NFC')
}

/** The problem of a normalized name. Undefined if it can be used. */
export function nameProblem(name: string): string | undefined {
  if (UNSAFE.test(name)) return 'must not have control or bidirectional characters'
  return INVISIBLE.test(name) ? 'must have a visible character' : undefined
}

/** Names of funnels are unique by this text, as `fold_name` in Postgres has it. */
export function foldName(name: string): string {
  return name.normalize('NFC').toUpperCase().toLowerCase()
}
