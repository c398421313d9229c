import type { Lexicon } from './lexicon.js'

export const de: Lexicon = {
  purposes: {
    'sign up': /registrier|konto (erstellen|anlegen|eröffnen)|neues konto|mitglied werden|kostenlos testen/i,
    'sign in': /\b(anmelden|anmeldung|einloggen|login)\b/i,
    contact: /kontakt|schreiben sie uns|schreib uns|ihre nachricht|deine nachricht|\banfrage\b/i,
    quote: /\bangebot (anfordern|einholen|anfragen)\b|kostenvoranschlag|\bangebot\b/i,
    booking: /\btermin\b|\bbuch(en|ung)\b|reservier/i,
    subscribe: /newsletter|\babonnieren\b/i,
    purchase: /\bkasse\b|\bbestell(en|ung)\b|\bkaufen\b|\bbezahlen\b/i,
    cart: /warenkorb/i,
    search: /\bsuche(n)?\b/i,
    plans: /\bpreise\b|\btarife?\b|\bpreis(e|liste)\b/i,
    review: /bewertung|rezension/i,
  },
  tidies:
    /\b(leeren|entfernen|löschen|abbrechen|verwalten|ändern|bearbeiten|zurück(setzen)?|speichern|schließen|aktualisieren|herunterladen|kopieren|teilen|drucken|stornier\w*|ausverkauft)\b/i,
  fields: {
    coupon: /gutschein|rabatt-?code|aktionscode|promo-?code/i,
    company: /\b(firma|firmenname|unternehmen|organisation)\b/i,
    phone: /telefon|handy|mobilnummer|rufnummer/i,
    email: /\be-?mail/i,
    message: /nachricht|kommentar|\bfrage\b/i,
    search: /\bsuche/i,
    card: /kartennummer|kreditkarte/i,
  },
  couponQuestion: 'Gutscheincode vorhanden?',
}
