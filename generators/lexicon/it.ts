import type { Lexicon } from './lexicon.js'

export const it: Lexicon = {
  purposes: {
    'sign up':
      /registra(ti|rsi|zione)\b|iscri(viti|versi|zione)\b(?!.*newsletter)|crea(re)? (un |il tuo )?(account|profilo)|prova (gratuita|gratis)/i,
    'sign in': /\b(accedi|login|area (clienti|riservata))\b/i,
    contact: /contatt|scriv(ici|eteci)|(tuo|vostro|un) messaggio/i,
    quote: /preventiv/i,
    booking: /prenot|appuntament/i,
    subscribe: /newsletter/i,
    // "Ordina per" sorts a list.
    purchase: /acquist|\bordina\b(?! per)|\bil (tuo )?ordine\b|pagament|\bpaga\b|\bcompra\b|\bcheckout\b/i,
    cart: /carrello/i,
    search: /\bcerca\b|\bricerca\b/i,
    plans: /\bprezzi\b|\blistino\b|\btariffe\b|\babbonament[io]\b/i,
    review: /recension|valutazion/i,
  },
  tidies:
    /\b(svuota|rimuovi|elimina|cancella|annulla|gestisci|modifica|cambia|aggiorna|indietro|torna|ripristina|chiudi|salva|applica|scarica|copia|condividi|stampa|riprova|esaurit[oa])\b/i,
  fields: {
    coupon: /codice (sconto|promo\w*|coupon)|buono sconto/i,
    company: /\b(azienda|ragione sociale)\b/i,
    phone: /telefono|cellulare/i,
    email: /e-?mail|posta elettronica/i,
    message: /messaggio|commento|\bdomanda\b|richiesta/i,
    // "Cerca de" is Spanish for "near".
    search: /\bcerca\b(?! del?\b)/i,
    card: /numero (della |di )?carta(?! d.identit| fedelt)|carta di credito/i,
  },
  couponQuestion: 'Hai un codice sconto?',
}
