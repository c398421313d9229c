import type { Lexicon } from './lexicon.js'

export const pt: Lexicon = {
  purposes: {
    'sign up': /cadastr|criar (uma |minha |sua )?conta|registr|teste gr[aá]tis/i,
    'sign in': /\b(entrar|login|acessar)\b|iniciar sessão/i,
    contact: /\bcontato|\bcontacto|fale (conosco|connosco)|sua mensagem|escreva-nos/i,
    quote: /orçamento|cotação|simula(r|ção|dor)/i,
    booking: /agend|reserv|\bconsulta\b/i,
    subscribe: /newsletter|boletim/i,
    purchase: /finalizar|pagamento|\bpagar\b|\bcomprar\b|\bpedido\b/i,
    cart: /carrinho|sacola/i,
    search: /\bbuscar?\b|pesquis/i,
    plans: /\bplanos?\b|\bpreços?\b/i,
    review: /avaliaç|\bresenha/i,
  },
  tidies:
    /\b(limpar|esvaziar|remover|excluir|cancelar|gerenciar|editar|alterar|mudar|voltar|redefinir|fechar|salvar|aplicar|baixar|copiar|compartilhar|imprimir|atualizar|esgotado)\b/i,
  fields: {
    coupon: /cupom|cupão|código (promocional|de desconto)/i,
    company: /\b(empresa|razão social|organização)\b/i,
    phone: /telefone|celular|telem[oó]vel|whatsapp/i,
    email: /e-?mail/i,
    message: /mensagem|comentário|pergunta|dúvida/i,
    search: /buscar|pesquis/i,
    card: /número do cartão/i,
  },
  couponQuestion: 'Tem um cupom de desconto?',
}
