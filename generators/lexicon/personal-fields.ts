/**
 * A pattern that finds any of the words, in whole. The boundaries of plain patterns know no letter with an
 * accent: "città" and "imię" would have no end.
 */
const whole = (...words: readonly string[]): RegExp =>
  new RegExp(String.raw`(?<![\p{L}\d_])(${words.join('|')})(?![\p{L}\d_])`, 'iu')

/** A pattern for labels that say one of the words and nothing else. */
const only = (...words: readonly string[]): RegExp =>
  new RegExp(String.raw`^[^\p{L}\d]*(${words.join('|')})[^\p{L}\d]*$`, 'iu')

const any = (...forms: readonly RegExp[]): RegExp =>
  new RegExp(forms.map(({ source }) => source).join('|'), 'iu')

/**
 * Purposes of fields: the names of HTML for `autocomplete`, and words in all languages of the lexicon. The
 * first that fits holds.
 */
export const PERSONAL_FIELDS: readonly (readonly [token: string, names: RegExp])[] = [
  [
    'cc-csc',
    whole('cvv|cvc|csc|security code|prüfziffer|cryptogramme|c[oó]digo de segur\\w+|codice di sicurezza'),
  ],
  [
    'cc-exp',
    whole(
      'expir(y|ation|es)( date)?|exp date|mm ?/ ?(yy|aa|jj|rr)|gültig bis|expiration|vencimiento|validade',
      'scadenza (della )?carta|vervaldatum (van de )?kaart|data ważności karty|son kullanma tarihi',
    ),
  ],
  [
    'cc-name',
    whole(
      'name on (the )?card|card ?holder( name)?|karteninhaber|titulaire|titular',
      '(titolare|intestatario) (della )?carta|nome sulla carta|naam (op de )?kaart(houder)?|kaarthouder|posiadacz karty',
      'kart (üzerindeki isim|sahibi)',
    ),
  ],
  [
    'cc-number',
    whole(
      'card number|kartennummer|num[eé]ro de (la )?carte|n[uú]mero (de (la )?tarjeta|do cart[aã]o)',
      'numero (della |di )?carta(?! d.identit| fedelt)|kaartnummer|numer karty (kredytowej|płatniczej)|kart numaras[ıi]',
    ),
  ],
  ['email', whole('e-?mail(adres(se)?)?|courriel|correo|posta elettronica|e-?posta')],
  [
    'tel',
    whole(
      '(tele)?phone( number| no)?|mobile( number)?|tel|telefon(nummer)?|handynummer|t[eé]l[eé]phone|tel[eé]fono|telefone|celular|telem[oó]vel|m[oó]vil',
      'cellulare|telefoon(nummer)?|mobiel(nummer)?|gsm-?(nummer)?|telefonu|telefonunuz|cep (no|numaran?[ıi]z?)',
    ),
  ],
  [
    // Both names in one field. The label names each of them, too.
    'name',
    whole(
      'first and last name|vor-? und (nach|zu)name|pr[eé]nom (et|/) nom|nom (et|/) pr[eé]nom|nombres? y apellidos?|nome e (sobrenome|apelido)',
      'nome (e|/) cognome|cognome (e|/) nome|voor-? en achternaam|naam en voornaam',
      'imi[ęe] ?(i|oraz|/) ?nazwisko|nazwisko ?(i|oraz|/) ?imi[ęe]|ad([ıi]|[ıi]n[ıi]z)?( ve |[ /-]*)soy ?ad([ıi]|[ıi]n[ıi]z)?|[iİ]s[iİ]m( ve)? soy ?[iİ]s[iİ]m',
    ),
  ],
  ['given-name', whole('first ?name|given name|fname|vorname|pr[eé]nom|primeiro nome|voornaam|imi[ęe]')],
  [
    'family-name',
    whole(
      'last ?name|surname|family name|lname|nachname|familienname|nom de famille|apellidos?|sobrenome',
      'cognome|achternaam|familienaam|nazwisko|soy ?ad([ıi]|[ıi]n[ıi]z)?|soy ?[iİ]s[iİ]m',
    ),
  ],
  [
    'postal-code',
    any(
      whole(
        'zip( ?code)?|post(al)? ?code|plz|postleitzahl|code ?postal|c[oó]digo postal|cep',
        'codice (di avviamento )?postale|kod pocztowy|posta kodu',
      ),
      // In English a cap is worn.
      only('c\\.?a\\.?p\\.?'),
    ),
  ],
  [
    'address-line2',
    whole('address (line )?2|apartment|suite|adresszusatz|compl[eé]ment( d.adresse)?|complemento'),
  ],
  [
    'address-line1',
    whole(
      '(street )?address( line)?( 1)?|street|stra(ß|ss)e|anschrift|adresse|rue|direcci[oó]n|endere[cç]o',
      // A street without the number of the house is another field.
      'indirizzo(?! (web|ip|internet))|via e n(umero|\\.)( civico)?|straat en (huis)?nummer|ulica i (nr|numer)( domu)?',
      '(?<!(web|ip|internet) )adres(i|iniz)?(?! (url|ip|www|strony))',
    ),
  ],
  [
    'address-level2',
    any(
      whole(
        'city|town|ort|stadt|wohnort|ville|ciudad|cidade',
        '(citt[àa]|localit[àa]|comune|miasto|miejscowo[śs][ćc])(?! (di nascita|urodzenia))|woonplaats|plaatsnaam|[şs]eh[iİ]r',
      ),
      // Seats and venues are called so, too.
      only('plaats'),
    ),
  ],
  ['country-name', whole('country|land|pays|pa[ií]s|paese|nazione|kraj|ülke')],
  [
    'organization',
    whole(
      'company( name)?|organi[sz]ation|firma|unternehmen|soci[eé]t[eé]|entreprise|empresa',
      'azienda|ragione sociale|bedrijf(snaam)?|nazwa firmy|ş[iİ]rket( ad[ıi]| [iİ]smi)?',
    ),
  ],
  [
    'username',
    only(
      'user ?name|benutzername|nom d.utilisateur|nombre de usuario|usuario|nome de usu[aá]rio|usu[aá]rio',
      'nome utente|gebruikersnaam|nazwa użytkownika|kullan[ıi]c[ıi] ad[ıi]',
    ),
  ],
  [
    'name',
    // Nothing else: a middle name, the name of a user or of a shop is another one.
    only(
      '(your |full |complete |my )*name|fullname|ihr name|nom( complet)?|votre nom|nombre( completo| ?\\(s\\))?|tu nombre|nome( completo)?|seu nome',
      '(il )?(tuo|suo|vostro) nome|nominativo|((uw|jouw|je|volledige) )?naam|(tam )?ad([ıi]|[ıi]n[ıi]z)?|[iİ]s[iİ]m|[iİ]sm[iİ]n[iİ]z',
    ),
  ],
]
