import { type Lexicon, words } from './lexicon.js'

export const en: Lexicon = {
  vagueLabels: words('submit, send, ok, okay, confirm, submit form, enter, click here'),
  vagueLinks: words(
    `click here, here, learn more, more, read more, find out more, go, start, get started, start now, discover more,
    explore, explore now, view more, see more, discover, show more, continue, check it out`,
  ),
  moreLinks: {
    labels: ['learn more', 'read more', 'find out more', 'discover more'],
    about: (label, topic) => `${label} about ${topic}`,
  },
  purposes: {
    'sign up': {
      named:
        /\bsign(ing)?[- ]?up\b|\bregist(er|ration)\b|\bcreate (an |your |my |free )*account\b|\bjoin (us|now|today|free)\b|\bfree trial\b/i,
      label: 'Create my account',
      link: 'Create an account',
    },
    'sign in': { named: /\b(sign|log)(ging)?[- ]?in\b/i, label: 'Sign in' },
    contact: {
      named:
        /\bcontact\b|\bget in touch\b|\bwrite to us\b|\bsend us\b|\bask us\b|\byour message\b|\benquir|\binquir/i,
      label: 'Send my message',
      link: 'Contact us',
    },
    quote: {
      named: /\b(a |free |your )quote\b|\bestimate\b|\brequest (a|your|our|an)\b/i,
      label: 'Request my quote',
      link: 'Request a quote',
    },
    booking: {
      named: /\bbook(ing)?\b|\bappointment\b|\breserv(e|ation)\b/i,
      label: 'Confirm my booking',
      link: 'Book now',
    },
    subscribe: {
      named: /\bnewsletter\b|\bsubscribe\b|\bmailing list\b/i,
      label: 'Subscribe to the newsletter',
    },
    purchase: {
      named: /\bcheckout\b|\bplace (my |your )?order\b|\bpay(ment)?\b|\bbuy\b|\bpurchase\b/i,
      label: 'Place my order',
    },
    cart: {
      named: /\badd to (cart|bag|basket)\b|\b(shopping )?(cart|basket)\b/i,
      label: 'Go to my cart',
      link: 'Go to the cart',
    },
    search: { named: /\bsearch\b/i, label: 'Search' },
    plans: {
      named: /\bpricing\b|\bplans?\b|\bprices\b/i,
      label: 'See plans and prices',
      link: 'See plans and prices',
    },
    review: { named: /\breviews?\b|\brating\b/i, label: 'Post my review', link: 'Write a review' },
  },
  tidies:
    /\b(clear|empty|(de)?select|another|remove|delete|cancel|manage|update|change|edit|back|reset|close|save|track|apply(?! now)|download|copy|share|export|import|print|mark|upload|refresh|retry|try again|sold out|out of stock)\b/i,
  plainSignUps: words('sign up, sign-up, signup, register, register now, sign up now, join'),
  acts: /^(book|request|get|reserve|order|schedule|apply|start|claim|download|become|subscribe|plan|find|try|enroll?|donate)\s(?!in\b|touch\b)\S+/i,
  places: {
    products: 'See all products',
    features: 'See the features',
    services: 'See our services',
    work: 'See our work',
    how: 'See how it works',
    reviews: 'See what customers say',
    faq: 'Read the FAQ',
    team: 'Meet the team',
    about: 'Read about us',
    menu: 'See the menu',
    courses: 'See all courses',
    events: 'See all events',
  },
  fields: {
    coupon: /\b(coupon|promo(tion(al)?)?|discount|voucher|gift)[- _]?(code)?\b/i,
    company: /\b(company|organi[sz]ation|business name|employer)\b/i,
    phone: /\b((tele)?phone|mobile)\b/i,
    email: /\be-?mail\b/i,
    message: /\b(message|comments?|question|enquiry)\b/i,
    search: /\bsearch\b/i,
    card: /\b(card number|credit card)\b/i,
    name: /\bname\b/i,
  },
  repeats: /\b(repeat|confirm|retype|re-?enter|again|verify)/i,
  optional: 'optional',
  isMarkedOptional: /\boptional\b/i,
  isMarkedRequired: /\*|\brequired\b|\bmandatory\b/i,
  recommended: 'Recommended',
  isMarked: /\b(recommended|most popular|popular|best (value|seller|choice)|most chosen)\b/i,
  isPlan:
    /\bplans?\b|\/\s?mo(nth)?\b|\b(per|a|each) (month|year)\b|\bmonthly\b|\bpricing\b|\bsubscription\b/i,
  couponQuestion: 'Have a promo code?',
  deadEnds: {
    cart: {
      says: /\b(cart|basket|bag) is (currently |still )?empty\b|\bempty (cart|basket|bag)\b|\bnothing in your (cart|basket|bag)\b/i,
      label: 'Continue shopping',
    },
    results: {
      says: /\bno (results|products|matches|items)( were)?( found)?\b|\bnothing (was )?found\b/i,
      label: 'See everything',
    },
    wishlist: {
      says: /\b(wish ?list|favou?rites) (is|are) (currently |still )?empty\b|\bno (favou?rites|saved items)( yet)?\b/i,
      label: 'Find something you like',
    },
    orders: {
      says: /\bno (orders|bookings|reservations|purchases)( found| yet)?\b|\byou (have not|haven['’]t) (placed|made|booked) any/i,
      label: 'Have a look around',
    },
    missing: {
      says: /\bpage (was |could )?(not|n['’]t) (be )?found\b|\bpage (does not|doesn['’]t) exist\b|\b404\b/i,
      label: 'Go to the start page',
    },
  },
  reassurances: {
    'no card': /\bno (credit )?card (is )?(required|needed)\b/i,
    cancel: /\bcancel (at )?any ?time\b/i,
    trial: /\b\d+[- ]days?( free)? trial\b|\bfree for \d+ days\b/i,
    returns:
      /\bfree returns( within \d+ days)?\b|\b\d+[- ]days? (free )?returns?\b|\b\d+[- ]day money[- ]back guarantee\b|\breturns within \d+ days\b/i,
    shipping: /\bfree (shipping|delivery)( (on|over|from|for) (orders (over |from )?)?[$€£]\s?\d+)?/i,
    'answer time':
      /\bwe (reply|answer|respond|get back to you) within (\d+|one|two|a) (hours?|(working |business )?days?)\b/i,
    'no spam': /\bno spam\b|\bunsubscribe (at )?any ?time\b/i,
    guarantee:
      /\b(satisfaction guarantee\w*|money[- ]back guarantee|\d+[- ](year|month|day) (warranty|guarantee)|lifetime (warranty|guarantee))\b/i,
    secure: /\b(secure (checkout|payments?|shopping)|(ssl|256-bit) encrypt\w+|100% secure\b[\w ]{0,20})/i,
    obligation:
      /\b(no obligations?|without obligation|free,? no[- ]obligation \w+|free (consultation|estimate|quote)s?)\b/i,
    proof:
      /\b(trusted|loved|used|chosen) by (over |more than )?\d[\d,.]*[k+]*(\s[a-z]+){1,3}|\b(\d+k|\d{1,3}[,.]\d{3}|\d{3,})\+ (happy |satisfied )?(customers|clients|users|members|teams|companies|patients|students|guests|families)\b|\brated \d[.,]\d(\s?\/\s?5| stars| out of 5)/i,
    free: /\bfree (plan|account|forever|to use|of charge)\b|\bsign(ing)?[- ]?up is free\b|\bit(['’]s| is) free\b/i,
  },
  freeLabel: (label) => `${label} for free`,
  isFree: /\bfree\b/i,
}
