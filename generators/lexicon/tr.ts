import type { Lexicon } from './lexicon.js'

/** No flag knows that `İ` is a capital `i`, and `I` one of `ı`. */
export const tr: Lexicon = {
  purposes: {
    'sign up': /kay[ıi]t ol|üye ol|üyelik|hesap oluştur|ücretsiz dene/i,
    'sign in': /g[iİ]r[iİ]ş yap|oturum aç|üye g[iİ]r[iİ]ş/i,
    contact: /[iİ]let[iİ]ş[iİ]m|bize (yaz|ulaş)|mesaj/i,
    quote: /tekl[iİ]f/i,
    booking: /randevu|rezervasyon/i,
    subscribe: /bülten/i,
    purchase: /sat[ıi]n al|s[iİ]par[iİ]ş|ödeme/i,
    cart: /sepet/i,
    // "Hemen ara" calls.
    search: /^\s*ara\W*$|\barama\b|\bürün ara\b/i,
    plans: /f[iİ]yat|ücretler/i,
    review: /\byorum|değerlendirme/i,
  },
  tidies:
    /(?<!\p{L})(temizle|boşalt|kald[ıi]r|s[iİ]l|[iİ]ptal( et)?|yönet|düzenle|değiştir|geri( dön)?|s[ıi]f[ıi]rla|kapat|kaydet|güncelle|uygula|[iİ]nd[iİ]r|kopyala|paylaş|yazd[ıi]r|tükendi)(?!\p{L})/iu,
  fields: {
    coupon: /kupon kodu|[iİ]ndirim kodu|promosyon kodu/i,
    company: /ş[iİ]rket|firma ad[ıi]/i,
    phone: /telefon|cep (no|numara)/i,
    email: /e-?posta/i,
    message: /mesaj|\byorum|\bnotunuz\b/i,
    search: /\bürün ara\b|\barama (yap|kutusu)/i,
    card: /kart numaras[ıi]/i,
  },
  couponQuestion: 'İndirim kodunuz var mı?',
}
