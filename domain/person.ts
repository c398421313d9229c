/**
 * Who an event belongs to: its own user, else the user its anonymous id is linked to, else the anonymous id.
 * A user id and an anonymous id of the same text are different persons.
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

/** First byte of the hashed text of a person key, so that the two kinds of id never meet. */
export const PERSON_KEY_TAGS = { user: 0x75, anonymous: 0x61 } as const
