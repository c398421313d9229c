import type { Form } from '../page/forms.js'
import { elementsIn, given, type PageElement } from '../page/tree.js'
import type { PageContext } from './rule.js'
import { namesOf } from './ways.js'

/** A form that posts to the address of an example reaches no one. */
const SAMPLE_ACTION = /\byour\b|placeholder|example\.(com|org)|form[-_]?id\b|x{4}/i
const NO_ACTION = /\saction\s*=\s*\{?(?:"#?"|'#?')\}?(?:\s+method=["'{]+\w+)?/
/** Code that may read or send what people type. */
const SENDS =
  /submit|action|method|click|press|change|input=|enhance|\bref\b|\{\.\.\.|v-|bind:|value=\{|register|\bid=/i

/** Code that waits in place of sending, and code that may send. */
const SIMULATES = /\bsimulat(e|es|ed|ing|ion)\b|setTimeout\(\s*(resolve|res|r|\(\)\s*=>\s*(resolve|res|r)\()/i
const MAY_SEND =
  /\b(fetch|axios|ky|ofetch|\$http|mutate\w*|useMutation|supabase|emailjs|trpc|httpsCallable|addDoc|insert|invoke|enhance)\b|\baction=|\.(post|send|submit\w*)\(|wa\.me|whatsapp|mailto:(?!\[)|\bawait (?!new Promise|\w+\.?(validate|trigger)\b)[\w.]+\(/i
/** An address that a tool has masked. */
const MASKED = /mailto:\[email/

/** Whether a form reaches no one: it posts to the address of an example, or nowhere and no code reads it. */
export function isDeadForm({ element }: Form, { page, bound }: PageContext): boolean {
  const { text, dialect } = page
  if (SAMPLE_ACTION.test(given(element, 'action') ?? '')) return true
  const openingOf = ({ start }: PageElement): string => text.slice(start, text.indexOf('>', start))
  const all = [element, ...elementsIn(element)]
  if (dialect === 'html')
    return (
      NO_ACTION.test(openingOf(element)) &&
      !bound.has('form') &&
      !all.some((one) => /\son\w+=/.test(openingOf(one)) || namesOf(one).some((name) => bound.has(name)))
    )
  if (MASKED.test(text) || (SIMULATES.test(text) && !MAY_SEND.test(text))) return true
  if (element.tag !== 'form') return false
  return !all.some((one) =>
    SENDS.test(
      openingOf(one)
        .replace(/\btype=["'{]+submit/, '')
        .replace(NO_ACTION, ''),
    ),
  )
}
