/** What a form or a button is for, as far as its words and address say it. */
export const PURPOSES = [
  'sign up',
  'sign in',
  'contact',
  'quote',
  'booking',
  'subscribe',
  'purchase',
  'cart',
  'search',
  'plans',
  'review',
] as const
export type CtaPurpose = (typeof PURPOSES)[number]

export const FIELD_KINDS = [
  'coupon',
  'company',
  'phone',
  'email',
  'message',
  'search',
  'card',
  'name',
] as const
export type FieldKind = (typeof FIELD_KINDS)[number]

export type ReassuranceKind =
  | 'no card'
  | 'cancel'
  | 'trial'
  | 'returns'
  | 'shipping'
  | 'answer time'
  | 'no spam'
  | 'guarantee'
  | 'secure'
  | 'obligation'
  | 'proof'
  | 'free'

/** Goals of addresses, by the words of paths and anchors in any language. */
export const PLACES = {
  products:
    /\b(products?|shop|store|catalog(ue)?|collections?|produkte|boutique|produits|tienda|productos|produtos|loja)\b/i,
  features: /\b(features?|funktionen|fonctionnalites|funciones|caracteristicas)\b/i,
  services: /\b(services?|leistungen|angebote?|prestations|servicios|servicos)\b/i,
  work: /\b(portfolio|gallery|galerie|galeria|projects?|projekte|projets|proyectos|works?|referenzen)\b/i,
  how: /\b(how(-?it-?works)?|ablauf|so-?funktionierts?|comment-?ca-?marche|como-?funciona)\b/i,
  reviews: /\b(testimonials?|reviews?|bewertungen|kundenstimmen|avis|temoignages|opiniones|testimonios)\b/i,
  faq: /\b(faqs?|questions|fragen|preguntas)\b/i,
  team: /\b(team|equipe|equipo)\b/i,
  about: /\b(about(-?us)?|ueber-?uns|uber-?uns|a-?propos|qui-?sommes-?nous|nosotros|sobre(-?nos)?)\b/i,
  menu: /\b(menu|speisekarte|carte|carta)\b/i,
  courses: /\b(courses?|kurse|classes|cours|cursos|workshops?)\b/i,
  events: /\b(events?|veranstaltungen|termine|evenements|eventos)\b/i,
} as const
export type Place = keyof typeof PLACES

export const DEAD_ENDS = ['cart', 'results', 'wishlist', 'orders', 'missing'] as const
export type DeadEnd = (typeof DEAD_ENDS)[number]

/** Texts that are separated by commas. */
export const words = (list: string): string[] => list.split(/,\s+/)

/** The words of one language that rules read and write. Everything here is data; rules hold no words. */
export interface Lexicon {
  /** labels of forms that do not say what happens: "Submit" */
  vagueLabels: readonly string[]
  /** links that do not say where they lead: "Click here" */
  vagueLinks: readonly string[]
  /** links that lead to more on a topic, and how one says which */
  moreLinks: { labels: readonly string[]; about: (label: string, topic: string) => string }
  /** names of the purpose in headings and labels, a button that sends it off, and a link that leads to it */
  purposes: Readonly<Record<CtaPurpose, { named: RegExp; label: string; link?: string }>>
  /** buttons that tidy up, change or go back, whatever else they name: "Clear cart" */
  tidies: RegExp
  /** labels of a sign-up that name the act and not the result */
  plainSignUps: readonly string[]
  /** headings of forms that name an act, so that they fit on its button: "Book a table" */
  acts: RegExp
  /** links that say what is at an address */
  places: Readonly<Record<Place, string>>
  fields: Readonly<Record<FieldKind, RegExp>>
  /** the second of two password fields */
  repeats: RegExp
  optional: string
  isMarkedOptional: RegExp
  isMarkedRequired: RegExp
  recommended: string
  /** an option or a plan that is marked already */
  isMarked: RegExp
  /** words of plans that are paid by the month or the year */
  isPlan: RegExp
  couponQuestion: string
  /** texts at which a visitor cannot go on, and the label of a way on */
  deadEnds: Readonly<Record<DeadEnd, { says: RegExp; label: string }>>
  /** phrases that answer a doubt; the first match is the phrase */
  reassurances: Readonly<Record<ReassuranceKind, RegExp>>
  /** `Sign up` becomes `Sign up for free` */
  freeLabel: (label: string) => string
  isFree: RegExp
}
