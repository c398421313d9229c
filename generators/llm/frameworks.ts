/** A framework that a site is built with, and what an edit of its files has to know. */
export interface Framework {
  readonly name: string
  readonly packages: readonly string[]
  readonly rule?: string
}

const LINK = (component: string): string =>
  `A link to a page of the site is ${component}, as in the other files; if a file does not import it, a plain edit adds the import that another file has.`

/** The first of those that need each other is named. */
const FRAMEWORKS: readonly Framework[] = [
  {
    name: 'Next.js',
    packages: ['next'],
    rule: `A link to a page of the site is <Link href="…"> with the classes of its siblings; if the file does not import it, a plain edit adds import Link from 'next/link' to another import. A plain <a> to a page is refused.`,
  },
  { name: 'Gatsby', packages: ['gatsby'], rule: LINK('<Link to="…">') },
  { name: 'Remix', packages: ['@remix-run/react'], rule: LINK('<Link to="…">') },
  { name: 'React Router', packages: ['react-router-dom', 'react-router'], rule: LINK('<Link to="…">') },
  {
    name: 'Nuxt',
    packages: ['nuxt'],
    rule: 'A link to a page of the site is <NuxtLink to="…">, which needs no import.',
  },
  { name: 'SvelteKit', packages: ['@sveltejs/kit'], rule: 'A link to a page of the site is a plain <a>.' },
  {
    name: 'Astro',
    packages: ['astro'],
    rule: 'Files of Astro can have no variants, components in them can.',
  },
  {
    name: 'Angular',
    packages: ['@angular/core'],
    rule: 'Templates of Angular, with {{ }}, *ngIf or @if, are compiled and can have no variants, also those in @Component; properties and methods of its classes can.',
  },
  {
    name: 'Vue',
    packages: ['vue', 'nuxt'],
    rule: `Always take the element around {{ }}. In templates of Vue the value of a bound attribute (:title="…") is code, in which a text has quotes of its own (:title="'Now'"); without the colon it is words. An element with v-else stands beside its v-if: take what is inside of them, or the element around both.`,
  },
  { name: 'Svelte', packages: ['svelte'], rule: 'Always take the element around { }.' },
  { name: 'React', packages: ['react'] },
]

/** The frameworks that the packages of a site name. */
export const frameworksOf = (packages: ReadonlySet<string>): Framework[] =>
  FRAMEWORKS.filter((one) => one.packages.some((name) => packages.has(name)))
