import type { Language } from './language.js'

type ByLanguage<T> = Readonly<Record<Language, T>>

/** What a form is for. */
export type Purpose =
  | 'sign up'
  | 'sign in'
  | 'reset'
  | 'subscribe'
  | 'contact'
  | 'checkout'
  | 'search'
  | 'profile'

/** Labels that say that something is sent and not what comes of it. Compared in lower case, without marks at the end. */
export const VAGUE_SUBMIT: ByLanguage<ReadonlySet<string>> = {
  en: new Set(['submit', 'send', 'ok', 'go', 'continue', 'confirm', 'next', 'done']),
  de: new Set(['absenden', 'senden', 'ok', 'weiter', 'bestätigen', 'los', 'abschicken', 'fertig']),
  fr: new Set(['envoyer', 'valider', 'ok', 'continuer', 'confirmer', 'soumettre', 'suivant']),
  es: new Set(['enviar', 'aceptar', 'ok', 'continuar', 'confirmar', 'siguiente', 'ir']),
}

/** What the button of a form does, in words without you or I: they fit any tone. */
export const SUBMIT: ByLanguage<Readonly<Record<Exclude<Purpose, 'search'>, readonly string[]>>> = {
  en: {
    'sign up': ['Create account'],
    'sign in': ['Log in'],
    reset: ['Send reset link'],
    subscribe: ['Subscribe'],
    contact: ['Send message'],
    checkout: ['Place order'],
    profile: ['Save changes'],
  },
  de: {
    'sign up': ['Konto erstellen'],
    'sign in': ['Anmelden'],
    reset: ['Link zum Zurücksetzen senden'],
    subscribe: ['Newsletter abonnieren'],
    contact: ['Nachricht senden'],
    checkout: ['Zahlungspflichtig bestellen'],
    profile: ['Änderungen speichern'],
  },
  fr: {
    'sign up': ['Créer un compte'],
    'sign in': ['Se connecter'],
    reset: ['Envoyer le lien de réinitialisation'],
    subscribe: ["S'abonner"],
    contact: ['Envoyer le message'],
    checkout: ['Passer la commande'],
    profile: ['Enregistrer les modifications'],
  },
  es: {
    'sign up': ['Crear cuenta'],
    'sign in': ['Iniciar sesión'],
    reset: ['Enviar enlace de restablecimiento'],
    subscribe: ['Suscribirse'],
    contact: ['Enviar mensaje'],
    checkout: ['Realizar pedido'],
    profile: ['Guardar cambios'],
  },
}

/** Links whose words fit any address. */
export const VAGUE_LINK: ByLanguage<ReadonlySet<string>> = {
  en: new Set([
    'learn more',
    'read more',
    'find out more',
    'explore more',
    'more',
    'click here',
    'here',
    'details',
    'find out more',
    'more info',
    'see more',
  ]),
  de: new Set([
    'mehr erfahren',
    'weiterlesen',
    'mehr',
    'hier klicken',
    'hier',
    'details',
    'mehr lesen',
    'mehr infos',
  ]),
  fr: new Set(['en savoir plus', 'lire la suite', 'plus', 'cliquez ici', 'ici', 'détails', 'voir plus']),
  es: new Set([
    'más información',
    'leer más',
    'más',
    'haz clic aquí',
    'aquí',
    'detalles',
    'ver más',
    'saber más',
  ]),
}

export const GREETING: ByLanguage<RegExp> = {
  en: /^(welcome( back)?|hello|hi|hello there|hi there|home|welcome home)[!.]?$/i,
  de: /^((herzlich )?willkommen( zurück)?|hallo|guten tag|startseite)[!.]?$/i,
  fr: /^(bienvenue|bonjour|accueil|bon retour)\s?[!.]?$/i,
  es: /^[¡]?(bienvenid[oa]s?( de nuevo)?|hola|inicio)[!.]?$/i,
}

export const TASK_HEADING: ByLanguage<Partial<Record<Purpose, string>>> = {
  en: { 'sign up': 'Create an account' },
  de: { 'sign up': 'Konto erstellen' },
  fr: { 'sign up': 'Créer un compte' },
  es: { 'sign up': 'Crear una cuenta' },
}

/** Labels of plans that do not say which plan. `null` in place of the plan's name. */
export const VAGUE_PLAN: ByLanguage<ReadonlySet<string>> = {
  en: new Set([
    'get started',
    'sign up',
    'start now',
    'choose',
    'choose plan',
    'select',
    'buy',
    'buy now',
    'subscribe',
    'order now',
    'start',
    'sign up now',
    'purchase',
    'choose this plan',
    'download now',
    'join now',
  ]),
  de: new Set([
    'jetzt starten',
    'starten',
    'auswählen',
    'wählen',
    'kaufen',
    'jetzt kaufen',
    'bestellen',
    'jetzt buchen',
    'buchen',
    'loslegen',
  ]),
  fr: new Set(['commencer', 'choisir', "s'inscrire", 'acheter', 'souscrire', 'commander', 'sélectionner']),
  es: new Set([
    'empezar',
    'elegir',
    'comprar',
    'suscribirse',
    'contratar',
    'seleccionar',
    'comenzar',
    'registrarse',
  ]),
}

export const CHOOSE_PLAN: ByLanguage<(plan: string) => string> = {
  en: (plan) => `Choose ${plan}`,
  de: (plan) => `${plan} wählen`,
  fr: (plan) => `Choisir ${plan}`,
  es: (plan) => `Elegir ${plan}`,
}

export const RECOMMENDED: ByLanguage<string> = {
  en: 'Recommended',
  de: 'Empfohlen',
  fr: 'Recommandé',
  es: 'Recomendado',
}

/** What is added to a message that says that something failed, or that there is nothing, and not what to do. */
export const DEAD_END: ByLanguage<readonly { says: RegExp; next: string; kind: 'error' | 'empty' }[]> = {
  en: [
    {
      says: /^(oops[!.,]?\s*)?(error|something went wrong|an (unexpected )?error (has )?occurred|unknown error)[.!]?$/i,
      next: 'Please try again.',
      kind: 'error',
    },
    {
      says: /^(no|0) (results|matches|items|products|entries|records|articles|posts)( were)?( found)?( yet)?[.!]?$/i,
      next: 'Try other words or check the spelling.',
      kind: 'empty',
    },
    { says: /^nothing found[.!]?$/i, next: 'Try other words or check the spelling.', kind: 'empty' },
  ],
  de: [
    {
      says: /^(ups[!,.]?\s*)?(fehler|etwas ist schiefgelaufen|ein (unerwarteter |unbekannter )?fehler ist aufgetreten)[.!]?$/i,
      next: 'Bitte noch einmal versuchen.',
      kind: 'error',
    },
    {
      says: /^(keine (ergebnisse|treffer|produkte|einträge|artikel)( gefunden| vorhanden)?|nichts gefunden)[.!]?$/i,
      next: 'Andere Wörter versuchen oder die Schreibweise prüfen.',
      kind: 'empty',
    },
  ],
  fr: [
    {
      says: /^(oups\s?[!,.]?\s*)?(une erreur (inattendue )?(est survenue|s'est produite))\s?[.!]?$/i,
      next: 'Veuillez réessayer.',
      kind: 'error',
    },
    {
      says: /^(aucune? (résultat|produit|entrée|article)( trouvée?)?|rien trouvé)\s?[.!]?$/i,
      next: "Essayer d'autres mots ou vérifier l'orthographe.",
      kind: 'empty',
    },
  ],
  es: [
    {
      says: /^[¡]?(ups[!,.]?\s*)?(algo salió mal|(se )?ha ocurrido un error|se produjo un error)[.!]?$/i,
      next: 'Por favor, inténtelo de nuevo.',
      kind: 'error',
    },
    {
      says: /^((no hay|sin|ningún) (resultados?|productos?|entradas?|artículos?)|no se encontraron resultados)[.!]?$/i,
      next: 'Pruebe otras palabras o revise la ortografía.',
      kind: 'empty',
    },
  ],
}

/** Promises that take away a risk. The page's own words are repeated; nothing is promised here. */
export const PROMISE: ByLanguage<RegExp> = {
  en: /\b(no credit card( is)?( required| needed)?|cancel (at )?any ?time|money[- ]back|free returns|free cancellation|no commitment|(?:no|without) obligations?|no setup fees?)\b/i,
  de: /(keine kreditkarte|jederzeit kündbar|geld[- ]zurück|kostenlose (rückgabe|stornierung|retoure)|ohne (mindestlaufzeit|vertragsbindung)|unverbindlich)/i,
  fr: /(sans (carte (bancaire|de crédit)|engagement)|annul(er|ez|ation)( est)? (à tout moment|gratuite)|satisfait ou remboursé|retours? gratuits?)/i,
  es: /(sin tarjeta( de crédito)?|cancel[ae]r?( en)? cualquier momento|devolu(ción|ciones) (gratis|gratuitas?)|sin (compromiso|permanencia)|devolución del dinero)/i,
}

/** A day until which something holds. */
export const DEADLINE: ByLanguage<RegExp> = {
  en: /\b(offer|sale|discount|registration|early[- ]bird|applications?|deadline)\b[^.!?]{0,60}\b(ends?|until|closes?|by|before|through)\b[^.!?]{0,20}(\d{1,2}|january|february|march|april|may|june|july|august|september|october|november|december)/i,
  de: /\b(angebot|aktion|rabatt|anmeldung|frühbucher|bewerbung|frist)[^.!?]{0,60}\b(endet|bis|läuft)\b[^.!?]{0,20}\d{1,2}/i,
  fr: /\b(offre|promotion|remise|inscriptions?|candidatures?)\b[^.!?]{0,60}(jusqu['’]au|se termine|avant le|expire)[^.!?]{0,20}\d{1,2}/i,
  es: /\b(oferta|promoción|descuento|inscripci(ón|ones)|plazo)\b[^.!?]{0,60}(hasta|termina|antes del?|finaliza)[^.!?]{0,20}\d{1,2}/i,
}

/** That others use it, with the site's own figure or names. */
export const PROOF: ByLanguage<RegExp> = {
  en: /\b(trusted by|used by|loved by|joined by|rated \d|\d[\d.,]*\s?[kKmM]?\+? (happy )?(customers|users|teams|companies|developers|reviews))\b/i,
  de: /(\bvertrauen (uns|auf)\b|\d[\d.]*\+? (zufriedene )?(kund(en|innen)|nutzer|unternehmen|teams|bewertungen))/i,
  fr: /(ils nous font confiance|\d[\d\s.]*\+? (clients|utilisateurs|entreprises|équipes|avis))/i,
  es: /(confían en nosotros|\d[\d.]*\+? (clientes|usuarios|empresas|equipos|opiniones|reseñas))/i,
}

export const OPTIONAL: ByLanguage<string> = {
  en: 'optional',
  de: 'optional',
  fr: 'facultatif',
  es: 'opcional',
}

export const AT_LEAST: ByLanguage<(characters: number) => string> = {
  en: (n) => `At least ${n} characters`,
  de: (n) => `Mindestens ${n} Zeichen`,
  fr: (n) => `Au moins ${n} caractères`,
  es: (n) => `Al menos ${n} caracteres`,
}

/** Buying and signing up, as buttons say it in any of the languages. */
export const COMMITS =
  /\b(sign up|register|get started|start|try|buy|order|subscribe|checkout|check out|join|create|book|purchase|upgrade|registrieren|kaufen|bestellen|starten|testen|abonnieren|buchen|anmelden|s'inscrire|acheter|commander|essayer|commencer|créer|souscrire|réserver|registrarse|comprar|probar|empezar|crear|suscribirse|reservar|contratar)/i

/** Headings that say that an account costs nothing, and the label of a button with that word. */
export const FREE: ByLanguage<{ says: RegExp; on: (label: string) => string | null }> = {
  en: {
    says: /\bfree\b/i,
    on: (label) =>
      /^(create (an |your )?account|sign up|register)$/i.test(label)
        ? /^create/i.test(label)
          ? 'Create free account'
          : `${label} for free`
        : null,
  },
  de: {
    says: /kostenlos|gratis/i,
    on: (label) =>
      /^(konto erstellen|registrieren|anmelden)$/i.test(label)
        ? `Kostenlos ${label === 'Konto erstellen' ? label : label.toLowerCase()}`
        : null,
  },
  fr: {
    says: /gratuit/i,
    on: (label) => (/^(créer un compte|s'inscrire)$/i.test(label) ? `${label} gratuitement` : null),
  },
  es: {
    says: /gratis|gratuit/i,
    on: (label) => (/^(crear (una )?cuenta|registrarse)$/i.test(label) ? `${label} gratis` : null),
  },
}

/** Questions before something is deleted, answers that only agree, and what the button does. */
export const DELETES: ByLanguage<{ asks: RegExp; yes: RegExp; act: string }> = {
  en: { asks: /\bdelete\b[^.]*\?/i, yes: /^(yes([,.!]? i['’]?m sure)?|ok|confirm)$/i, act: 'Delete' },
  de: { asks: /löschen[^.]*\?/i, yes: /^(ja([,.!]? (ich bin )?sicher)?|ok|bestätigen)$/i, act: 'Löschen' },
  fr: { asks: /supprimer[^.]*\?/i, yes: /^(oui([,.!]? je suis sûre?)?|ok|confirmer)$/i, act: 'Supprimer' },
  es: {
    asks: /eliminar[^.]*\?/i,
    yes: /^(sí([,.!]? estoy segur[oa])?|ok|aceptar|confirmar)$/i,
    act: 'Eliminar',
  },
}

/** That the whole of a service costs nothing, for everybody: not a trial, a delivery, or a plan among others. */
export const COSTS_NOTHING: ByLanguage<RegExp> = {
  en: /\b((totally|completely|entirely|always) free|free (public )?(service|tool|platform)|(is|it['’]s) (completely|entirely|100 ?%) free|free of charge)\b/i,
  de: /\b(kostenlose[rs]? (online-dienst|dienst|service|angebot|plattform|werkzeug)|(ist|sind) (für sie |dabei )?(völlig |komplett |ganz )?kostenlos)(?=[.!]|$)/i,
  fr: /\b((service|outil|site|plateforme|test|simulateur|calculateur)( public| publique)? gratuite?|100 ?% gratuit|(est|sont) (entièrement|totalement) gratuit\w*)\b/i,
  es: /\b((servicio|herramienta|plataforma)( público| pública)? gratuit[oa]|(es|son) (totalmente|completamente) gratuit\w*)\b/i,
}

/** Words on a button, by where it leads: the last part of its address that says something. */
export const DESTINATIONS: readonly {
  is: RegExp
  goal: 'sign up' | 'sign in' | 'purchase' | 'contact' | 'click'
  says: ByLanguage<string>
}[] = [
  {
    is: /^(sign-?up|register|registration|registrieren|create-account|creer-un-compte|crear-cuenta)$/,
    goal: 'sign up',
    says: { en: 'Create account', de: 'Konto erstellen', fr: 'Créer un compte', es: 'Crear cuenta' },
  },
  {
    // A course, a club and an account: one signs up for all of them.
    is: /^(join|anmeldung|inscription|s-inscrire|registro|inscripcion|alta)$/,
    goal: 'sign up',
    says: { en: 'Sign up', de: 'Anmeldung', fr: "S'inscrire", es: 'Inscribirse' },
  },
  {
    is: /^(sign-?in|log-?in|anmelden|connexion|iniciar-sesion)$/,
    goal: 'sign in',
    says: { en: 'Log in', de: 'Anmelden', fr: 'Se connecter', es: 'Iniciar sesión' },
  },
  {
    is: /^(pricing|prices|plans|preise|tarife|tarifs|precios)$/,
    goal: 'click',
    says: { en: 'See prices', de: 'Preise ansehen', fr: 'Voir les tarifs', es: 'Ver precios' },
  },
  {
    is: /^(docs|documentation|dokumentation|documentacion)$/,
    goal: 'click',
    says: {
      en: 'Read the documentation',
      de: 'Dokumentation lesen',
      fr: 'Lire la documentation',
      es: 'Leer la documentación',
    },
  },
  {
    is: /^(features?|funktionen|fonctionnalites|funciones)$/,
    goal: 'click',
    says: {
      en: 'See all features',
      de: 'Funktionen ansehen',
      fr: 'Voir les fonctionnalités',
      es: 'Ver las funciones',
    },
  },
  {
    is: /^(how-it-works|so-funktionierts|comment-ca-marche|como-funciona)$/,
    goal: 'click',
    says: {
      en: 'See how it works',
      de: 'So funktioniert es',
      fr: 'Voir comment ça marche',
      es: 'Ver cómo funciona',
    },
  },
  {
    is: /^(contact|contact-us|kontakt|contacto)$/,
    goal: 'contact',
    says: { en: 'Get in touch', de: 'Kontakt aufnehmen', fr: 'Prendre contact', es: 'Ponerse en contacto' },
  },
  {
    is: /^(products|shop|store|catalog|catalogue|collections|produkte|produits|boutique|productos|tienda)$/,
    goal: 'click',
    says: { en: 'Browse products', de: 'Produkte ansehen', fr: 'Voir les produits', es: 'Ver productos' },
  },
  {
    is: /^(cart|basket|warenkorb|panier|carrito)$/,
    goal: 'purchase',
    says: { en: 'View cart', de: 'Warenkorb ansehen', fr: 'Voir le panier', es: 'Ver el carrito' },
  },
  {
    is: /^(checkout|kasse|commande)$/,
    goal: 'purchase',
    says: { en: 'Go to checkout', de: 'Zur Kasse', fr: 'Passer commande', es: 'Ir a la caja' },
  },
  {
    is: /^(blog|actus|actualites|news|noticias)$/,
    goal: 'click',
    says: {
      en: 'Read the news',
      de: 'Neuigkeiten lesen',
      fr: 'Lire les actualités',
      es: 'Leer las novedades',
    },
  },
  {
    is: /^(faq|faqs|questions)$/,
    goal: 'click',
    says: {
      en: 'See answers to questions',
      de: 'Antworten auf Fragen ansehen',
      fr: 'Voir les réponses aux questions',
      es: 'Ver respuestas a preguntas',
    },
  },
  {
    is: /^(demo|live-demo)$/,
    goal: 'click',
    says: { en: 'See the demo', de: 'Demo ansehen', fr: 'Voir la démo', es: 'Ver la demo' },
  },
  {
    is: /^((request|book|get)-(a-)?demo|demo-request|demo-anfragen|demande-(de-)?demo|solicitar-demo)$/,
    goal: 'contact',
    says: { en: 'Book a demo', de: 'Demo vereinbaren', fr: 'Demander une démo', es: 'Pedir una demo' },
  },
  {
    is: /^(book|book-?(now|online)|booking|bookings|reserve|reservations?|buchen|reservierung|reserver|reservas?|reservar)$/,
    goal: 'click',
    says: { en: 'Book now', de: 'Jetzt buchen', fr: 'Réserver', es: 'Reservar' },
  },
  {
    is: /^(appointments?|book-appointment|termin|termine|termin-?buchen|rdv|rendez-?vous|prendre-rendez-vous|citas?|pedir-cita)$/,
    goal: 'contact',
    says: {
      en: 'Book an appointment',
      de: 'Termin vereinbaren',
      fr: 'Prendre rendez-vous',
      es: 'Pedir cita',
    },
  },
  {
    is: /^(quote|get-(a-)?quote|request-(a-)?quote|angebot|angebot-anfordern|devis|demande-(de-)?devis|presupuesto|pedir-presupuesto)$/,
    goal: 'contact',
    says: {
      en: 'Ask for a quote',
      de: 'Angebot anfordern',
      fr: 'Demander un devis',
      es: 'Pedir presupuesto',
    },
  },
  {
    is: /^(apply|apply-now|application|antrag|bewerben|bewerbung|postuler|candidature|solicitud)$/,
    goal: 'click',
    says: { en: 'Apply now', de: 'Antrag stellen', fr: 'Faire une demande', es: 'Solicitar' },
  },
  {
    is: /^(enrol|enroll|enrolment|enrollment|matricula)$/,
    goal: 'click',
    says: { en: 'Enrol now', de: 'Jetzt anmelden', fr: "S'inscrire", es: 'Inscribirse' },
  },
  {
    is: /^(subscribe|abonnieren|s-abonner|suscribirse)$/,
    goal: 'click',
    says: { en: 'Subscribe', de: 'Abonnieren', fr: "S'abonner", es: 'Suscribirse' },
  },
  {
    is: /^(donate|donations?|spenden|don|faire-un-don|donar)$/,
    goal: 'click',
    says: { en: 'Donate', de: 'Spenden', fr: 'Faire un don', es: 'Donar' },
  },
  {
    is: /^(tutorial|quick-?start|getting-started)$/,
    goal: 'click',
    says: {
      en: 'Start the tutorial',
      de: 'Tutorial starten',
      fr: 'Commencer le tutoriel',
      es: 'Empezar el tutorial',
    },
  },
  {
    is: /^(map|karte|carte|mapa)$/,
    goal: 'click',
    says: { en: 'Open the map', de: 'Karte öffnen', fr: 'Ouvrir la carte', es: 'Abrir el mapa' },
  },
  {
    is: /^(about|about-us|ueber-uns|qui-sommes-nous|quienes-somos)$/,
    goal: 'click',
    says: { en: 'Get to know us', de: 'Uns kennenlernen', fr: 'Mieux nous connaître', es: 'Conocernos' },
  },
]

/** Labels of buttons and links that fit any address, beside those of `VAGUE_LINK`. */
export const VAGUE_START: ByLanguage<ReadonlySet<string>> = {
  en: new Set([
    'get started',
    'get started now',
    'start',
    'start now',
    'go',
    'continue',
    'try it',
    'try it now',
    'explore',
    'discover',
    'view',
    'open',
    "let's go",
    'start here',
    'begin',
  ]),
  de: new Set([
    'loslegen',
    "los geht's",
    'jetzt starten',
    'starten',
    'weiter',
    'entdecken',
    'ansehen',
    'öffnen',
    'jetzt loslegen',
  ]),
  fr: new Set([
    'commencer',
    'démarrer',
    "c'est parti",
    'continuer',
    'découvrir',
    'accéder',
    'voir',
    'ouvrir',
    'consulter',
    "j'y vais",
  ]),
  es: new Set(['empezar', 'comenzar', 'continuar', 'descubrir', 'acceder', 'ver', 'abrir', 'explorar']),
}

/** Words of the trade, and what visitors would say; compared as labels are. */
export const PLAIN_WORDS: ByLanguage<
  readonly { says: RegExp; plainly: string; goal: 'purchase' | 'sign in' | 'click' }[]
> = {
  en: [
    { says: /^select (a )?variant$/i, plainly: 'Choose options', goal: 'purchase' },
    { says: /^proceed$/i, plainly: 'Continue', goal: 'click' },
    { says: /^authenticate$/i, plainly: 'Log in', goal: 'click' },
    { says: /^terminate session$/i, plainly: 'Log out', goal: 'click' },
    { says: /^lost (your )?password\??$/i, plainly: 'Forgot your password?', goal: 'sign in' },
    { says: /^utilize$/i, plainly: 'Use', goal: 'click' },
  ],
  de: [{ says: /^variante (wählen|auswählen)$/i, plainly: 'Ausführung wählen', goal: 'purchase' }],
  fr: [{ says: /^(sélectionner|choisir) une variante$/i, plainly: 'Choisir les options', goal: 'purchase' }],
  es: [{ says: /^(seleccionar|elegir) (una )?variante$/i, plainly: 'Elegir opciones', goal: 'purchase' }],
}

/** A trial that costs nothing, as it is spoken of. */
export const TRIAL: ByLanguage<RegExp> = {
  en: /\bfree trial\b/i,
  de: /\bkostenlose(r|n)? test(phase|version|zeitraum)?\b|\bkostenlos testen\b/i,
  fr: /\bessai gratuit\b/i,
  es: /\bprueba gratuita\b/i,
}

export const START_TRIAL: ByLanguage<string> = {
  en: 'Start free trial',
  de: 'Kostenlos testen',
  fr: "Commencer l'essai gratuit",
  es: 'Empezar la prueba gratuita',
}

/** Buttons of a step, and what the next one is called, by the end of its address. */
export const STEPS: ByLanguage<{ continues: RegExp; to: readonly { is: RegExp; says: string }[] }> = {
  en: {
    continues: /^(continue|next|proceed|next step|save and continue|submit)$/,
    to: [
      { is: /^(payment|pay|payment-?method|zahlung)$/, says: 'Continue to payment' },
      { is: /^(shipping|delivery|shipping-?address|address)$/, says: 'Continue to shipping' },
      {
        is: /^(place-?order|review|review-?order|confirm|confirmation|summary|overview)$/,
        says: 'Review your order',
      },
      { is: /^(checkout)$/, says: 'Continue to checkout' },
      { is: /^(results?)$/, says: 'See results' },
    ],
  },
  de: {
    continues: /^(weiter|fortfahren|nächster schritt|speichern und weiter|absenden)$/,
    to: [
      { is: /^(payment|pay|zahlung|zahlungsart|bezahlen)$/, says: 'Weiter zur Zahlung' },
      { is: /^(shipping|delivery|versand|lieferung|address|adresse)$/, says: 'Weiter zum Versand' },
      {
        is: /^(review|summary|overview|zusammenfassung|uebersicht|pruefen)$/,
        says: 'Weiter zur Zusammenfassung',
      },
      { is: /^(checkout|kasse)$/, says: 'Weiter zur Kasse' },
      { is: /^(results?|ergebnis(se)?)$/, says: 'Ergebnis ansehen' },
    ],
  },
  fr: {
    continues: /^(continuer|suivant|étape suivante|valider)$/,
    to: [
      { is: /^(payment|pay|paiement)$/, says: 'Continuer vers le paiement' },
      { is: /^(shipping|delivery|livraison|address|adresse)$/, says: 'Continuer vers la livraison' },
      { is: /^(review|summary|overview|recapitulatif|resume)$/, says: 'Voir le récapitulatif' },
      { is: /^(checkout|commande)$/, says: 'Continuer vers la commande' },
      { is: /^(results?|resultats?)$/, says: 'Voir les résultats' },
    ],
  },
  es: {
    continues: /^(continuar|siguiente|siguiente paso|enviar)$/,
    to: [
      { is: /^(payment|pay|pago)$/, says: 'Continuar al pago' },
      { is: /^(shipping|delivery|envio|address|direccion)$/, says: 'Continuar al envío' },
      { is: /^(review|summary|overview|resumen)$/, says: 'Revisar el pedido' },
      { is: /^(checkout|caja)$/, says: 'Continuar a la caja' },
      { is: /^(results?|resultados?)$/, says: 'Ver los resultados' },
    ],
  },
}

/** What a form without another purpose sends, by its heading and fields, and the button that says so. */
export const SENDS: ByLanguage<readonly { is: RegExp; says: string }[]> = {
  en: [
    { is: /\breviews?\b/i, says: 'Submit review' },
    { is: /\b(comments?|repl(y|ies))\b/i, says: 'Post comment' },
    { is: /\bfeedback\b/i, says: 'Send feedback' },
    { is: /\bquote\b/i, says: 'Request a quote' },
    { is: /\b(demo)\b/i, says: 'Request a demo' },
    { is: /\b(appointment|reservation|booking)\b/i, says: 'Request booking' },
    { is: /\b(application|apply|résumé|resume|cover letter)\b/i, says: 'Send application' },
  ],
  de: [
    { is: /\b(bewertung|rezension)/i, says: 'Bewertung abgeben' },
    { is: /\bkommentar/i, says: 'Kommentar senden' },
    { is: /\b(feedback|rückmeldung)/i, says: 'Feedback senden' },
    { is: /\bangebot/i, says: 'Angebot anfordern' },
    { is: /\b(termin|reservierung|buchung)/i, says: 'Termin anfragen' },
    { is: /\bbewerbung/i, says: 'Bewerbung senden' },
  ],
  fr: [
    { is: /\b(avis)\b/i, says: 'Publier mon avis' },
    { is: /\bcommentaires?\b/i, says: 'Publier le commentaire' },
    { is: /\bdevis\b/i, says: 'Demander un devis' },
    { is: /\b(rendez-vous|réservation)\b/i, says: 'Demander un rendez-vous' },
    { is: /\bcandidature\b/i, says: 'Envoyer ma candidature' },
  ],
  es: [
    { is: /\b(reseña|opinión|valoración)/i, says: 'Publicar opinión' },
    { is: /\bcomentarios?\b/i, says: 'Publicar comentario' },
    { is: /\bpresupuesto\b/i, says: 'Pedir presupuesto' },
    { is: /\b(cita|reserva)\b/i, says: 'Solicitar cita' },
    { is: /\bcandidatura\b/i, says: 'Enviar candidatura' },
  ],
}

/** Places where there is nothing yet, links there that do not say where they lead, and where to begin. */
export const EMPTY_CART: ByLanguage<{ says: RegExp; vague: RegExp; browse: string }> = {
  en: {
    says: /\b(cart|basket|bag|wish ?list) (is|are|looks) (currently |still )?empty\b|\b(no items|nothing) in (your|the) (cart|basket|bag|wish ?list)\b/i,
    vague: /^(go back|back|go home|home|return|return home|back to home|click here|here)$/,
    browse: 'Browse products',
  },
  de: {
    says: /\b(warenkorb|merkzettel|wunschliste) ist (noch |derzeit )?leer\b/i,
    vague: /^(zurück|zur startseite|startseite|hier|hier klicken)$/,
    browse: 'Produkte ansehen',
  },
  fr: {
    says: /\bpanier est (actuellement |encore )?vide\b/i,
    vague: /^(retour|accueil|retour à l'accueil|ici|cliquez ici)$/,
    browse: 'Voir les produits',
  },
  es: {
    says: /\b(carrito|cesta|bolsa) está vac[ií][oa]\b/i,
    vague: /^(volver|inicio|volver al inicio|aquí)$/,
    browse: 'Ver productos',
  },
}

/** Which doubt a statement answers. */
export type Reassurance =
  | 'card'
  | 'account'
  | 'cancel'
  | 'trial'
  | 'returns'
  | 'delivery'
  | 'duration'
  | 'anonymous'

/** Phrases that answer a doubt and can stand by themselves. */
export const REASSURES: ByLanguage<readonly { kind: Reassurance; says: RegExp }[]> = {
  en: [
    { kind: 'card', says: /\bno credit card( is)? (required|needed|necessary)\b|\bno credit card\b/i },
    {
      kind: 'account',
      says: /\bno (account|registration|sign-?up|login)( is)? (required|needed|necessary)\b|\bwithout (an account|registration|signing up)\b/i,
    },
    { kind: 'cancel', says: /\bcancel (at )?any ?time\b/i },
    {
      kind: 'returns',
      says: /\b(free|easy) returns( within \d+ days)?\b|\b\d+[- ]day (returns?|money[- ]back guarantee)\b/i,
    },
    {
      kind: 'delivery',
      says: /\bfree (delivery|shipping)\b(?: (?:on|for) (?:all )?orders (?:over|above|from) [$€£]\s?\d+(?:[.,]\d+)?|(?! (?:on|for|over|from|above|when|\d)))/i,
    },
    {
      kind: 'duration',
      says: /\btakes (only |just |about |less than |under )?\d+ minutes\b|\bin (only|just|less than|under) \d+ minutes\b/i,
    },
  ],
  de: [
    { kind: 'card', says: /\bkeine kreditkarte( erforderlich| nötig| notwendig)?\b/i },
    { kind: 'account', says: /\bohne (registrierung|anmeldung|konto)\b/i },
    { kind: 'cancel', says: /\bjederzeit kündbar\b/i },
    { kind: 'returns', says: /\bkostenlose (rückgabe|retoure|rücksendung)\b/i },
    { kind: 'delivery', says: /\b(kostenloser versand|versandkostenfrei)\b(?! (ab|bei|für))/i },
    {
      kind: 'duration',
      says: /\bdauert (nur |etwa |ca\. |weniger als )?\d+ minuten\b|\bin (nur|weniger als) \d+ minuten\b/i,
    },
    { kind: 'anonymous', says: /\banonym und (kostenlos|unverbindlich)\b/i },
  ],
  fr: [
    { kind: 'card', says: /\bsans carte (bancaire|de crédit)\b/i },
    { kind: 'account', says: /\bsans (inscription|création de compte|compte)\b/i },
    { kind: 'cancel', says: /\b(sans engagement|résiliable à tout moment)\b/i },
    { kind: 'returns', says: /\bretours? gratuits?\b/i },
    { kind: 'delivery', says: /\blivraison (gratuite|offerte)\b(?! (dès|à partir|pour))/i },
    { kind: 'duration', says: /\ben (seulement|moins de) \d+ minutes\b/i },
    { kind: 'anonymous', says: /\b(gratuit|simple) et anonyme\b/i },
  ],
  es: [
    { kind: 'card', says: /\bsin tarjeta( de crédito)?\b/i },
    { kind: 'account', says: /\bsin (registro|registrarse|crear una cuenta)\b/i },
    { kind: 'cancel', says: /\b(cancel[ae]r? (en )?cualquier momento|sin permanencia)\b/i },
    { kind: 'returns', says: /\bdevolu(ción|ciones) (gratis|gratuitas?)\b/i },
    { kind: 'delivery', says: /\benvío gratis\b(?! (a partir|para|en))/i },
    { kind: 'duration', says: /\ben (solo|menos de) \d+ minutos\b/i },
  ],
}
