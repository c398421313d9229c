import { UnsupportedEditError } from '../../variants/dialect.js'
import type { Edit } from '../../variants/port.js'
import { isPagePath } from '../surface-rank.js'
import { editsOf, editsOfAdditions } from './edits.js'
import { type Facts, factsOf, NO_FACTS } from './facts.js'
import { type FieldReads, fieldReadsOf } from './field-reads.js'
import { postsOf, type Receiver } from './form-handlers.js'
import type { Evidence, Idea, KnownMark, Rule, Site } from './idea.js'
import { type Imports, importsOf } from './imports.js'
import { type Texts, textOfKey } from './locales.js'
import { pageOf } from './markup/page.js'
import {
  elementsIn,
  given,
  isWithin,
  type Page,
  type Place,
  type Taken,
  textsIn,
  type Wording,
  wordsIn,
} from './markup/tree.js'
import { belowPrices } from './mechanisms/act/below-prices.js'
import { pageAtOnce } from './mechanisms/arrival/page-at-once.js'
import { popUpWaits } from './mechanisms/arrival/pop-up-waits.js'
import { signUpFirst } from './mechanisms/arrival/sign-up-first.js'
import { amount } from './mechanisms/choice/amount.js'
import { guest } from './mechanisms/choice/guest.js'
import { marksOf } from './mechanisms/choice/marks.js'
import { stated } from './mechanisms/choice/stated.js'
import { yearly } from './mechanisms/choice/yearly.js'
import { answerTime } from './mechanisms/evidence/answer-time.js'
import { figures } from './mechanisms/evidence/figures.js'
import { lineAtSignUp } from './mechanisms/evidence/line-at-sign-up.js'
import { asksSite, nextStep } from './mechanisms/evidence/next-step.js'
import { proof } from './mechanisms/evidence/proof.js'
import { reassurance } from './mechanisms/evidence/reassurance.js'
import { PROMISED, riskReversal } from './mechanisms/evidence/risk-reversal.js'
import { saidWhereDeciding } from './mechanisms/evidence/said-where-deciding.js'
import { urgency } from './mechanisms/evidence/urgency.js'
import { friction } from './mechanisms/forms/friction.js'
import { once } from './mechanisms/forms/once.js'
import { onceBySchema } from './mechanisms/forms/once-schema.js'
import { phoneOptional } from './mechanisms/forms/phone-optional.js'
import { asksLess, receiversOf, scriptsBesideForms, spokenBy } from './mechanisms/forms/sending.js'
import { statedRule } from './mechanisms/forms/stated-rule.js'
import { steps } from './mechanisms/forms/steps.js'
import { survey } from './mechanisms/forms/survey.js'
import { askLess } from './mechanisms/forms/unread.js'
import { askAgain } from './mechanisms/layout/ask-again.js'
import { defaultChoice } from './mechanisms/layout/default-choice.js'
import { earlier } from './mechanisms/layout/earlier.js'
import { images } from './mechanisms/layout/images.js'
import { navigation } from './mechanisms/layout/navigation.js'
import { openings } from './mechanisms/layout/openings.js'
import { order } from './mechanisms/layout/order.js'
import { product } from './mechanisms/layout/product.js'
import { reveal } from './mechanisms/layout/reveal.js'
import { mainButtonFirst } from './mechanisms/layout/sections.js'
import { waysToBuy } from './mechanisms/layout/ways-to-buy.js'
import { dialsWhereItSays } from './mechanisms/leads/dials.js'
import { noResults } from './mechanisms/leads/no-results.js'
import { outward } from './mechanisms/leads/outward.js'
import { plainStep } from './mechanisms/leads/plain-step.js'
import { startsElsewhere } from './mechanisms/leads/starts.js'
import { titledBySetup } from './mechanisms/opening/described.js'
import { lead } from './mechanisms/opening/lead.js'
import { still } from './mechanisms/opening/still.js'
import { actBelow } from './mechanisms/phones/act-below.js'
import { actInBar } from './mechanisms/phones/act-in-bar.js'
import { buyBelow } from './mechanisms/phones/buy-below.js'
import { buyInSight } from './mechanisms/phones/buy-in-sight.js'
import { callInBar } from './mechanisms/phones/call-in-bar.js'
import { formFirst } from './mechanisms/phones/form-first.js'
import { titleFirst } from './mechanisms/phones/title-first.js'
import { fittingFirst } from './mechanisms/sequence/fitting-first.js'
import { offerFirst } from './mechanisms/sequence/offer-first.js'
import { voicesAtForm } from './mechanisms/sequence/voices-at-form.js'
import { clarity } from './mechanisms/words/clarity.js'
import { destinations } from './mechanisms/words/destinations.js'
import { empty } from './mechanisms/words/empty.js'
import { firstStep } from './mechanisms/words/first-step.js'
import { headings } from './mechanisms/words/headings.js'
import { nounOnButton } from './mechanisms/words/noun-on-button.js'
import { specificity } from './mechanisms/words/specificity.js'
import { neverOpened, withoutNeverOpened } from './never-opened.js'
import { sentEventsOf } from './sent-events.js'
import { spokenKey } from './spoken.js'
import { type Kept, keptBy, type Shown, seenByAll, shownAtRoot, shownToStaff } from './start-pages.js'
import { figuresOf, listedIn } from './statements.js'
import { formsOf, hasDeadForm, idleForms, plansOf } from './surface.js'
import { usesOf, withoutComments, wordedPath } from './uses.js'
import { isAddressedOtherwise } from './words/address.js'
import { type Language, languageOf } from './words/language.js'
import { isStandIn } from './words/stand-in.js'

/** An idea with its edits: plain data, the same for the same text. */
export interface Draft extends Omit<Idea, 'arms'> {
  path: string
  /** plain edits that come along, in files of texts */
  additions: { path: string; edits: Edit[] }[]
  /** languages in which the new words could not be written */
  unwritten: string[]
  arms: { key: string; name: string; says: string | null }[]
  edits: Edit[]
  /** the other places of a change that is one everywhere */
  places?: { path: string; anchor: string }[]
}

export interface Findings {
  drafts: Draft[]
  /** how many ideas have a text that stands several times, so that no edit could say which is meant */
  ambiguous: number
  /** classes that stand in the file: what the site has a style for */
  classes: string[]
  /** of its texts; `null` where it is not known */
  language: Language | null
  /** its few words say no language: those of the other files may */
  isOpen: boolean
  /** what it names of other files */
  uses: string[]
  /** what it takes from them, and hands on */
  imports: Imports
  /** it speaks of making an account */
  signsUp: boolean
  /** what it has of setting a forgotten password anew */
  setsAnew: readonly PasswordStep[]
  /** its code asks a server for something */
  asksServer: boolean
  /** how it reads fields of forms */
  fieldReads: FieldReads
  /** how its data says what most choose */
  marks: Omit<KnownMark, 'path'>[]
  /** addresses at which its own server takes what is sent */
  posts: string[]
  /** who receives what its forms send */
  receivers: Receiver[]
  /** the scripts that decide whether anything sends its forms, where it has some that nothing else does; `areAll`: it has no others */
  idle: { scripts: readonly string[]; areAll: boolean } | null
  /** texts of other files that its forms show */
  spoken: Taken[]
  /** events that it sends to the site's own analytics */
  sentEvents: string[]
  /** what it calls all pages in the bar of the window, where it sets that up */
  titledAll: string | null
  /** what its routes show where a site begins */
  atRoot: Shown[]
  /** parts that its routes show to staff alone */
  ofStaff: readonly string[]
  /** the addresses that it lets everybody see, and no others */
  seenByAll: readonly string[] | null
  /** the addresses that it keeps for some */
  kept: Kept
  /** what other files' proposals can lean on */
  facts: Facts
  /** whether more could be found with the texts of languages, or with what the rest of the site says */
  asks: 'texts' | 'site' | null
}

/** Legal texts, whose order and words are law, and what only those see who run the site. */
const NOBODYS =
  /(^|[/_.-])(agb|terms(-?(of-?(use|service)|and-conditions))?|tos|impressum|imprint|privacy(-?policy)?|datenschutz\w*|widerruf\w*|legal(-?notice)?|cgu|cgv|mentions-legales|confidentialite|aviso-legal|privacidad|conditions-?generales\w*|admin|backoffice|back-office|studio|cms|payload|keystatic)(?=[/_.-]|$)/i

/** What another part has taken the place of. */
const KEPT = /(^|\/)[\w()-]+[-_](?:old|bak|backup|deprecated|unused)(?=[/.])/i

/** Where those work who are paid for it: nobody of them has to be won. */
const isStaffs = (path: string): boolean =>
  /(^|[/_.-])(admin|administration|verwaltung|vorstand|intern|backoffice|staff|employees?|inventory|empleados?|mitarbeiter|employes?)(?=[/_.-]|$)|(^|\/)(pages|routes|views|app|dashboard)\/(.*\/)?support\/[^/]+\/|(^|\/)(pages|routes|views|screens)\/(.*[/_.-])?(backend|cockpit|leitstand)(?=[/_.-])/i.test(
    wordedPath(path),
  )

/** Code that stands in what somebody has written, as an example, and further forms of one page that a theme has to choose from. */
const EXAMPLE = /(^|\/)content\/.+\.[jt]sx?$|(^|\/)(index|home)-?[2-9]\.\w+$/

/** Where nobody comes who could be won. */
export const isNobodys = (path: string): boolean =>
  [NOBODYS, EXAMPLE, KEPT].some((one) => one.test(path)) || isStaffs(path)

const RULES: readonly Rule[] = [
  clarity,
  specificity,
  friction,
  askLess,
  once,
  onceBySchema,
  phoneOptional,
  survey,
  urgency,
  proof,
  riskReversal,
  defaultChoice,
  order,
  destinations,
  mainButtonFirst,
  askAgain,
  nextStep,
  openings,
  navigation,
  product,
  reveal,
  images,
  steps,
  empty,
  headings,
  reassurance,
  earlier,
  lead,
  still,
  figures,
  lineAtSignUp,
  firstStep,
  statedRule,
  waysToBuy,
  yearly,
  saidWhereDeciding,
  answerTime,
  stated,
  amount,
  guest,
  voicesAtForm,
  offerFirst,
  fittingFirst,
  startsElsewhere,
  dialsWhereItSays,
  plainStep,
  outward,
  noResults,
  nounOnButton,
  belowPrices,
  actInBar,
  callInBar,
  buyBelow,
  actBelow,
  signUpFirst,
  pageAtOnce,
  popUpWaits,
  formFirst,
  titleFirst,
  buyInSight,
]

/** What programs write all that a page shows into, once it is there. */
const WRITTEN_INTO = /^(root|__next|__nuxt|___gatsby)$/

/** Whether what a page of HTML shows is written anew by code: what is changed in it nobody sees. */
const isWrittenByCode = ({ dialect, root, text }: Page): boolean =>
  dialect === 'html' &&
  /<script\b/i.test(text) &&
  elementsIn(root).some((one) => WRITTEN_INTO.test(given(one, 'id') ?? '') && wordsIn(one) !== '')

/** What can be proposed for one file, by itself. `null` where the file cannot be read as what its name says. */
export function analyse(
  path: string,
  text: string,
  locale: string | null,
  around: { texts: Texts; site: Site } | null = null,
): Findings | null {
  let page: Page | null
  const wording: Wording = {
    asked: false,
    of: (key, namespace) => (around === null ? undefined : textOfKey(around.texts, key, namespace)),
    taken: [],
    constant: (expression) => around?.site.spoken[spokenKey(path, expression)]?.says,
  }
  try {
    page = pageOf(path, text, wording)
  } catch (error) {
    if (error instanceof UnsupportedEditError) return null
    throw error
  }
  if (page === null) return { ...nothingIn(path, text), asks: wording.asked ? 'texts' : null }
  if (isWrittenByCode(page)) return nothingIn(path, text)
  if (around !== null) {
    page.texts = around.texts
    page.spoken = wording.constant
  }
  page.isTranslated = wording.asked
  const said = [...textsIn(page.root)].map(({ value }) => value).join(' ')
  const placeholders = [...elementsIn(page.root)].map((one) => given(one, 'placeholder') ?? '').join(' ')
  const words = `${said} ${placeholders}`
  const spoken = wording.asked ? (around?.texts.main[0]?.language ?? null) : null
  // Of a page that goes through a list of its own the list says its language.
  const language =
    languageOf(words, page.lang, locale ?? spoken) ??
    languageOf([words, ...listedIn(page)].join(' '), page.lang, locale ?? spoken)
  const view = {
    page,
    language,
    forms: formsOf(page, {
      isKit: around?.site.isKit === true,
      isIdle: around?.site.idle.includes(path) === true,
    }),
    plans: plansOf(page),
    site: around?.site ?? null,
  }
  const drafts: Draft[] = []
  let ambiguous = 0
  let closed: readonly Place[] | null = null
  const isClosed = ({ arms }: Idea): boolean => {
    closed ??= neverOpened(text)
    const places = closed
    return arms.some(({ changes }) => changes.some((one) => places.some((place) => isWithin(one, place))))
  }
  const taken = wording.taken.flatMap(
    ({ expression }) => around?.site.spoken[spokenKey(path, expression)] ?? [],
  )
  for (const rule of isNobodys(path) ? [] : RULES) {
    for (const idea of rule(view)) {
      if (isClosed(idea)) continue
      // Whoever is called by one name here is not by another in one line.
      if (idea.arms.some(({ says }) => says !== null && isAddressedOtherwise(says, said, language))) continue
      // What has still to be written is worth no test.
      if (idea.arms.some(({ says }) => says !== null && isStandIn(says)) || isStandIn(idea.name)) continue
      const draft = draftOf(page, idea)
      if (draft === null) ambiguous += 1
      else drafts.push(withSources(draft, taken))
    }
  }
  // What it says for others has been gathered when it was read first.
  if (around !== null) return { ...nothingIn(path, ''), drafts, ambiguous, language }
  const receivers = isNobodys(path) ? [] : receiversOf(page, view.forms)
  const idle = isNobodys(path) ? null : idleForms(page)
  const beside = idle === null ? null : scriptsBesideForms(page)
  const isOpen =
    language === null &&
    page.lang === null &&
    words.trim() !== '' &&
    /^[\p{Script=Latin}\P{L}]*$/u.test(words)
  return {
    drafts,
    ambiguous,
    classes: classesOf(page),
    language,
    isOpen,
    ...namedIn(path, text),
    // The fine print says what holds under its conditions.
    facts: isNobodys(path)
      ? { ...NO_FACTS, figures: language === null ? [] : figuresOf(page, language) }
      : factsOf(page, language),
    receivers,
    idle: idle === null || beside === null ? null : { scripts: beside, areAll: idle.areAll },
    spoken: [
      ...wording.taken,
      ...(receivers.length === 0 && !asksLess(view) ? [] : spokenBy(page, view.forms)),
    ],
    asks: wording.asked
      ? 'texts'
      : wording.taken.length > 0 ||
          asksSite(view) ||
          drafts.some(({ pattern }) => pattern === PROMISED) ||
          asksLess(view) ||
          hasDeadForm(page) ||
          beside !== null
        ? 'site'
        : null,
  }
}

const SIGNS_UP =
  /sign.?up|register(?!\()|registration|create.{0,10}account|registrier|konto (erstellen|anlegen)|s.inscrire|créer un compte|crear.{0,6}cuenta|regístr/i

const SETS_ANEW =
  /forgot(ten)?[-_ ]?(your[-_ ]?|my[-_ ]?)?(password|pw\b)|recover[-_ ]?(your[-_ ]?)?password|password[-_ ]?recover|lost[-_ ]?password|passwor[dt].{0,4}vergessen|mot[-_ ]de[-_ ]passe.oubli|contraseña.{0,12}olvid|olvid.{0,12}contraseña|magic.?link/i

/** Of setting a password anew: it is offered, a library mails the way there, the new one is taken, it is known that a mail is sent, visitors are told so, a page is there where one asks
 * for it, or the link to it leads nowhere. */
export type PasswordStep = 'offered' | 'mailed' | 'taken' | 'sent' | 'said' | 'reached' | 'leads nowhere'

/** What services for accounts mail themselves. */
const SERVICE_MAILS =
  /\b(resetPasswordForEmail|sendPasswordResetEmail|forgetPassword|requestPasswordReset|sendResetPassword|customerRecover|customerSendPasswordReset\w*|reset_password_email_code)\b/
const MAILS =
  /\b(sendMail|send_mail|emails\.send|sgMail|mailgun|postmark|mailjet|transporter\.|nodemailer|SendEmailCommand)\b|\bsend\w*(Mail|Email)\w*\(/
/** Somebody has still to write it. */
const UNSENT = /\b(TODO|FIXME)\b[^\n]{0,80}\b(e-?mail|send)/i

/** The page on which one asks for a new one, and code of a page that does so. */
const FORGOT_PAGE = /forgot|reset|recover|lost-?pass|vergessen|zuruecksetzen|oubli|olvid|recuperar/i
const FORGOT_CALL =
  /\b(?:forgot|forget|reset|recover|requestPasswordReset|sendPasswordReset|sendReset)\w*(?:Password|Email|Mail)?\w*\s*\(|magic.?link/i

/** A link for those who have forgotten it, which nothing happens at. */
const FORGOT_NOWHERE =
  /href=\{?["']#?["'](?![^>]*(?:@click|on:?click))[^>]*>\s*[^<>]{0,12}(?:forgot|passwort vergessen|mot de passe oubli|olvid)/i

function* passwordStepsIn(path: string, code: string): Generator<PasswordStep> {
  if (SETS_ANEW.test(path) || SETS_ANEW.test(code)) yield 'offered'
  if (isPagePath(path) && (FORGOT_PAGE.test(path) || FORGOT_CALL.test(code))) yield 'reached'
  if (FORGOT_NOWHERE.test(code)) yield 'leads nowhere'
  if (/\bresetPasswordForEmail\(/.test(code)) yield 'mailed'
  if (/\bupdateUser\(/.test(code)) yield 'taken'
  if (
    SERVICE_MAILS.test(code) ||
    (/reset|forgot|recover/i.test(`${path} ${code}`) && /passwor[dt]/i.test(code) && MAILS.test(code))
  )
    yield 'sent'
  if (SAYS_MAILED.test(code.replace(/\s+/g, ' '))) yield 'said'
}

/** That a forgotten password is set anew by mail, as visitors read it. */
const SAYS_MAILED =
  /\b(?:we(?:'|’|&rsquo;)?(?:ll| will)?|you(?:'|’|&rsquo;)?(?:ll| will)?) (?:e-?mail|send|receive|get)\b[^.<]{0,40}\b(?:link|code|instructions)\b[^.<]{0,30}\breset\b|link zum zurücksetzen|lien (?:de|pour) réinitialis|enlace para (?:restablecer|cambiar)/i

/** Whether code asks a server for anything, in a way that is its own or a service's. */
const ASKS_SERVER =
  /\bfetch\s*\(|XMLHttpRequest|\baxios\b|\$\.(?:ajax|post|get|getJSON)\b|sendBeacon|["']use server["']|\b(?:use|create)\w*(?:Mutation|Client)\b|supabase|firebase|emailjs|formspree|web3forms|formsubmit|getform|netlify|\bgraphql\b|\bmailto:/i

const MAX_MARKS = 20

function namedIn(
  path: string,
  text: string,
): Pick<
  Findings,
  | 'uses'
  | 'imports'
  | 'signsUp'
  | 'setsAnew'
  | 'asksServer'
  | 'fieldReads'
  | 'marks'
  | 'sentEvents'
  | 'atRoot'
  | 'ofStaff'
  | 'seenByAll'
  | 'kept'
  | 'posts'
  | 'titledAll'
> {
  const code = withoutComments(text)
  const shown = withoutNeverOpened(code)
  return {
    uses: usesOf(shown.uses),
    imports: importsOf(shown.code, shown.unshown),
    signsUp: SIGNS_UP.test(path) || SIGNS_UP.test(text),
    setsAnew: isNobodys(path) || UNSENT.test(text) ? [] : [...passwordStepsIn(path, code)],
    asksServer: ASKS_SERVER.test(code),
    fieldReads: fieldReadsOf(code),
    marks: marksOf(code)
      .slice(0, MAX_MARKS)
      .map(({ property, says }) => ({ property, says })),
    sentEvents: sentEventsOf(code),
    atRoot: shownAtRoot(code),
    ofStaff: shownToStaff(code),
    seenByAll: seenByAll(path, code),
    kept: keptBy(path, code),
    posts: postsOf(code),
    titledAll: titledBySetup(path, code),
  }
}

/** Of a file that shows nothing: what it names of others. */
export const nothingIn = (path: string, text: string): Findings => ({
  drafts: [],
  ambiguous: 0,
  classes: [],
  language: null,
  isOpen: false,
  ...namedIn(path, text),
  facts: NO_FACTS,
  receivers: [],
  idle: null,
  spoken: [],
  asks: null,
})

/** With the files that say what it says anew, where the page has that from them. */
function withSources(draft: Draft, taken: readonly Evidence[]): Draft {
  const own = taken.filter(({ says }) => draft.arms.some((arm) => arm.says?.includes(says) === true))
  return own.length === 0 ? draft : { ...draft, evidence: [...(draft.evidence ?? []), ...own] }
}

function draftOf(page: Page, idea: Idea): Draft | null {
  const { arms, ...rest } = idea
  const keyed = arms.map((arm, index) => ({ ...arm, key: String.fromCharCode('b'.charCodeAt(0) + index) }))
  const edits = editsOf(page, Object.fromEntries(keyed.map(({ key, changes }) => [key, changes])))
  if (edits === null) return null
  const additions = editsOfAdditions(arms.flatMap(({ changes }) => changes))
  return {
    ...rest,
    path: page.path,
    edits,
    additions,
    unwritten: [
      ...new Set(
        arms.flatMap(({ changes }) =>
          changes.flatMap(({ additions: all = [] }) =>
            all.flatMap(({ unwritten }) => (unwritten === undefined ? [] : [unwritten])),
          ),
        ),
      ),
    ].sort(),
    arms: keyed.map(({ key, name, says }) => ({ key, name, says })),
  }
}

function classesOf(page: Page): string[] {
  const found = new Set<string>()
  for (const element of elementsIn(page.root))
    for (const one of (given(element, 'class') ?? '').split(/\s+/))
      if (/^((?:[a-z]+[-_])*(?:btn|button|cta|knopf|bouton|bot[oó]n|schaltflaeche))-/i.test(one))
        found.add(one)
  for (const one of elementsIn(page.root)) {
    const variant = /^(Button|Btn)$/.test(one.tag) ? given(one, 'variant') : null
    if (variant !== null) found.add(`${one.tag} ${variant}`)
  }
  return [...found]
}
