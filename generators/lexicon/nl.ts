import type { Lexicon } from './lexicon.js'

export const nl: Lexicon = {
  purposes: {
    'sign up':
      /registre(er|ren)|account aanmaken|maak (een |je )?(gratis )?account|(word|worden) lid|lid worden|inschrijven(?!.*nieuwsbrief)|gratis proberen/i,
    'sign in': /\b(inloggen|login|log in)\b/i,
    contact: /contact|schrijf ons|(je|jouw|uw|een) (bericht|vraag)\b/i,
    quote: /offerte|prijsopgave/i,
    // "Boek" and "boeken" are books, too.
    booking:
      /afspra(ak|ken)|reserve(er|ren|ring)|\bboeking|\bboek (nu|een|je|uw|direct|online|hier)\b|\b(nu|direct|online|kamer|tafel|afspraak) boeken\b/i,
    subscribe: /nieuwsbrief/i,
    purchase: /afreken|\bbestel(len|ling)?\b|\bkopen\b|\bkoop nu\b|\bbetal(en|ing)\b/i,
    cart: /winkel(wagen|mand)/i,
    search: /\bzoek(en)?\b/i,
    plans: /\bprijzen\b|\btarieven\b|prijslijst|\babonnementen\b/i,
    review: /beoordeling|recensie|\breviews?\b/i,
  },
  tidies:
    /\b(leeg(maken)?|verwijder(en)?|annuleren|beheren?|wijzig(en)?|bewerk(en)?|terug|reset(ten)?|opslaan|sluit(en)?|bijwerken|download(en)?|kopieer|delen|afdrukken|toepassen|opnieuw|uitverkocht)\b/i,
  fields: {
    coupon: /kortingscode|actiecode|waardebon|cadeaubon/i,
    company: /\bbedrijf(snaam)?\b/i,
    phone: /telefoon|\bmobiel/i,
    email: /e-?mail/i,
    message: /\bbericht|opmerking|\bvraag\b/i,
    search: /\bzoek(en|term)?\b/i,
    card: /kaartnummer/i,
  },
  couponQuestion: 'Heb je een kortingscode?',
}
