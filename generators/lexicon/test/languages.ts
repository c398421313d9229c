import t from 'tap'
import { COMMON, LANGUAGES, type Language, languageOf } from '../language.js'
import { FIELD_KINDS, PURPOSES } from '../lexicon.js'
import { ALL_LEXICONS, lexiconOf } from '../lexicons.js'
import { PERSONAL_FIELDS } from '../personal-fields.js'

const SENTENCES: Readonly<Record<Language, readonly string[]>> = {
  en: [
    'Book a table for two and we will be happy to see you in the evening.',
    'The van is ready for you. Add it to the cart, or call us: we are open on all days.',
  ],
  de: [
    'Wir freuen uns auf Ihre Nachricht und melden uns bei Ihnen in der Regel am selben Tag.',
    'Buchen Sie jetzt einen Termin für die ganze Familie, wir sind auch am Samstag für Sie da.',
  ],
  fr: [
    'Réservez votre table et venez goûter les plats de la maison dans une salle avec vue sur le port.',
    'Il y a onze chambres pour vous et votre famille, avec une vue sur la mer.',
  ],
  es: [
    'Reserva tu mesa y disfruta de los mejores platos de la región con una copa de vino.',
    'Estamos cerca de la playa, y son más de cien los vinos de nuestra carta para el verano.',
  ],
  pt: [
    'Agende a sua consulta com os nossos profissionais e não perca mais tempo na fila.',
    'A nossa loja fica no centro da cidade, e o seu pedido chega em casa às onze.',
  ],
  it: [
    'Prenota il tuo tavolo e scopri i piatti della nostra cucina, con una vista che non dimenticherai.',
    'La pizzeria è aperta anche la domenica. Le nostre pizze sono cotte nel forno a legna.',
  ],
  nl: [
    'Maak een afspraak bij onze kapper, wij zijn ook op zaterdag open voor het hele gezin.',
    'Heeft u een vraag? Stuur ons een bericht, dan nemen wij zo snel mogelijk contact met u op.',
  ],
  pl: [
    'Zapraszamy do naszego salonu. Umów się na wizytę przez internet lub zadzwoń do nas już dziś.',
    'Nasza restauracja jest otwarta codziennie oraz w święta, a wszystkie dania są przygotowane na miejscu.',
  ],
  tr: [
    'Randevu almak için bizi arayın veya formu doldurun, en kısa sürede size dönüş yapalım.',
    'İletişim bilgilerimiz ile bize daha kolay ulaşın, sizin için buradayız.',
  ],
}

t.test('the language of real sentences, whatever `lang` says', async (t) => {
  for (const language of LANGUAGES)
    for (const sentence of SENTENCES[language]) {
      t.equal(languageOf(sentence, null, null), language, sentence)
      t.equal(languageOf(`${sentence} ${sentence}`, 'en', 'en'), language, `lang="en": ${sentence}`)
      t.equal(languageOf(sentence, language, null), language)
    }
  for (const language of LANGUAGES) t.equal(languageOf('Menu', language, null), language)
  const others = [
    ['Velkommen til vores butik, og husk det nye menukort', 'da'],
    ['Rezervujte si stůl online a přijďte ochutnat naše speciality', 'cs'],
    ['Kami berada di jalan utama dan melayani pelanggan setiap hari', 'id'],
    ['Vă așteptăm cu drag în salonul nostru din centrul orașului', 'ro'],
  ] as const
  for (const [sentence, code] of others) {
    t.equal(languageOf(sentence, code, null), null, sentence)
    t.equal(languageOf(sentence, 'en', null), null, `lang="en": ${sentence}`)
  }
})

t.test('no frequent word of a language that came later is one of another', async (t) => {
  for (const later of ['it', 'nl', 'pl', 'tr'] as const)
    for (const other of LANGUAGES)
      if (other !== later)
        t.same(
          [...COMMON[later]].filter((word) => COMMON[other].has(word)),
          [],
          other,
        )
  for (const word of ['van', 'met', 'per', 'do', 'on', 'ad', 'her', 'var', 'w', 've', 'dal', 'alle', 'come'])
    for (const later of ['it', 'nl', 'pl', 'tr'] as const)
      t.notOk(COMMON[later].has(word), `"${word}" alone may be English, or code`)
})

/** Labels of personal fields in each language, by their token. */
const LABELS: Readonly<Record<Language, Readonly<Record<string, string>>>> = {
  en: {
    name: 'Name|Your name|First and last name',
    'given-name': 'First name',
    'family-name': 'Last name|Surname',
    tel: 'Phone number|Mobile',
    email: 'E-mail|Email address',
    'postal-code': 'ZIP code|Postcode',
    'address-line1': 'Street address',
    'address-level2': 'City|Town',
    organization: 'Company',
  },
  de: {
    name: 'Ihr Name|Vor- und Nachname',
    'given-name': 'Vorname',
    'family-name': 'Nachname',
    tel: 'Telefonnummer|Telefon',
    email: 'E-Mail-Adresse',
    'postal-code': 'PLZ|Postleitzahl',
    'address-line1': 'Straße',
    'address-level2': 'Ort|Stadt',
    organization: 'Firma',
  },
  fr: {
    name: 'Nom|Nom et prénom',
    'given-name': 'Prénom',
    tel: 'Téléphone',
    email: 'Courriel',
    'postal-code': 'Code postal',
    'address-line1': 'Adresse',
    'address-level2': 'Ville',
    organization: 'Société|Entreprise',
  },
  es: {
    name: 'Nombre|Nombre y apellidos',
    'family-name': 'Apellidos',
    tel: 'Teléfono|Móvil',
    email: 'Correo electrónico',
    'postal-code': 'Código postal',
    'address-line1': 'Dirección',
    'address-level2': 'Ciudad',
    'country-name': 'País',
    organization: 'Empresa',
  },
  pt: {
    name: 'Nome|Seu nome|Nome completo',
    'family-name': 'Sobrenome',
    tel: 'Telefone|Celular',
    email: 'E-mail',
    'postal-code': 'CEP',
    'address-line1': 'Endereço',
    'address-level2': 'Cidade',
  },
  it: {
    name: 'Nome|Il tuo nome|Nome e cognome|Cognome e nome',
    'family-name': 'Cognome',
    tel: 'Telefono|Cellulare|Numero di telefono',
    email: 'Email|Indirizzo e-mail|Posta elettronica',
    'postal-code': 'CAP|Codice postale|C.A.P. *',
    'address-line1': 'Indirizzo',
    'address-level2': 'Città|Località',
    'country-name': 'Paese|Nazione',
    organization: 'Azienda|Ragione sociale',
    username: 'Nome utente',
    none: 'Messaggio|Provincia|Data|Numero di persone|Città di nascita|Numero carta d’identità|Via|Indirizzo web',
  },
  nl: {
    name: 'Naam|Uw naam|Volledige naam|Voor- en achternaam',
    'given-name': 'Voornaam',
    'family-name': 'Achternaam',
    tel: 'Telefoonnummer|Mobiel|Telefoon',
    email: 'E-mailadres|Emailadres',
    'postal-code': 'Postcode',
    'address-line1': 'Adres|Straat en huisnummer',
    'address-level2': 'Woonplaats|Plaats',
    'country-name': 'Land',
    organization: 'Bedrijfsnaam',
    username: 'Gebruikersnaam',
    none: 'Bericht|Huisnummer|Aantal plaatsen|Datum|Opmerkingen',
  },
  pl: {
    name: 'Imię i nazwisko|Nazwisko i imię|Imie i nazwisko',
    'given-name': 'Imię',
    'family-name': 'Nazwisko',
    tel: 'Telefon|Numer telefonu',
    email: 'E-mail|Adres e-mail|Adres email',
    'postal-code': 'Kod pocztowy',
    'address-line1': 'Adres|Ulica i numer domu',
    'address-level2': 'Miejscowość|Miasto',
    'country-name': 'Kraj',
    organization: 'Nazwa firmy|Firma',
    username: 'Nazwa użytkownika',
    none: 'Wiadomość|Data wizyty|Liczba osób|Adres strony|Kod rabatowy|Numer karty stałego klienta',
  },
  tr: {
    name: 'Ad|Adınız|İsim|Ad Soyad|AD SOYAD|Adı Soyadı|Adınız ve soyadınız|İsim Soyisim',
    'family-name': 'Soyad|Soyadınız|SOYADI',
    tel: 'Telefon|Telefon numarası|Cep telefonu|TELEFON',
    email: 'E-posta|E-posta adresiniz|Eposta',
    'postal-code': 'Posta kodu',
    'address-line1': 'Adres|Adresiniz',
    'address-level2': 'Şehir|ŞEHİR',
    'country-name': 'Ülke',
    organization: 'Şirket adı|Firma',
    username: 'Kullanıcı adı',
    none: 'Mesajınız|Tarih|Kişi sayısı|İlçe|Web adresi',
  },
}

t.test('no personal field of one language is taken for another by the words of a second', async (t) => {
  for (const language of LANGUAGES)
    for (const [token, labels] of Object.entries(LABELS[language]))
      for (const label of labels.split('|')) {
        const found = PERSONAL_FIELDS.find(([, names]) => names.test(label))?.[0] ?? 'none'
        t.equal(found, token, `${language}: ${label}`)
      }
  for (const label of ['Cap size', 'Middle name', 'Ad title', 'Cerca de ti', 'Plaats van het feest'])
    t.equal(PERSONAL_FIELDS.find(([, names]) => names.test(label))?.[0], undefined, label)
})

t.test('no kind of field has a word that is another one in a second language', async (t) => {
  const kinds = { tel: 'phone', email: 'email', organization: 'company' } as const
  for (const language of LANGUAGES)
    for (const [token, labels] of Object.entries(LABELS[language]))
      for (const label of labels.split('|')) {
        const found = FIELD_KINDS.filter((kind) =>
          ALL_LEXICONS.some(({ fields }) => fields[kind].test(label)),
        )
        const allowed: readonly string[] =
          token in kinds
            ? [kinds[token as keyof typeof kinds]]
            : token === 'none'
              ? ['message', 'coupon', 'search']
              : []
        t.same(
          found.filter((kind) => !allowed.includes(kind)),
          [],
          `${language}: ${label}`,
        )
      }
})

/** Labels of buttons with their purposes. */
const BUTTONS = {
  it: 'Registrati: sign up|Accedi: sign in|Contattaci: contact|Richiedi un preventivo: quote|Prenota ora: booking|Iscriviti alla newsletter: subscribe|Acquista: purchase|Ordina online: purchase|Aggiungi al carrello: cart|Prezzi: plans',
  nl: 'Account aanmaken: sign up|Inloggen: sign in|Neem contact op: contact|Offerte aanvragen: quote|Maak een afspraak: booking|Nu boeken: booking|Afrekenen: purchase|Bestel nu: purchase|In winkelwagen: cart|Tarieven: plans',
  pl: 'Załóż konto: sign up|Zaloguj się: sign in|Napisz do nas: contact|Bezpłatna wycena: quote|Umów wizytę: booking|Zarezerwuj stolik: booking|Zamów teraz: purchase|Kup: purchase|Do koszyka: cart|Cennik: plans',
  tr: 'Kayıt Ol: sign up|Giriş Yap: sign in|İLETİŞİM: contact|Teklif Al: quote|Randevu Al: booking|Satın Al: purchase|Sipariş ver: purchase|Sepete ekle: cart|Fiyatlar: plans|Ara: search',
} as const
const TIDIES = {
  it: 'Svuota carrello|Annulla|Modifica prenotazione',
  nl: 'Winkelwagen leegmaken|Annuleren|Afspraak wijzigen',
  pl: 'Wyczyść koszyk|Anuluj rezerwację|Zmień',
  tr: 'Sepeti boşalt|Randevu iptal|Geri dön',
} as const
const NO_ACTS = {
  it: 'Chi siamo|Ordina per prezzo|Gli orari',
  nl: 'Over ons|Onze boeken|Een mooi boek',
  pl: 'O nas|Regulamin i umowa',
  tr: 'Hakkımızda|Hemen ara',
} as const

t.test('the purposes of buttons', async (t) => {
  for (const language of ['it', 'nl', 'pl', 'tr'] as const) {
    const { purposes, tidies } = lexiconOf(language)
    const purposeOf = (label: string) => PURPOSES.find((one) => purposes[one].test(label))
    for (const button of BUTTONS[language].split('|')) {
      const [label = '', wanted] = button.split(': ')
      t.equal(purposeOf(label), wanted, label)
      t.notOk(tidies.test(label), `${label} does not tidy up`)
    }
    for (const label of TIDIES[language].split('|')) t.ok(tidies.test(label), label)
    for (const label of NO_ACTS[language].split('|')) t.equal(purposeOf(label), undefined, label)
  }
})
