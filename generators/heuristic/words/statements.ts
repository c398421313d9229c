import type { Language } from './language.js'

/** What a sentence of a site tells those who hesitate. */
export type StatementKind =
  | 'customers'
  | 'quote'
  | 'trial'
  | 'first time'
  | 'cancel'
  | 'returns'
  | 'mended'
  | 'rebooking'
  | 'delivery'
  | 'same day'
  | 'deadline'

/** Ways of saying it: of one of them all forms have to be found in the sentence. */
type Said = readonly (readonly RegExp[])[]

/** Figures stand for what the site counts itself. */
const STATEMENTS: Readonly<Record<Language, Readonly<Record<StatementKind, Said>>>> = {
  en: {
    customers: [
      [
        /\b(?:\d{1,3}(?:,\d{3})+|(?!(?:19|20)\d\d\b)\d{3,}|\d+(?:\.\d)?\s?(?:million|k|m))\+?\s(?:[\w’'-]+\s){0,3}?(customers?|clients?|users?|members?|teams?|compan(y|ies)|business(es)?|agenc(y|ies)|firms?|practices?|clinics?|schools?|studios?|shops?|restaurants?|households?|families|students|guests?|patients?|people|readers|subscribers|donors|supporters|organi[sz]ations|developers|landlords|owners|runners|cooks|couples|parents|teachers|hosts)\b|\bsurvey of \d{3,}\b/i,
        /\b(use[ds]?|using|trust(ed|s)?|rely|relies|chose|chosen|choose|joined|served|switched|work with|train(ed)?|booked|run|read|learn(ed|t)?|recommend|came|come|return(ed)?|stay(ed)?|survey|asked|saved?)\b/i,
      ],
      [/\b(\d+|two|three|four|five|six|seven|eight|nine) (out of|in|of) (every )?(ten|10|100)\b/i],
      [
        /\b\d[.,]\d ?(\/|out of|stars?) ?(5|10)?\b/i,
        /\b\d{2,}\b.{0,20}\b(reviews?|ratings?|questionnaires?|guests?|customers?|patients?)\b/i,
      ],
      [
        /^(?!.*\b(?:you|they) (?:spend|pay)\b|.*\bwast).*\b\d{2,}p?\b.{0,30}\b(in|of|per|from) (each|every) (£1|\$1|pound|dollar|euro)\b|\b(of|in) (each|every) (£1|pound|dollar|euro)\b.{0,24}\b\d{2,}/i,
      ],
      [/\b\d+ of (the )?\d+\b/i, /\b(would|again|recommend)/i],
    ],
    quote: [
      [
        /\b(quote|estimate)s?\b.{0,40}\b(free|without obligation|no obligation)\b|\bfree\b.{0,20}\b(quote|estimate)\b/i,
      ],
    ],
    trial: [
      [
        /\b(no|without (a |any )?) ?(credit |debit )?(card|payment details)\b|\b(do not|don['’]t|never) (ask|need)\w* .{0,16}card\b|\bnothing is charged\b|\b(free|costs? nothing) for \d+ (days|weeks)\b|\b\d+[- ](days?|weeks?)\b.{0,20}\bfree\b|\bfree \d+[- ]day\b|\bfree trial\b.{0,60}\b(ends|card|charged?)\b/i,
      ],
    ],
    'first time': [[/\bfirst (lesson|class|session|visit)\b.{0,30}\bfree\b/i]],
    cancel: [
      [
        /\bcancel\w*\b.{0,40}\b(any ?time|whenever|one click|monthly|each month|online|end of (the|any) month)\b|\b(no|without a?) ?(long[- ]term |fixed |minimum )?(contract|commitment|tie-in|term)\b/i,
      ],
    ],
    returns: [
      [
        /\b(refund(ed)?|money[- ]back|return(s|ed)?|send (it|them) back|exchange[ds]?)\b/i,
        /\b\d+[- ](days?|weeks?|months?)\b|\b(thirty|sixty|ninety|fourteen) days\b|\bfree\b|\bin full\b|\bfull refund\b|\bno questions\b|\beven (if|when|after|once)\b/i,
      ],
    ],
    mended: [
      [
        /\b(pay|costs? you|charge you) nothing\b|\b(no charge|free of charge|for free|at no cost|at our (own )?(cost|expense)|free)\b/i,
        /\b(repairs?|mend|fix (it|that|what)|put (it |that )?right|re-?sew|re-?do|replace|come back|not happy|broken|breaks|fault)\b/i,
      ],
    ],
    rebooking: [
      [
        /\b(cancel\w*|resched\w*|rebook\w*|move|change|postpone)\b/i,
        /\b(free|no charge|without (any )?(charge|cost|fee)|at no cost|costs nothing)\b/i,
        /\b(appointment|booking|visit|lesson|class|course|stay|table|place|ticket|session|reservation|day|hours?|arrival)\b/i,
      ],
    ],
    delivery: [
      [
        /\bfree (delivery|shipping|postage)\b|\b(delivery|shipping|postage) (is )?free\b|\b(we )?(deliver|ship)s? (it )?free\b/i,
      ],
    ],
    'same day': [
      [
        /\b(before|by|until) (\d{1,2}([:.]\d\d)? ?([ap]\.?m\.?|o['’]clock)|noon|midday|\d{1,2}:\d\d)/i,
        /\b(same day|that day|today|next (working |business )?day|leaves?|ships?|shipped|dispatched|sent|posted)\b/i,
      ],
    ],
    deadline: [[/\b(until|till|by|before|closes?|closing|ends?|deadline|last day)\b/i]],
  },
  de: {
    customers: [
      [
        /\b(?:\d{1,3}(?:\.\d{3})+|(?!(?:19|20)\d\d\b)\d{3,}|\d+ (?:mio\.?|millionen))\+?\s(?:[\p{L}-]+\s){0,3}?\p{L}*(kund(e|en|innen)|nutzer|praxen|praxis|betriebe|unternehmen|teams?\b|mitglieder|gäste|familien|schüler|teilnehm|patient|kanzleien|agenturen|vereine|restaurants|händler|haushalte|menschen|leser|fahrschüler|eltern|paare|werkstätten|schulen|büros|studios)/iu,
        /(nutz|vertrau|arbeit|setz|verwend|gebucht|buchen|gewechselt|dabei|bestand|besetzt|gelernt|empfehl|entschied|kommen|waren|betreu|haben)/i,
      ],
      [/\b(\d+|zwei|drei|vier|fünf|sechs|sieben|acht|neun) von (zehn|10|100)\b/i],
      [/\b\d[.,]\d ?(\/|von) ?(5|10)\b/i, /\b\d{2,}\b.{0,20}(bewertung|fragebög|gäst|kund)/i],
    ],
    quote: [
      [
        /(angebot|kostenvoranschlag|besichtigung|beratung|erstgespräch)\b.{0,40}(kostenlos|kostenfrei|unverbindlich)|(kostenlos|kostenfrei|unverbindlich)\w*.{0,20}(angebot|kostenvoranschlag|besichtigung|beratung|erstgespräch)/i,
      ],
    ],
    trial: [
      [
        /\b\d+ (tage|wochen)\b.{0,20}(kostenlos|gratis|kostenfrei)|(kostenlos|gratis|kostenfrei)\w*.{0,12}\b\d+ (tage|wochen)\b|\b(ohne|keine) (kreditkarte|zahlungsdaten|bankdaten)|(testzugang|testphase|probezeit|test)\b.{0,40}endet (von selbst|automatisch)/i,
      ],
    ],
    'first time': [
      [/(erste|probe)\w*[- ]?(stunde|training|fahrstunde).{0,30}(kostenlos|gratis|kostenfrei)/i],
    ],
    cancel: [
      [
        /(jederzeit|monatlich|zum monatsende|zum ende (des|jedes) monats)\b.{0,20}(kündbar|kündigen|gekündigt)|(kündbar|kündigen|kündigung)\b.{0,30}(jederzeit|monatlich|monatsende)|(ohne|keine) (mindestlaufzeit|vertragsbindung|vertragslaufzeit)/i,
      ],
    ],
    returns: [
      [
        /(geld[- ]zurück|zurückgeb|zurückschick|zurücksend|rückgabe|retoure|umtausch|erstatt)/i,
        /\b\d+ (tage|wochen|monate)\b|kostenlos|kostenfrei|gratis|vollständig|in voller höhe|ganzen|auch (wenn|geöffnet)/i,
      ],
    ],
    mended: [
      [
        /(kostenlos|kostenfrei|gratis|ohne (kosten|aufpreis|berechnung)|auf unsere kosten|zahlen (sie |du )?nichts|nichts (zu )?(be)?zahlen)/i,
        /(nachbesser|reparier|reparatur|beheb|nachgearbeitet|nacharbeit|bessern|ersetz|kaputt|defekt|nicht zufrieden|nicht (finden|beheben|lösen))/i,
      ],
    ],
    rebooking: [
      [
        /(stornier|zurücktreten|umbuch|absag|verschieb|verleg)/i,
        /(kostenlos|kostenfrei|gratis|ohne (kosten|gebühr))/i,
      ],
    ],
    delivery: [
      [
        /(versand|liefer)\w*.{0,30}(kostenlos|kostenfrei|gratis)|(kostenlos\w*|kostenfrei\w*|gratis).{0,20}(versand|liefer)|versandkostenfrei/i,
      ],
    ],
    'same day': [
      [
        /\b(bis|vor) \d{1,2}([:.]\d\d)? uhr/i,
        /(selben tag|gleichen tag|heute|nächsten (werk)?tag|versand|verschick|verlässt|geht\b)/i,
      ],
    ],
    deadline: [[/\b(bis|endet|ende|schließt|anmeldeschluss|frist|letzter tag)\b/i]],
  },
  fr: {
    customers: [
      [
        /\b(?:\d{1,3}(?:[ \u00a0\u202f.]\d{3})+|(?!(?:19|20)\d\d\b)\d{3,}|\d+ millions? (?:de|d['’]))\+?\s?(?:[\p{L}’'-]+\s){0,3}?(client|utilisateur|utilisatrice|entreprise|équipe|famille|membre|adhérent|artisan|restaurant|cabinet|agence|élève|étudiant|patient|foyer|personne|lecteur|lectrice|donateur|association|commerçant|parents|couples|voyageurs|hôtes|écoles?)/iu,
        /(utilis|confian|choisi|travaill|rejoint|adopt|servi|accompagn|form[ée]|réserv|recommand|sont (venus|passés)|lisent|soutien|revien|font)/i,
      ],
      [/\b(\d+|deux|trois|quatre|cinq|six|sept|huit|neuf) (\p{L}+ )?sur (dix|10|100)\b/iu],
      [/\b\d[.,]\d ?(\/|sur) ?(5|10)\b/i, /\b\d{2,}\b.{0,20}(avis|questionnaires?|clients?|voyageurs?)/i],
    ],
    quote: [
      [
        /(devis|estimation|étude|bilan|premier (rendez-vous|échange))\b.{0,40}(gratuit|offert|sans engagement)|gratuit\w*.{0,20}(devis|estimation)/i,
      ],
    ],
    trial: [
      [
        /\bsans (carte( bancaire)?|coordonnées bancaires)\b|\b\d+ (jours|semaines)\b.{0,20}(gratuit|offert)|\bessai\b.{0,30}(gratuit|offert)/i,
      ],
    ],
    'first time': [[/\bpremi(er|ère) (cours|séance|leçon)\b.{0,30}(gratuit|offert)/i]],
    cancel: [
      [
        /\bsans engagement\b|(résili|annul|arrêt)\w*.{0,30}(à tout moment|quand vous (voulez|le souhaitez)|en un clic|chaque mois)/i,
      ],
    ],
    returns: [
      [
        /(rembours|retour|renvo|échange)/i,
        /\b\d+ (jours|semaines|mois)\b|gratuit|sans frais|intégral|même (ouvert|entamé|si)/i,
      ],
    ],
    mended: [
      [
        /(gratuit\w*|sans frais|offert\w*|ne payez rien|à nos frais|rien à payer)/i,
        /(répar|repris|reprend|refait|refai|rempla|pas satisfait|panne|défaut|casse)/i,
      ],
    ],
    rebooking: [
      [
        /(annul|report|déplac|modifi)/i,
        /(gratuit|sans frais|sans pénalité)/i,
        /(rendez-vous|réservation|séjour|cours|séance|visite|table|place|billet|heures?|veille|arrivée|jours?)/i,
      ],
    ],
    delivery: [
      [
        /livraison.{0,25}(offerte|gratuite)|(frais de port|port|expédition).{0,12}(offerts?|gratuits?|offerte|gratuite)|livr(é|ée|és|ées|ons) gratuitement/i,
      ],
    ],
    'same day': [
      [
        /\b(avant|jusqu['’]à) \d{1,2} ?h(\d\d)?\b/i,
        /(?<!\p{L})(expédi|part(ent|ie?s?)?(?!\p{L})|envoy|même jour|jour même|lendemain)/iu,
      ],
    ],
    deadline: [[/(jusqu['’]au|avant le|clôture|clos\b|se termine|ferm(e|ent)|dernier jour|date limite)/i]],
  },
  es: {
    customers: [
      [
        /\b(?:\d{1,3}(?:\.\d{3})+|(?!(?:19|20)\d\d\b)\d{3,}|\d+ millones de)\+?\s(?:[\p{L}-]+\s){0,3}?(cliente|usuari|empresa|equipo|familia|miembro|soci[oa]s|agencia|alumn|estudiante|paciente|restaurante|hogar|personas|lector|donante|despacho|clínica|tienda|huésped|viajer|madres|padres|parejas|negocios)/iu,
        /(usan|utiliza|confía|eligi|elegid|trabaj|únete|unido|atendid|formad|reserv|recomiend|han (pasado|venido|aprendido)|leen|apoya|repiten|vuelven)/i,
      ],
      [/\b(\d+|dos|tres|cuatro|cinco|seis|siete|ocho|nueve) de cada (diez|10|100)\b/i],
      [
        /\b\d[.,]\d ?(\/|sobre|de) ?(5|10)\b/i,
        /\b\d{2,}\b.{0,20}(opiniones|reseñas|cuestionarios|clientes|huéspedes)/i,
      ],
    ],
    quote: [
      [
        /(presupuesto|visita|estudio|primera consulta)\b.{0,40}(gratis|gratuit|sin compromiso)|gratuit\w*.{0,20}presupuesto/i,
      ],
    ],
    trial: [
      [
        /\bsin tarjeta\b|\bno (pedimos|hace falta|necesitas) tarjeta\b|\b\d+ (días|semanas)\b.{0,20}(gratis|gratuit)|\bprueba\b.{0,30}(gratis|gratuita)/i,
      ],
    ],
    'first time': [[/\bprimer[ao]? (clase|sesión)\b.{0,30}(gratis|gratuit)/i]],
    cancel: [
      [
        /\bsin (permanencia|compromiso)\b|(cancel|dar(se)? de baja|baja)\w*.{0,30}(cuando quieras|cuando quiera|en cualquier momento|cada mes|un clic)/i,
      ],
    ],
    returns: [
      [
        /(devol(v|u)|reembols|cambi(o|ar|amos))/i,
        /\b\d+ (días|semanas|meses)\b|gratis|gratuit|íntegr|complet|sin preguntas|aunque/i,
      ],
    ],
    mended: [
      [
        /(gratis|gratuit|sin (coste|cargo)|no pagas nada|no paga nada)/i,
        /(repar|arregl|repet|rehac|sustitu|rompe|rota|roto|avería|no (quedas|queda) (contento|satisfecho))/i,
      ],
    ],
    rebooking: [
      [
        /(cancel|anul|cambi|aplaz|mover)/i,
        /(gratis|gratuit|sin (coste|cargo|gastos))/i,
        /(cita|reserva|clase|curso|estancia|mesa|plaza|entrada|sesión|horas|días|llegada)/i,
      ],
    ],
    delivery: [[/env[ií]os?.{0,25}(gratis|gratuit)|gastos de envío.{0,12}(gratis|incluidos)/i]],
    'same day': [
      [
        /\b(antes de las?|hasta las?) \d{1,2}([:.]\d\d)?\b/i,
        /(mismo día|hoy|sale|enviamos|se envía|día siguiente)/i,
      ],
    ],
    deadline: [[/(hasta el|antes del|cierra|termina|finaliza|último día|fecha límite)/i]],
  },
}

/** Kinds as they are told apart: the narrower first. */
export const STATEMENT_KINDS: readonly StatementKind[] = [
  'customers',
  'quote',
  'first time',
  'trial',
  'cancel',
  'rebooking',
  'returns',
  'mended',
  'delivery',
  'same day',
  'deadline',
]

/** What is free for some days, and is no trial: goods that come, go back or are mended. */
const OF_GOODS =
  /return|refund|deliver|shipping|warrant|guarantee|exchange|versand|liefer|rückgabe|umtausch|garantie|retour|rembours|livraison|échange|garantía|devol|envío|cambio/i

/** Whether a sentence says something of a kind. */
export const isSaidAs = (sentence: string, kind: StatementKind, language: Language): boolean =>
  !(kind === 'trial' && OF_GOODS.test(sentence)) &&
  STATEMENTS[language][kind].some((forms) => forms.every((form) => form.test(sentence)))

/** What a sentence begins with of which only its own place tells which there are: `Every grade comes with`. What everybody gets or does is no such thing. */
export const LEANS_ON_TOPIC =
  /^(?:every|each|jede[rsmn]?|chaque|cada) (?!(?:orders?|purchase|product|item|piece|parcel|booking|visit|customer|client|order|bestellung|kauf|produkt|artikel|stück|paket|buchung|besuch|kund\p{L}*|commande|achat|produit|article|pièce|colis|réservation|visite|pedido|compra|producto|artículo|pieza|paquete|reserva|visita|cliente)(?!\p{L}))/iu

/** Who mends it, or when: without either it is an item of a list. */
export const SAYS_WHO =
  /(?<!\p{L})(?:we|you|your|if|wir|sie|du|wenn|falls|nous|vous|si|te|lo|la|nos|usted|tú)(?!\p{L})/iu

const MONTHS: Readonly<Record<Language, string>> = {
  en: 'january february march april may june july august september october november december',
  de: 'januar februar märz april mai juni juli august september oktober november dezember',
  fr: 'janvier février mars avril mai juin juillet août septembre octobre novembre décembre',
  es: 'enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre',
}

/** The last day that a sentence names with its year, as `YYYY-MM-DD`; `null` where it names none. */
export function lastDayIn(sentence: string, language: Language): string | null {
  const months = MONTHS[language].split(' ')
  const named = months.join('|')
  const found: string[] = []
  const add = (year: string, month: number, day: string): void => {
    if (month >= 1 && month <= 12 && Number(day) >= 1 && Number(day) <= 31)
      found.push(`${year}-${String(month).padStart(2, '0')}-${day.padStart(2, '0')}`)
  }
  const dayFirst = new RegExp(
    `\\b(\\d{1,2})(?:st|nd|rd|th|er|º)?\\.? (?:of |de )?(${named})(?: de| del)?,? (20\\d\\d)`,
    'giu',
  )
  for (const [, day = '', month = '', year = ''] of sentence.matchAll(dayFirst))
    add(year, months.indexOf(month.toLowerCase()) + 1, day)
  const monthFirst = new RegExp(`\\b(${named}) (\\d{1,2})(?:st|nd|rd|th)?,? (20\\d\\d)`, 'giu')
  for (const [, month = '', day = '', year = ''] of sentence.matchAll(monthFirst))
    add(year, months.indexOf(month.toLowerCase()) + 1, day)
  for (const [, day = '', month = '', year = ''] of sentence.matchAll(/\b(\d{1,2})\.(\d{1,2})\.(20\d\d)\b/g))
    add(year, Number(month), day)
  return found.sort().at(-1) ?? null
}

/** What a sentence begins with that leans on the one before. */
export const LEANS_BACK =
  /^(when|once|as soon as|sobald|lorsque|quand|dès que|cuando|it|its|it['’]s|they|them|their|this|that|these|those|he|she|then|but|and|or|so|also|however|otherwise|except|there|here|both|such|es|das|dies|diese[rsnm]?|dann|aber|und|oder|auch|sonst|dort|hier|davon|dafür|danach|beide|er|ce|cela|ça|c['’]est|ces|cette|cet|ils?|elles?|alors|mais|et|ou|aussi|sinon|esto|eso|ese|esa|este|esta|estos|estas|entonces|pero|y|o|también|ell[oa]s?)(?![\p{L}])/iu

/** What points at the place where it stands. */
export const POINTS =
  /\b(here|above|below|hier|oben|unten|ici|ci-dessus|ci-dessous|aquí|arriba|abajo)\b|\ben \p{L}+(ons|ez|ent|e) (un|une|plusieurs)\b/iu

/** A heading that announces what stands below it: who it is that chooses, or how, is said there. */
export const ANNOUNCES =
  /^(?:why|how|what|which|who|where|when|warum|wieso|weshalb|wie|was|wer|wo|wann|pourquoi|comment|qui|quel(?:le)?s?|por qu[ée]|c[óo]mo|qu[ée]|qui[ée]n(?:es)?|cu[áa]l(?:es)?)(?!\p{L})/iu

/** The same in any place: nothing that begins so says what it is about to say. */
export const ASKS_WHY = /^(?:why|how|warum|wieso|weshalb|pourquoi|por qu[ée])(?!\p{L})/iu

/** What limits the sentence before it. */
export const LIMITS =
  /^(except|excluding|but|however|only|not |does not|this does not|ausgenommen|außer|aber|nur|nicht|gilt nicht|sauf|hors|mais|seulement|uniquement|excepto|salvo|pero|solo|sólo)\b/i

/** Those who have joined something, of whom not everybody is one. */
export const ARE_SOME =
  /\b(members?|membership|club|vip|premium|legacy|loyalty|trade customers|students?|miembros?|soci[oa]s?|mitglied\w*|abonnés?|adhérents?|subscribers?|estudiantes|étudiants?|schüler)\b/i

/** How much of something, where it counts: days, hours or money. */
export const FIGURE =
  /\d+(?:[.,]\d+)?[\s-]?(?:(?:business |working |natural )?(?:days?|weeks?|months?|hours?)|tage[ns]?|wochen?|monate?n?|stunden|jours?|semaines?|mois|heures?|h\b|días|semanas?|meses|horas|€|£|\$|euros?)|[€£$]\s?\d+(?:[.,]\d+)?/giu

/** What obliges or warns those who read it, answers a question, or speaks of one person. */
export const IS_NO_HELP =
  /^(yes|no|ja|nein|oui|non|sí|no)[,.:—–]|\b(must|cannot|can['’]t|won['’]t|may not|are not|is not|responsib\w+|abuse|exploit|unconditional\w*|no questions|sin preguntas|always|immer|toujours|siempre|intégralement|íntegramente|100 ?%|bedingungslos\w*|sans condition|sin condiciones|our best|bemühen|notre mieux|please|bitte|veuillez|merci de|por favor|acknowledge|elapsed|waive[sd]?|considered|policy|liable|agree\w*|consent|processed|processing|traitée?s?|bearbeitet|tramitad[oa]s?|procesad[oa]s?|deduct\w*|at your own|not accept\w*|non-refundable|muss|müssen|dürfen|darf|nicht|kein anspruch|ausgeschlossen|abzüglich|devez|doit|doivent|n['’]est pas|ne (peut|peuvent|sont) pas|exclu\w*|debe[ns]?|no (es|son|se|puede)|I|me|my|ich|mein\w*|je|j['’]ai|mon|ma|yo|mi)\b/iu

/** What a sentence begins with that tells people to do something where it stands, and nowhere else. */
const DO_THERE =
  /^(?:manage|download|edit|update|set|select|pick|click|press|tap|open|enter|fill|add|upgrade|visit|see|read|learn|discover|explore|enjoy|check|view|browse|shop|log|verwalte\w*|lad(?:e|en)|bearbeite\w*|wähl(?:e|en|t)|klick\w*|öffne\w*|besuch(?:e|en|t)|entdeck\w*|genieß\w*|sicher(?:e|n) (?:sie|dir|euch)|gérez|téléchargez|modifiez|choisissez|sélectionnez|cliquez|visitez|découvrez|profitez|bénéficiez|consultez|ajoutez|gestiona|descarga|edita|actualiza|elige|selecciona|haz|visita|descubre|disfruta|aprovecha|consulta|añade)(?!\p{L})/iu

/** What it begins with that asks for an act, and where that is the very one. */
const ACTS: readonly { begins: RegExp; where: RegExp }[] = [
  {
    begins:
      /^(?:buy|order|purchase|kauf(?:e|en|t)|bestell(?:e|en|t)|achetez|commandez|compra|pide)(?!\p{L})/iu,
    where: /^(buy|pay)$/,
  },
  {
    begins: /^(?:book|reserve|buch(?:e|en|t)|reservier(?:e|en|t)|réservez|reserva)(?!\p{L})/iu,
    where: /^book$/,
  },
  {
    begins:
      /^(?:subscribe|sign up|register|start|get|create|choose|registrier\w*|start(?:e|en|et)|inscrivez|créez|regístrate|crea)(?!\p{L})/iu,
    where: /^(sign up|compare)$/,
  },
  {
    begins:
      /^(?:contact|call|write|email|ask|kontaktier\w*|ruf\w*|schreib\w*|contactez|appelez|écrivez|contacta|llama|escribe)(?!\p{L})/iu,
    where: /^ask$/,
  },
  { begins: /^(?:donate|give|spende[nt]?|donnez|dona)(?!\p{L})/iu, where: /^give$/ },
]

/** Whether a sentence asks for something else than what is done where it would stand. What one may try or send back is a term. */
export const asksElse = (says: string, done: string): boolean =>
  DO_THERE.test(says) || ACTS.some(({ begins, where }) => begins.test(says) && !where.test(done))

/** That something costs nothing. */
export const IS_FREE =
  /(?<!\p{L})(?:free|no (?:charge|cost|fee)s?|costs? nothing|kostenlos\p{L}*|kostenfrei\p{L}*|gratis|gratuit\p{L}*|offerte?s?|sans frais|versandkostenfrei|sin (?:coste|cargo|gastos))(?!\p{L})/iu

/** What speaks against a statement, in words and without any figure. */
export const AGAINST: Readonly<Partial<Record<StatementKind, RegExp>>> = {
  returns:
    /(?:return|send\w* back|rücksend|rückversand|rücksendekosten|retour|renvoi|renvoy|devol)[^.]{0,80}(?:at your (?:own )?(?:expense|cost)|(?:paid|borne|covered) by (?:the )?(?:buyer|customer|you)|(?:buyer|customer|you) (?:must |will )?(?:pays?|bears?|covers?)|trägt der|trägst du|tragen sie|auf (?:ihre|deine|eigene) kosten|zu (?:ihren|deinen) lasten|à (?:la |votre )?charge|(?:à|aux) (?:vos )?frais|por (?:tu|su) cuenta|a cargo del?|corren? (?:a|por))|(?:at your (?:own )?(?:expense|cost)|frais de retour|à la charge d|gastos de devolución)[^.]{0,60}(?:return|retour|client|acheteur|cliente|comprador)/iu,
  trial:
    /(?<!(?:no|without|keine?|ohne|sans|aucune|sin|ninguna) (?:a |an |una? |une? )?)(?:credit card|payment method|kreditkarte|zahlungsmittel|carte bancaire|tarjeta(?: de crédito)?) (?:is |are |wird |est |es |será )?(?:required|needed|necessary|erforderlich|benötigt|requise?|nécessaire|obligatoire|necesaria|obligatoria)/iu,
  cancel:
    /(?<!(?:no|without|keine?|ohne|sans|aucune?|sin) (?:a |an |una? |une? )?)(?:minimum (?:term|contract|commitment)|mindest(?:vertrags)?laufzeit|kündigungsfrist|durée minimale|engagement (?:minimum|de \d+)|préavis|permanencia (?:mínima|de \d+)|notice period|(?:days?|weeks?|months?)['’]? (?:written )?notice|(?:days?|weeks?|months?) of notice|frist zum (?:monats|quartals|jahres)ende|preaviso|(?:\d+|twelve|zwölf)[- ]months? (?:contract|term|commitment))/iu,
}

/** What is over, hoped for, or somebody's own story. */
export const IS_PAST =
  /\b(was|were|raised|ended|expired|(?:has|have) (?:been|ended)|had been|abgelaufen|expirée?s?|caducad[oa]|vencid[oa]|last (year|month|week)|war|waren|wurde[n]?|letztes jahr|était|étaient|a été|ont été|dernière?|fue|fueron|era|pasado)\b/i
