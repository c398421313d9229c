/** E-mail addresses in a text, each as a whole. */
export const MAIL = /(?<![\w.+-])[\w.+-]{1,64}@[\w-]+(?:\.[\w-]+)+/g
