import type { Lexicon } from './lexicon.js'

export const pl: Lexicon = {
  purposes: {
    'sign up': /zarejestruj|rejestracj|(załóż|utwórz|stwórz) konto|dołącz|wypróbuj/i,
    'sign in': /zaloguj|logowanie/i,
    contact: /kontakt|napisz do nas|wiadomość/i,
    quote: /\bwycen|darmowa oferta|zapytanie ofertowe/i,
    booking: /rezerwacj|rezerwuj|umów (się|wizytę|termin|spotkanie|jazdę)|umawianie/i,
    subscribe: /newsletter|subskrybuj/i,
    purchase: /zamów|\bkup\b|\bkup (teraz|bilet)|płatność|zapłać|\bdo kasy\b/i,
    cart: /koszyk/i,
    search: /szukaj|wyszuka/i,
    plans: /cennik|\bceny\b|abonament/i,
    review: /\bopini[aei]|recenzj/i,
  },
  tidies:
    /(?<!\p{L})(wyczyść|opróżnij|usuń|anuluj|zarządzaj|zmień|edytuj|wstecz|powrót|wróć|resetuj|zamknij|zapisz(?! się)|zastosuj|pobierz|kopiuj|udostępnij|drukuj|odśwież|zaktualizuj|ponów|wyprzedan[eya])(?!\p{L})/iu,
  fields: {
    coupon: /kod (rabatowy|promocyjny)|kupon rabatowy/i,
    company: /\bnazwa firmy\b/i,
    phone: /telefon/i,
    email: /e-?mail/i,
    message: /wiadomoś|komentarz|pytanie|\buwagi\b/i,
    search: /szukaj/i,
    card: /numer karty (kredytowej|płatniczej)|karta kredytowa/i,
  },
  couponQuestion: 'Masz kod rabatowy?',
}
