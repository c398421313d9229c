/**
 * The person an event belongs to: its own user, else the user its anonymous id is linked to, else the
 * anonymous id. A user id and an anonymous id of the same text are different persons.
 */
export type PersonId = `user:${string}` | `anonymous:${string}`

export function personId(
  userId: string | null | undefined,
  anonymousId: string | null | undefined,
  linkedUserId: string | null | undefined,
): PersonId {
  if (userId) return `user:${userId}`
  if (linkedUserId) return `user:${linkedUserId}`
  return `anonymous:${anonymousId ?? ''}`
}

/** First byte of the hashed text of a person key, so that the two kinds of id never collide. */
export const PERSON_KEY_TAGS = { user: 0x75, anonymous: 0x61 } as const

/** Ids that a program sends by accident. Many visitors share them: a link would join strangers for good. */
const PLACEHOLDER_IDS: ReadonlySet<string> = new Set([
  'null',
  'undefined',
  'none',
  'nil',
  'nan',
  '0',
  'true',
  'false',
  '[object object]',
  '00000000-0000-0000-0000-000000000000',
])
const PLACEHOLDER_LENGTHS: ReadonlySet<number> = new Set([...PLACEHOLDER_IDS].map((id) => id.length))
/** First characters in lower case: they rule out most UUIDs without reading the rest. */
const PLACEHOLDER_STARTS: ReadonlySet<number> = new Set([...PLACEHOLDER_IDS].map((id) => lowerStart(id)))

/** Whether an id is such an accident, in any case. It makes no link; its event is kept as sent. */
export function isPlaceholderId(id: string): boolean {
  return (
    PLACEHOLDER_STARTS.has(lowerStart(id)) &&
    PLACEHOLDER_LENGTHS.has(id.length) &&
    PLACEHOLDER_IDS.has(id.toLowerCase())
  )
}

/** Why an event with both ids made no link: one is a placeholder, or the anonymous id has another user. */
export const LINK_REFUSALS = ['placeholder', 'contradicted'] as const
export type LinkRefusal = (typeof LINK_REFUSALS)[number]

/** Whether an event with both ids links the anonymous one to the user. */
export function makesLink(anonymousId: string, userId: string): boolean {
  return !isPlaceholderId(anonymousId) && !isPlaceholderId(userId)
}

function lowerStart(id: string): number {
  return id.charCodeAt(0) | 32
}
