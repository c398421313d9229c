import type { DropReason, Refusal } from '../port.js'
import { FOUND } from './answer.js'
import type { Framework } from './frameworks.js'

export interface RefusedIdea {
  name: string
  /** as the model wrote it, also if it does not match the schema */
  idea: object
  edits: readonly { path: string; find: string }[]
  refusal: Refusal
}

interface Rule {
  text: string
  /** whether a correction has to know it; @default only the author does */
  ofRepair?: (refused: RefusedIdea) => boolean
}

const always = (): boolean => true
const is =
  (reason: DropReason) =>
  ({ refusal }: RefusedIdea): boolean =>
    refusal.reason === reason
/** Whether an idea or what is wrong with it has these words. */
const says =
  (words: RegExp) =>
  ({ idea: one, refusal }: RefusedIdea): boolean =>
    words.test(JSON.stringify(one)) || words.test(refusal.message)

const RULES: readonly Rule[] = [
  {
    text: `It changes what visitors see or have to do, at a place where they decide or give up, in a way that a product team would discuss, and an event can measure it. Do not propose what the page says or does already.`,
  },
  {
    text: `Each edit has the path of a file that you were shown. "find" is copied from it character by character, stands in it exactly once, and is one whole unit: an element with its tags; a text up to the next tag or brace; the whole value of an attribute; in JSX and TSX also a whole expression or string literal inside of braces, or code between tags with its braces; in JS and TS a whole string literal with its quotes; in a file of texts the whole value with its quotes. If a text stands more than once, or has code inside, take the element around it. In JSX and TSX, "find" has no white space at its edges.`,
    ofRepair: always,
  },
  {
    text: `Variants that change one place have the same "find" there, in one edit each: a text and the element around it are two finds of one place, and are refused.`,
    ofRepair: says(/overlaps|same `find`/),
  },
  {
    text: `"replace" is valid in the place of "find". It uses names that are declared before that place and in scope there, properties that this file reads of them, and the elements, components and attributes that the file has or imports, or plain text elements (p, span, strong, ul, li, h2, h3, details, summary). To put something before or behind a unit, or around it, write ${FOUND} for the unit: ${FOUND}<p>…</p>. It may read values, compare them, and call methods that change nothing (toFixed, includes, join, slice; of lists map, filter, some and every, with a function of one or two parameters that only returns a value). A component may get an attribute in the words in which another file gives it. An empty "replace" removes an element or a text that has others beside it; in HTML files, write the element around it without it. It brings in no script, style, event handler, form target, password field, frame or address of another site.`,
    ofRepair: always,
  },
  {
    text: `Of a link that opens a message (wa.me, mailto:, sms:) the words that it fills in may change, never the number or address.`,
    ofRepair: says(/wa\.me|mailto:|sms:/),
  },
  {
    text: `A new link leads to a path that the site links to already, to an address that the same file links to, with tel:, mailto: or https://wa.me/ to a number or address that any file links to so or prints (wa.me only if the site has WhatsApp), or to the id of an element on the same page (#prices) or on one that the site links to (rooms.html#prices), and its words say where it leads: "See all lamps" does not lead to the home page.`,
    ofRepair: says(/\b(?:href|to|link)\b/),
  },
  {
    text: `It adds no entry to a list or an object in code: change the words of one that is there.`,
    ofRepair: always,
  },
  {
    text: `"plain" edits are needed by all variants and change nothing that the control shows: an import that another file has in the same words, a key in the file of each language. Most ideas need none. Files of texts in JSON or YAML have no variants: leave their texts, add new keys to the file of each language by plain edits, and show these in the variants of the component, as it shows others: {m.hero_new()}, {t('hero.new')}.`,
    ofRepair: says(/"plain":\[\{|import|\bkey\b|\btexts\b|\.(?:json|ya?ml)"/),
  },
  {
    text: `It looks as if it had always been there. New elements have the classes of their siblings of the same kind: no bare <a>, <p> or <div> among styled ones. Labels fit where they stand, also on small cards and phones. A value that may be missing is shown only if it is there, never as " guests".`,
    ofRepair: always,
  },
  {
    text: `In a Server Component only elements, texts and attributes of its JSX can be changed, not constants, loaded data or other code of the file; both alternatives are rendered for all visitors, so none may fail or be slow. Files that no page shows can have no variants.`,
    ofRepair: says(/server/i),
  },
  {
    text: `Invent no facts: no number, price, discount, deadline, guarantee, customer or feature that no file you were shown states. Repeat a promise with all that limits it: "usually within 24 working hours" is not "24h".`,
    ofRepair: always,
  },
  {
    text: `No pressure, no feigned scarcity, no shaming, nothing hidden, no consent by default. Keep labels, alternative texts and keyboard use.`,
    ofRepair: always,
  },
  {
    text: `Keep the form of address, capitals and punctuation of the page. Variants differ in substance, not in a word.`,
    ofRepair: always,
  },
  {
    text: `The page works there: a button or link that does nothing is a fault, which is mended before anything is tested on it. You may put a working link in place of a dead button or link: name the idea so, as an obstacle removed.`,
  },
  {
    text: `One idea may change the order of parts, and may change several files.`,
  },
  {
    text: `Two ideas never change the same element, nor one a part of the other's, and never make the same change in two files: that is one idea.`,
    ofRepair: is('duplicate'),
  },
  {
    text: `New texts are in the language of the page. All else is in English: name, problem, evidence, hypothesis, against, topics, "when", names of variants.`,
    ofRepair: always,
  },
  {
    text: `"name" is what a product manager writes on a card, as: Say on the button that sign-up is free. "hypothesis" is one sentence: If we …, then … , because …. "evidence" names the file or the figure that shows the problem. "against" is the best argument against the idea. "topics" are two to five words about place and subject, as: checkout, shipping, button.`,
    ofRepair: is('malformed'),
  },
  {
    text: `mechanism is what makes it work: clarity, specificity, friction, urgency, proof, risk reversal, default choice or order.`,
    ofRepair: is('malformed'),
  },
  {
    text: `The first target is the event that the idea is meant to change. Take targets from the known events; events in code count as known; if none fits, name one that the site should send, as order_placed, and say when.`,
    ofRepair: is('malformed'),
  },
  {
    text: `Do not propose what is running, what was dismissed, what lost before, or what a note of the team forbids. An idea that won on one place is worth proposing for the next.`,
  },
  {
    text: `Rather fewer ideas than weak ones: leave out what you would not run yourself.`,
  },
]

/** The rules for writing, with those of the site's frameworks. For corrections only those that they need. */
export function writingRules(
  frameworks: readonly Framework[] = [],
  refused?: readonly RefusedIdea[],
): string {
  const needed = RULES.filter(({ ofRepair }) => refused?.some((one) => ofRepair?.(one)) ?? true)
  const known = frameworks.flatMap(({ name, rule }) => (rule === undefined ? [] : [`${name}: ${rule}`]))
  return [
    'Rules for every idea:',
    ...needed.map(({ text }) => `- ${text}`),
    ...known.map((one) => `- ${one}`),
  ].join('\n')
}
