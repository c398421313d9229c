import { isService, receiverKey } from '../../form-handlers.js'
import type { View } from '../../idea.js'
import { has } from '../../markup/tree.js'
import type { Form } from '../../surface.js'
import { withoutComments } from '../../uses.js'
import { callsIn, sendingOf, serviceOf } from './sending.js'

/** What sends, apart from calls with an address. */
const SENDS =
  /\b(?:fetch|\$fetch|ofetch|axios|useFetch|useMutation|mutate\w*|supabase|prisma|trpc|firebase|addDoc|setDoc|insert|upsert|sendBeacon|XMLHttpRequest)\b|["']use server["']|\baction\s*=\s*\{/
/** A message with what is filled in, which visitors send by a program of their own. */
const MESSAGES =
  /https:\/\/(?:wa\.me|api\.whatsapp\.com)\/[^\n]*text=(?:\$\{|["'`]\s*\+)|mailto:[^\n]*body=(?:\$\{|["'`]\s*\+)/
/** A service that fills in what the page gives it. */
const MAILS = /\bemailjs\s*\.send(?:Form)?\(/
/** What is waited for, and may be a sending that is not known. */
const WAITS = /\bawait\s+(?!emailjs\b)|\.then\(/

/**
 * Whether whoever receives a form takes it where one of its fields is empty: a service, a message that visitors send themselves, or code of the repository that is known
 * and looks at that field in no way. `false` where it is not known who receives it.
 */
export function takesEmpty({ page, site }: View, form: Form, names: readonly string[]): boolean {
  const code = withoutComments(page.text)
  const sending = sendingOf(page, form)
  const to = serviceOf(page, form) ?? sending?.to ?? null
  if (to !== null) {
    if (to.kind === 'address' && isService(to.address) && to.scripts === undefined) return true
    const handler = site?.handlers[receiverKey(page.path, to)]
    if (site === null || handler === undefined) return false
    if (handler.path === '') return true
    const isFree = (name: string): boolean =>
      !handler.insists.includes(name) && !site.fieldReads.needed.includes(name)
    return handler.reads.some((name) => names.includes(name)) && names.every(isFree)
  }
  const calls = callsIn(code)
  if (calls.length > 0) return calls.every(({ address }) => isService(address))
  if (has(form.element, 'action') || SENDS.test(code) || WAITS.test(code)) return false
  return MESSAGES.test(code) || MAILS.test(code)
}
