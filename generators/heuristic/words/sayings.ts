import { LANGUAGES, type Language } from './language.js'

type Wordings = Readonly<Record<Language, readonly string[]>>

/**
 * Short texts that mean the same, by language and from short to long. `{}` stands for a name that stays as it is. Promises are not among them: what
 * they say has to be true of the site.
 */
const SAYINGS: readonly Wordings[] = [
  {
    en: ['Sign up', 'Create account', 'Create an account', 'Create your account'],
    de: ['Registrieren', 'Konto erstellen', 'Jetzt Konto erstellen'],
    fr: ["S'inscrire", 'Créer un compte', 'Créer un nouveau compte'],
    es: ['Registrarse', 'Crear cuenta', 'Crear una cuenta'],
  },
  {
    en: ['Log in', 'Log in to the account', 'Log in to your account'],
    de: ['Anmelden', 'Im Konto anmelden', 'Jetzt im Konto anmelden'],
    fr: ['Se connecter', 'Se connecter au compte'],
    es: ['Entrar', 'Iniciar sesión', 'Iniciar sesión en la cuenta'],
  },
  {
    en: ['Reset password', 'Send reset link', 'Send a link to reset the password'],
    de: ['Passwort zurücksetzen', 'Link zum Zurücksetzen senden'],
    fr: ['Réinitialiser', 'Envoyer le lien', 'Envoyer le lien de réinitialisation'],
    es: ['Restablecer', 'Enviar enlace', 'Enviar enlace de restablecimiento'],
  },
  {
    en: ['Subscribe', 'Get the newsletter', 'Subscribe to the newsletter'],
    de: ['Abonnieren', 'Newsletter abonnieren', 'Jetzt Newsletter abonnieren'],
    fr: ["S'abonner", "S'abonner à la newsletter"],
    es: ['Suscribirse', 'Suscribirse al boletín'],
  },
  {
    en: ['Send message', 'Send your message'],
    de: ['Nachricht senden', 'Nachricht jetzt senden'],
    fr: ['Envoyer le message', 'Envoyer le message maintenant'],
    es: ['Enviar mensaje', 'Enviar el mensaje'],
  },
  {
    en: ['Save', 'Save changes', 'Save your changes'],
    de: ['Speichern', 'Änderungen speichern', 'Alle Änderungen speichern'],
    fr: ['Enregistrer', 'Enregistrer les modifications'],
    es: ['Guardar', 'Guardar cambios', 'Guardar los cambios'],
  },
  {
    en: ['Buy', 'Place order', 'Place your order'],
    de: ['Zahlungspflichtig bestellen'],
    fr: ['Commander', 'Passer la commande'],
    es: ['Comprar', 'Realizar pedido', 'Realizar el pedido'],
  },
  {
    en: ['Choose {}', 'Choose the {} plan', 'Continue with the {} plan'],
    de: ['{} wählen', 'Tarif {} wählen'],
    fr: ['Choisir {}', 'Choisir la formule {}'],
    es: ['Elegir {}', 'Elegir el plan {}'],
  },
  {
    en: ['Recommended', 'Recommended plan', 'We recommend this plan'],
    de: ['Empfohlen', 'Empfohlener Tarif', 'Diesen Tarif empfehlen wir'],
    fr: ['Recommandé', 'Formule recommandée'],
    es: ['Recomendado', 'Plan recomendado'],
  },
  {
    en: ['Delete', 'Delete now', 'Delete for good'],
    de: ['Löschen', 'Jetzt löschen', 'Endgültig löschen'],
    fr: ['Supprimer', 'Supprimer définitivement'],
    es: ['Eliminar', 'Eliminar definitivamente'],
  },
  {
    en: ['Please try again.', 'Please try again in a moment.', 'Please reload the page and try again.'],
    de: [
      'Bitte noch einmal versuchen.',
      'Bitte gleich noch einmal versuchen.',
      'Bitte die Seite neu laden und noch einmal versuchen.',
    ],
    fr: ['Veuillez réessayer.', 'Veuillez réessayer dans un instant.'],
    es: ['Por favor, inténtelo de nuevo.', 'Por favor, inténtelo de nuevo en un momento.'],
  },
  {
    en: [
      'Try other words.',
      'Try other words or check the spelling.',
      'Try fewer or other words, or check the spelling.',
    ],
    de: [
      'Andere Wörter versuchen.',
      'Andere Wörter versuchen oder die Schreibweise prüfen.',
      'Weniger oder andere Wörter versuchen oder die Schreibweise prüfen.',
    ],
    fr: ["Essayer d'autres mots.", "Essayer d'autres mots ou vérifier l'orthographe."],
    es: ['Pruebe otras palabras.', 'Pruebe otras palabras o revise la ortografía.'],
  },
  {
    en: ['Add to cart', 'Add to your cart'],
    de: ['In den Warenkorb', 'In den Warenkorb legen'],
    fr: ['Ajouter au panier'],
    es: ['Añadir al carrito', 'Añadir al carrito ahora'],
  },
  {
    en: ['Get started', 'Get started now'],
    de: ['Loslegen', 'Jetzt loslegen'],
    fr: ['Commencer', 'Commencer maintenant'],
    es: ['Empezar', 'Empezar ahora'],
  },
  {
    en: ['Next', 'Continue', 'Go to the next step'],
    de: ['Weiter', 'Weiter zum nächsten Schritt'],
    fr: ['Suivant', 'Continuer', "Passer à l'étape suivante"],
    es: ['Siguiente', 'Continuar', 'Ir al siguiente paso'],
  },
  {
    en: ['Download', 'Download now'],
    de: ['Herunterladen', 'Jetzt herunterladen'],
    fr: ['Télécharger', 'Télécharger maintenant'],
    es: ['Descargar', 'Descargar ahora'],
  },
]

export interface Said {
  language: Language
  /** all texts that mean the same in a language, from short to long */
  in(language: Language): string[]
}

const plain = (text: string): string =>
  text
    .toLowerCase()
    .replace(/’/g, "'")
    .replace(/[\s.!…→›»]+$/u, '')

/** What a text says in other words, `null` where it is none of those that are known. */
export function saidAs(text: string, prefer: Language | null): Said | null {
  const order = prefer === null ? LANGUAGES : [prefer, ...LANGUAGES.filter((one) => one !== prefer)]
  for (const language of order) {
    for (const wordings of SAYINGS) {
      for (const wording of wordings[language]) {
        const name = nameIn(plain(text), plain(wording), text)
        if (name === null) continue
        return { language, in: (other) => wordings[other].map((one) => one.replace('{}', () => name)) }
      }
    }
  }
  return null
}

/** What stands where a wording has `{}`, as the text writes it; `''` for one without, `null` where they differ. */
function nameIn(text: string, wording: string, written: string): string | null {
  const [before = '', after] = wording.split('{}')
  if (after === undefined) return text === wording ? '' : null
  if (text.length <= before.length + after.length || !text.startsWith(before) || !text.endsWith(after))
    return null
  const name = written.slice(before.length, text.length - after.length).trim()
  return name.split(/\s+/).length > 3 ? null : name
}
