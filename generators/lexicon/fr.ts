import { type Lexicon, words } from './lexicon.js'

export const fr: Lexicon = {
  vagueLabels: words(
    `envoyer, valider, ok, soumettre, continuer, suivant, terminer, confirmer, enregistrer, submit`,
  ),
  vagueLinks: words(
    `cliquez ici, ici, en savoir plus, plus, lire la suite, voir plus, commencer, découvrir, c’est parti,
    c'est parti`,
  ),
  moreLinks: {
    labels: ['en savoir plus', 'lire la suite', 'voir plus'],
    about: (label, topic) => `${label} : ${topic}`,
  },
  purposes: {
    'sign up': {
      named: /s['’]inscrire|inscription|créer (un|mon|votre) compte|essai gratuit/i,
      label: 'Créer mon compte',
      link: 'Créer un compte',
    },
    'sign in': { named: /se connecter|connexion|s['’]identifier/i, label: 'Se connecter' },
    contact: {
      named: /contact|écrivez-nous|votre message|nous écrire/i,
      label: 'Envoyer mon message',
      link: 'Nous contacter',
    },
    quote: { named: /\bdevis\b/i, label: 'Demander mon devis', link: 'Demander un devis' },
    booking: { named: /rendez-vous|réserv/i, label: 'Confirmer ma réservation', link: 'Réserver' },
    subscribe: {
      named: /newsletter|lettre d['’]information|s['’]abonner/i,
      label: 'S’abonner à la newsletter',
    },
    purchase: { named: /\bcommande[r]?\b|\bpaiement\b|\bpayer\b|\bacheter\b/i, label: 'Passer ma commande' },
    cart: { named: /panier/i, label: 'Voir mon panier', link: 'Voir le panier' },
    search: { named: /recherche[r]?/i, label: 'Rechercher' },
    plans: {
      named: /\btarifs?\b|\bprix\b|\bformules?\b/i,
      label: 'Voir les formules et les prix',
      link: 'Voir les formules et les prix',
    },
  },
  fields: {
    coupon: /code (promo|de réduction|avantage|cadeau)|bon de réduction/i,
    company: /\b(société|entreprise|organisation|raison sociale)\b/i,
    phone: /téléphone|portable|mobile/i,
    email: /e-?mail|courriel/i,
    message: /message|commentaire|question/i,
    search: /recherche/i,
    card: /numéro de carte|carte bancaire/i,
    name: /\b(pré)?nom\b/i,
  },
  repeats: /confirm|répét|à nouveau|encore/i,
  optional: 'facultatif',
  isMarkedOptional: /facultati|optionnel/i,
  isMarkedRequired: /\*|obligatoire|requis/i,
  recommended: 'Recommandé',
  isMarked: /recommandé|populaire|meilleur choix|le plus choisi/i,
  isPlan: /\bformules?\b|par mois|\/\s?mois|mensuel|par an|abonnement|\btarifs?\b/i,
  couponQuestion: 'Vous avez un code promo ?',
  deadEnds: {
    cart: { says: /panier est (actuellement |encore )?vide/i, label: 'Continuer mes achats' },
    results: { says: /aucun (résultat|produit|article)( trouvé)?/i, label: 'Tout voir' },
    missing: {
      says: /page (introuvable|non trouvée)|page n['’]existe pas|\b404\b/i,
      label: 'Aller à l’accueil',
    },
  },
  reassurances: {
    'no card': /sans carte( bancaire| de crédit)?|aucune carte (bancaire )?requise/i,
    cancel: /sans engagement|annulable à tout moment|résiliable à tout moment/i,
    trial: /essai gratuit de \d+ jours|\d+ jours d['’]essai( gratuits?)?/i,
    returns: /retours? gratuits?( sous \d+ jours)?|satisfait ou remboursé/i,
    shipping: /livraison (gratuite|offerte)( dès \d+ ?€)?/i,
    'answer time':
      /nous (vous )?répondons sous (\d+|un|deux) (heures?|jours?( ouvrés?)?)|réponse sous (\d+ ?h(eures)?|\d+ jours?( ouvrés?)?)/i,
    'no spam': /pas de spam|désinscription à tout moment/i,
    free: /compte gratuit|l['’]inscription est gratuite|formule gratuite/i,
  },
  freeLabel: (label) => `${label} gratuitement`,
  isFree: /gratuit|offert/i,
}
