import type { RequestHead } from '../../http/head.js'

/** Segment's clients send the key as the user name of Basic authentication, without a password. */
const BASIC = /^basic +([A-Za-z0-9+/=]+) *$/i

export function hasBasic(head: RequestHead): boolean {
  return head.authorization !== undefined && BASIC.test(head.authorization)
}

/** The head with the key as we expect it, and without a content type: every body is read as JSON. */
export function withBearer(head: RequestHead): RequestHead {
  const credentials = BASIC.exec(head.authorization ?? '')?.[1]
  const [key] = Buffer.from(credentials ?? '', 'base64')
    .toString('latin1')
    .split(':', 1)
  const authorization = credentials === undefined ? head.authorization : `Bearer ${key}`
  return { ...head, authorization, contentType: undefined }
}
