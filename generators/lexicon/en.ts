import type { Lexicon } from './lexicon.js'

export const en: Lexicon = {
  purposes: {
    'sign up':
      /\bsign(ing)?[- ]?up\b|\bregist(er|ration)\b|\bcreate (an |your |my |free )*account\b|\bjoin (us|now|today|free)\b|\bfree trial\b/i,
    'sign in': /\b(sign|log)(ging)?[- ]?in\b/i,
    contact:
      /\bcontact\b|\bget in touch\b|\bwrite to us\b|\bsend us\b|\bask us\b|\byour message\b|\benquir|\binquir/i,
    quote: /\b(a |free |your )quote\b|\bestimate\b|\brequest (a|your|our|an)\b/i,
    booking: /\bbook(ing)?\b|\bappointment\b|\breserv(e|ation)\b/i,
    subscribe: /\bnewsletter\b|\bsubscribe\b|\bmailing list\b/i,
    purchase: /\bcheckout\b|\bplace (my |your )?order\b|\bpay(ment)?\b|\bbuy\b|\bpurchase\b/i,
    cart: /\badd to (cart|bag|basket)\b|\b(shopping )?(cart|basket)\b/i,
    search: /\bsearch\b/i,
    plans: /\bpricing\b|\bplans?\b|\bprices\b/i,
    review: /\breviews?\b|\brating\b/i,
  },
  tidies:
    /\b(clear|empty|(de)?select|another|remove|delete|cancel|manage|update|change|edit|back|reset|close|save|track|apply(?! now)|download|copy|share|export|import|print|mark|upload|refresh|retry|try again|sold out|out of stock)\b/i,
  fields: {
    coupon: /\b(coupon|promo(tion(al)?)?|discount|voucher)[- _]?(code)?\b/i,
    company: /\b(company|organi[sz]ation|business name|employer)\b/i,
    phone: /\b((tele)?phone|mobile)\b/i,
    email: /\be-?mail\b/i,
    message: /\b(message|comments?|question|enquiry)\b/i,
    search: /\bsearch\b/i,
    card: /\b(card number|credit card)\b/i,
  },
  couponQuestion: 'Have a promo code?',
}
