import type { Lexicon } from './lexicon.js'

export const es: Lexicon = {
  purposes: {
    'sign up': /regístr|registr(o|arse)|crear (una |tu |mi |su )?cuenta|prueba gratis/i,
    'sign in': /iniciar sesión|acceder|entrar en/i,
    contact: /contact|escríbenos|escríbanos|tu mensaje|su mensaje/i,
    quote: /presupuesto|cotización/i,
    booking: /\bcita\b|reserv/i,
    subscribe: /newsletter|bolet[ií]n|suscrib/i,
    purchase: /\bpedido\b|\bpagar\b|\bpago\b|\bcomprar\b/i,
    cart: /carrito|cesta/i,
    search: /buscar|búsqueda/i,
    plans: /\bplan(es)?\b|\bprecios?\b|\btarifas?\b/i,
    review: /reseñas?|opini[oó]n|valoración/i,
  },
  tidies:
    /\b(vaciar|eliminar|quitar|cancelar|gestionar|editar|cambiar|volver|restablecer|cerrar|guardar|aplicar|descargar|copiar|compartir|imprimir|actualizar|agotado)\b/i,
  fields: {
    coupon: /cup[oó]n|c[oó]digo (promocional|de descuento)|vale/i,
    company: /\b(empresa|compañía|organización)\b/i,
    phone: /tel[eé]fono|m[oó]vil/i,
    email: /correo|e-?mail/i,
    message: /mensaje|comentario|pregunta/i,
    search: /buscar/i,
    card: /número de tarjeta/i,
  },
  couponQuestion: '¿Tienes un código promocional?',
}
