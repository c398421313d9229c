import type { Lexicon } from './lexicon.js'

export const fr: Lexicon = {
  purposes: {
    'sign up': /s['’]inscrire|inscription|créer (un|mon|votre) compte|essai gratuit/i,
    'sign in': /se connecter|connexion|s['’]identifier/i,
    contact: /contact|écrivez-nous|votre message|nous écrire/i,
    quote: /\bdevis\b/i,
    booking: /rendez-vous|réserv/i,
    subscribe: /newsletter|lettre d['’]information|s['’]abonner/i,
    purchase: /\bcommande[r]?\b|\bpaiement\b|\bpayer\b|\bacheter\b/i,
    cart: /panier/i,
    search: /recherche[r]?/i,
    plans: /\btarifs?\b|\bprix\b|\bformules?\b/i,
    review: /\bavis\b|commentaire client/i,
  },
  tidies:
    /\b(vider|supprimer|retirer|annuler|gérer|modifier|retour|réinitialiser|fermer|enregistrer|appliquer|télécharger|copier|partager|imprimer|épuisé)\b/i,
  fields: {
    coupon: /code (promo|de réduction|avantage|cadeau)|bon de réduction/i,
    company: /\b(société|entreprise|organisation|raison sociale)\b/i,
    phone: /téléphone|portable|mobile/i,
    email: /e-?mail|courriel/i,
    message: /message|commentaire|question/i,
    search: /recherche/i,
    card: /numéro de carte|carte bancaire/i,
  },
  couponQuestion: 'Vous avez un code promo ?',
}
