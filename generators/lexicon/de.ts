import { type Lexicon, words } from './lexicon.js'

export const de: Lexicon = {
  vagueLabels: words('absenden, senden, ok, bestätigen, abschicken, formular absenden, submit'),
  vagueLinks: words(
    `hier klicken, hier, mehr, mehr erfahren, weiterlesen, weiter, los geht’s, los geht's, jetzt starten,
    mehr infos, weitere informationen, mehr dazu, entdecken, jetzt entdecken, mehr ansehen`,
  ),
  moreLinks: {
    labels: ['mehr erfahren', 'weiterlesen', 'mehr infos', 'mehr dazu'],
    about: (label, topic) => `${label}: ${topic}`,
  },
  purposes: {
    'sign up': {
      named: /registrier|konto (erstellen|anlegen|eröffnen)|neues konto|mitglied werden|kostenlos testen/i,
      label: 'Konto erstellen',
      link: 'Konto erstellen',
    },
    'sign in': { named: /\b(anmelden|anmeldung|einloggen|login)\b/i, label: 'Anmelden' },
    contact: {
      named: /kontakt|schreiben sie uns|schreib uns|ihre nachricht|deine nachricht|\banfrage\b/i,
      label: 'Nachricht senden',
      link: 'Kontakt aufnehmen',
    },
    quote: {
      named: /\bangebot (anfordern|einholen|anfragen)\b|kostenvoranschlag|\bangebot\b/i,
      label: 'Angebot anfordern',
      link: 'Angebot anfordern',
    },
    booking: { named: /\btermin\b|\bbuch(en|ung)\b|reservier/i, label: 'Jetzt buchen', link: 'Jetzt buchen' },
    subscribe: { named: /newsletter|\babonnieren\b/i, label: 'Newsletter abonnieren' },
    purchase: { named: /\bkasse\b|\bbestell(en|ung)\b|\bkaufen\b|\bbezahlen\b/i, label: 'Jetzt bestellen' },
    cart: { named: /warenkorb/i, label: 'Zum Warenkorb', link: 'Zum Warenkorb' },
    search: { named: /\bsuche(n)?\b/i, label: 'Suchen' },
    plans: {
      named: /\bpreise\b|\btarife?\b|\bpreis(e|liste)\b/i,
      label: 'Tarife und Preise ansehen',
      link: 'Tarife und Preise ansehen',
    },
    review: { named: /bewertung|rezension/i, label: 'Bewertung abgeben', link: 'Bewertung schreiben' },
  },
  tidies:
    /\b(leeren|entfernen|löschen|abbrechen|verwalten|ändern|bearbeiten|zurück(setzen)?|speichern|schließen|aktualisieren|herunterladen|kopieren|teilen|drucken|stornier\w*|ausverkauft)\b/i,
  plainSignUps: words('registrieren, jetzt registrieren, anmelden, sign up, register'),
  acts: /\S+\s(buchen|anfordern|anfragen|bestellen|reservieren|vereinbaren|anmelden|bewerben|starten|finden|sichern|werden|spenden)$/i,
  places: {
    products: 'Alle Produkte ansehen',
    features: 'Funktionen ansehen',
    services: 'Leistungen ansehen',
    work: 'Projekte ansehen',
    how: 'So funktioniert es',
    reviews: 'Das sagen unsere Kunden',
    faq: 'Häufige Fragen lesen',
    team: 'Team kennenlernen',
    about: 'Über uns lesen',
    menu: 'Speisekarte ansehen',
    courses: 'Alle Kurse ansehen',
    events: 'Alle Termine ansehen',
  },
  fields: {
    coupon: /gutschein|rabatt-?code|aktionscode|promo-?code/i,
    company: /\b(firma|firmenname|unternehmen|organisation)\b/i,
    phone: /telefon|handy|mobilnummer|rufnummer/i,
    email: /\be-?mail/i,
    message: /nachricht|kommentar|\bfrage\b/i,
    search: /\bsuche/i,
    card: /kartennummer|kreditkarte/i,
    name: /\b(vor-?|nach-?)?name\b/i,
  },
  repeats: /wiederhol|bestätig|erneut|nochmal/i,
  optional: 'optional',
  isMarkedOptional: /optional|freiwillig/i,
  isMarkedRequired: /\*|pflichtfeld|erforderlich/i,
  recommended: 'Empfohlen',
  isMarked: /empfohlen|empfehlung|beliebt|meistgewählt|bestseller/i,
  isPlan: /\btarife?\b|pro monat|im monat|monatlich|pro jahr|jährlich|\/\s?monat|\babos?\b|\bpreise\b/i,
  couponQuestion: 'Gutscheincode vorhanden?',
  deadEnds: {
    cart: {
      says: /warenkorb ist (noch |derzeit )?leer|keine artikel im warenkorb/i,
      label: 'Weiter einkaufen',
    },
    results: {
      says: /keine (ergebnisse|treffer|produkte|artikel)( gefunden)?|nichts gefunden/i,
      label: 'Alles ansehen',
    },
    wishlist: {
      says: /(wunschliste|merkliste) ist (noch |derzeit )?leer|keine favoriten/i,
      label: 'Etwas Schönes finden',
    },
    orders: {
      says: /(noch )?keine (bestellungen|buchungen|reservierungen)( gefunden| vorhanden)?/i,
      label: 'Angebot ansehen',
    },
    missing: {
      says: /seite (wurde )?nicht gefunden|seite existiert nicht|\b404\b/i,
      label: 'Zur Startseite',
    },
  },
  reassurances: {
    'no card': /keine kreditkarte (nötig|erforderlich)|ohne kreditkarte/i,
    cancel: /jederzeit kündbar/i,
    trial: /\d+ tage (kostenlos|gratis)( testen)?/i,
    returns:
      /kostenlose (rückgabe|retoure|rücksendung)( innerhalb von \d+ tagen)?|\d+ tage rückgaberecht|\d+ tage geld-zurück-garantie/i,
    shipping: /(kostenloser|gratis) versand( ab \d+ ?€)?|versandkostenfrei( ab \d+ ?€)?/i,
    'answer time':
      /wir (antworten|melden uns) (innerhalb|binnen) (von )?(\d+|eines|einem|zwei) (stunden|werktag(s|en)?|tag(es|en)?)/i,
    'no spam': /kein spam|jederzeit abbestellbar/i,
    guarantee: /zufriedenheitsgarantie|geld-zurück-garantie|\d+ jahre garantie/i,
    secure: /sichere (bezahlung|zahlung)|sicher (bezahlen|einkaufen)|ssl-verschlüsselt/i,
    obligation:
      /(kostenlos und )?unverbindlich(e[sn]? (beratung|anfrage|angebot|erstgespräch))?|kostenlose[sn]? (erstberatung|beratung|erstgespräch|angebot)/i,
    proof:
      /(über |mehr als )?\d[\d.]{2,}\+? (zufriedene )?(kunden|kundinnen|mitglieder|patienten|gäste|teilnehmer|unternehmen)\b/i,
    free: /kostenlos(es|er)? (konto|tarif|registrier\w*)|die (anmeldung|registrierung) ist kostenlos|dauerhaft kostenlos/i,
  },
  freeLabel: (label) =>
    label.replace(/(?<=^| )(erstellen|anlegen|registrieren|testen|anmelden)$/i, 'kostenlos $1'),
  isFree: /kostenlos|gratis/i,
}
