/** Names of experiments, variants, targets, funnels, steps, keys and people. */
const UNSAFE = /[\p{Cc}\p{Bidi_Control}]/u
/** Spaces, formatting characters, and letters that are drawn as nothing. */
const INVISIBLE = /^[\p{Z}\p{Cf}\p{Default_Ignorable_Code_Point}\u2800]*$/u

/**
 * As in the Stream-Safe Text Format of Unicode. NFC of longer rows takes time by the square of their length.
 */
const TOO_MANY_MARKS = /(?<!\p{M})\p{M}{31}/u

/** Trimmed and in NFC, as names are stored; only trimmed if `nameProblem` refuses it for its marks. */
export function normalizeName(name: string): string {
  const trimmed = name.trim()
  return TOO_MANY_MARKS.test(trimmed) ? trimmed : trimmed.normalize('NFC')
}

/** The problem of a normalized name. Undefined if it can be used. */
export function nameProblem(name: string): string | undefined {
  if (UNSAFE.test(name)) return 'must not have control or bidirectional characters'
  if (TOO_MANY_MARKS.test(name)) return 'must not have more than 30 marks on one letter'
  return INVISIBLE.test(name) ? 'must have a visible character' : undefined
}

/** Names of funnels are unique by this text, as `fold_name` in Postgres has it. */
export function foldName(name: string): string {
  return name.normalize('NFC').toUpperCase().toLowerCase()
}
