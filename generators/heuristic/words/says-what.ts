import type { Language } from './language.js'

/** Things that a line can say somebody is, has or offers, by the ends of their names where a language joins words. */
export const THINGS: Readonly<Record<Language, RegExp>> = {
  en: /\b(apps?|applications?|platforms?|tools?|toolkits?|software|services?|websites?|shops?|stores?|marketplaces?|community|network|library|framework|directory|agency|studios?|clinics?|practices?|restaurants?|caf[eé]s?|bakery|hotels?|houses?|homes?|apartments?|cabins?|schools?|courses?|academy|newsletters?|blogs?|podcasts?|magazines?|games?|events?|festivals?|conferences?|charity|associations?|clubs?|consult(?:ing|ants?)|law(?:yers?| firm)|dentists?|accountants?|accounting|physiotherap\w+|repairs?|delivery|rentals?|hosting|insurance|banks?|invoices?|payments?|bookings?|schedul\w+|calendars?|analytics|management|marketing|designers?|photograph\w+|furniture|cloth(?:es|ing)|coffee|food|wine|recipes|jobs?|travel|tours?|training|coaching|therap(?:y|ists?)|yoga|fitness|builders?|gardens?|cleaning|moving|engineers?|developers?|teachers?|tutors?|gifts?|jewell?ery|flowers|books?|music|tickets?)\b/i,
  de: /(app|plattform|werkzeug|software|dienst|dienstleistung|shop|laden|geschäft|marktplatz|gemeinschaft|netzwerk|agentur|studio|praxis|klinik|restaurant|café|bäckerei|hotel|haus|häuser|wohnung|pension|zimmer|schule|kurse?|akademie|magazin|verein|beratung|kanzlei|steuerberat\w*|physiotherapie|reparatur|lieferdienst|vermietung|versicherung|rechnungen|zahlungen|buchungen|termine|verwaltung|marketing|fotografie|möbel|kleidung|kaffee|essen|wein|rezepte|jobs|reisen|training|therapie|handwerk|garten|reinigung|umzüge|schmuck|blumen|bücher|musik)(e|en|er|n|s)?(?![\p{L}])/iu,
  fr: /(?<![\p{L}])(applis?|applications?|plateforme|outils?|logiciels?|services?|sites?|boutiques?|magasins?|communauté|réseau|agence|studio|clinique|cabinet|restaurants?|café|boulangerie|hôtels?|maisons?|gîtes?|appartements?|chambres?|écoles?|cours|académie|magazine|association|club|conseil|avocats?|comptables?|réparation|livraison|location|assurance|factures|paiements|réservations|gestion|marketing|photographes?|meubles|vêtements|cuisine|vins?|recettes|emplois|voyages?|formation|thérapie|jardins?|nettoyage|déménagements?|bijoux|fleurs|livres|musique)(?![\p{L}])/iu,
  es: /(?<![\p{L}])(apps?|aplicación|plataforma|herramientas?|software|servicios?|tiendas?|comunidad|red|agencia|estudio|clínica|consulta|restaurantes?|cafetería|panadería|hotel(es)?|casas?|apartamentos?|habitaciones|escuelas?|cursos?|academia|revista|asociación|club|asesor\w*|abogados?|reparación|reparaciones|entregas?|alquiler|seguros?|facturas|pagos|reservas|gestión|marketing|fotograf\w+|muebles|ropa|café|comida|vinos?|recetas|empleos?|viajes?|formación|terapia|jardines|limpieza|mudanzas|joyas|flores|libros|música)(?![\p{L}])/iu,
}

/** For whom something is. */
export const FOR: Readonly<Record<Language, RegExp>> = {
  en: /\bfor (the |all |small |busy |young |local |modern )?(people|teams?|developers?|designers?|business(es)?|compan(y|ies)|famil(y|ies)|freelancers?|students?|teachers?|creators?|startups?|parents?|women|men|kids|children|seniors?|beginners|owners?|professionals?|makers|writers|artists|musicians|athletes|runners|[\w-]+ers)\b/i,
  de: /(?<![\p{L}])für (alle |kleine |junge )?(\p{Lu}[\p{L}]{3,})/u,
  fr: /(?<![\p{L}])pour (les|tous les|toutes les) [\p{L}]{4,}/iu,
  es: /(?<![\p{L}])para (los|las|todos los|todas las) [\p{L}]{4,}/iu,
}

/** How something came to be, which is said of things alone. */
export const MADE: Readonly<Record<Language, RegExp>> = {
  en: /\b(hand-?made|(made|built|designed|crafted|roasted|baked|brewed|printed|grown|sewn|woven|written|delivered) (by|in|for|with|from|of|to|at))\b/i,
  de: /(handgemacht|handgefertigt|gefertigt|gebaut|hergestellt|geröstet|gebacken|gebraut|genäht|gedruckt|gewachsen|entworfen)/i,
  fr: /(?<![\p{L}])(faite?s?|fabriquée?s?|conçue?s?|créée?s?|torréfiée?s?|cousue?s?|imprimée?s?) (à|en|par|pour|au|dans)(?![\p{L}])/iu,
  es: /(?<![\p{L}])(hech[oa]s?|fabricad[oa]s?|diseñad[oa]s?|cread[oa]s?|tostad[oa]s?|cosid[oa]s?|impres[oa]s?) (a|en|por|para|con)(?![\p{L}])/iu,
}

/** What something does, after the name of who does it. */
export const DOES: Readonly<Record<Language, RegExp>> = {
  en: /^(we|\p{Lu}[\p{L}\d&.'-]*( \p{Lu}[\p{L}\d&.'-]*){0,3}) (turns?|helps?|lets?|gives?|makes?|sends?|shows?|keeps?|connects?|finds?|brings?|tracks?|collects?|reminds?|delivers?|plans?|books?|builds?|automates?|handles?|manages?|stores?|combines?|matches|repairs?|teach(es)?|sells?|rents?|prints?|bakes?|cleans?) \p{L}/iu,
  de: /^(wir|\p{Lu}[\p{L}\d&.'-]*( \p{Lu}[\p{L}\d&.'-]*){0,3}) (mach(en|t)|hilft|helfen|erledig(en|t)|zeig(en|t)|liefer(n|t)|sende(n|t)|verbinde(n|t)|finde(n|t)|plan(en|t)|erinner(n|t)|verwalte(n|t)|reparier(en|t)|verkauf(en|t)|vermiete(n|t)|druck(en|t)|back(en|t)|reinig(en|t)|bau(en|t)) \p{L}/iu,
  fr: /^((nous|chaque [\p{L}]+,?) ?)?(\p{Lu}[\p{L}\d&.'-]*( \p{Lu}[\p{L}\d&.'-]*){0,3} )?(aid(e|ons)|livr(e|ons)|envoi(e|yons)|perme(t|ttons)|g(è|é)r(e|ons)|rappel(le|ons)|trouv(e|ons)|reli(e|ons)|transform(e|ons)|répar(e|ons)|vend(ons)?|lou(e|ons)|imprim(e|ons)|nettoi(e|yons)|fabriqu(e|ons)) \p{L}/iu,
  es: /^(\p{Lu}[\p{L}\d&.'-]*( \p{Lu}[\p{L}\d&.'-]*){0,3} )?(ayuda(mos)?|envía|enviamos|permite|gestiona(mos)?|encuentra|conecta(mos)?|convierte|entrega(mos)?|repara(mos)?|vende(mos)?|alquila(mos)?|imprime|limpia(mos)?|fabrica(mos)?) \p{L}/iu,
}

/** What is called out, asks, lists feelings, or speaks of the visit. */
export const NO_STATEMENT =
  /[!?…:;*†|{}<>]|\.{2}|lorem|ipsum|\b(welcome|here|this (page|site)|we (are|have|do|offer|believe)|our|click|scroll|learn|read|discover|explore|willkommen|hier|unser\w*|bienvenue|ici|notre|nos|bienvenid\w*|aquí|nuestr\w*|next\.?js|react|tailwind|template|boilerplate|starter|demo)\b/i

/** Whether a line says by itself what something is: it names a thing or for whom it is, and is short enough to head a page. */
export function saysWhat(line: string, language: Language): boolean {
  const words = line.split(' ').length
  return (
    words >= 4 &&
    words <= 12 &&
    line.length <= 75 &&
    /^[\p{Lu}\d]/u.test(line) &&
    !NO_STATEMENT.test(line) &&
    !/[.] /.test(line) &&
    [THINGS, FOR, MADE].some((forms) => forms[language].test(line))
  )
}
