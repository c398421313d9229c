/** Purposes of fields: the names of HTML for `autocomplete`, and words in all languages of the lexicon. */
export const PERSONAL_FIELDS: readonly (readonly [token: string, names: RegExp])[] = [
  ['cc-csc', /\b(cvv|cvc|csc|security code|prüfziffer|cryptogramme|c[oó]digo de segur\w+)\b/i],
  [
    'cc-exp',
    /\b(expir(y|ation|es)( date)?|exp date|mm ?\/ ?yy|gültig bis|expiration|vencimiento|validade)\b/i,
  ],
  ['cc-name', /\b(name on (the )?card|card ?holder( name)?|karteninhaber|titulaire|titular)\b/i],
  [
    'cc-number',
    /\b(card number|kartennummer|num[eé]ro de (la )?carte|n[uú]mero (de (la )?tarjeta|do cart[aã]o))\b/i,
  ],
  ['email', /\b(e-?mail|courriel|correo)\b/i],
  [
    'tel',
    /\b((tele)?phone( number| no)?|mobile( number)?|tel|telefon(nummer)?|handynummer|t[eé]l[eé]phone|tel[eé]fono|telefone|celular|telem[oó]vel|m[oó]vil)\b/i,
  ],
  ['given-name', /\b(first ?name|given name|fname|vorname|pr[eé]nom|primeiro nome)\b/i],
  [
    'family-name',
    /\b(last ?name|surname|family name|lname|nachname|familienname|nom de famille|apellidos?|sobrenome)\b/i,
  ],
  ['postal-code', /\b(zip( ?code)?|post(al)? ?code|plz|postleitzahl|code ?postal|c[oó]digo postal|cep)\b/i],
  [
    'address-line2',
    /\b(address (line )?2|apartment|suite|adresszusatz|compl[eé]ment( d.adresse)?|complemento)\b/i,
  ],
  [
    'address-line1',
    /\b((street )?address( line)?( 1)?|street|stra(ß|ss)e|anschrift|adresse|rue|direcci[oó]n|endere[cç]o)\b/i,
  ],
  ['address-level2', /\b(city|town|ort|stadt|wohnort|ville|ciudad|cidade)\b/i],
  ['country-name', /\b(country|land|pays|pa[ií]s)\b/i],
  [
    'organization',
    /\b(company( name)?|organi[sz]ation|firma|unternehmen|soci[eé]t[eé]|entreprise|empresa)\b/i,
  ],
  [
    'username',
    /^\W*(user ?name|benutzername|nom d.utilisateur|nombre de usuario|usuario|nome de usu[aá]rio|usu[aá]rio)\W*$/i,
  ],
  [
    'name',
    // Nothing else: a middle name, the name of a user or of a shop is another one.
    /^\W*((your |full |complete |my )*name|fullname|ihr name|(vor- und nach)name|nom( complet)?|votre nom|nombre( completo| ?\(s\))?|tu nombre|nome( completo)?|seu nome)\W*$/i,
  ],
]
