import t from 'tap'
import * as sites from './support/sites.js'
import { batch, type Files } from './support/workspace.js'

/** Proposals of a batch, as cards on a board. */
const cardsOf = async (files: Files): Promise<string[]> =>
  (await batch(files)).proposals.map(({ name }) => name).sort()

t.test('a plain shop of thirteen files', async (t) => {
  t.equal(Object.keys(sites.PLAIN_SHOP).length, 13)
  t.same(await cardsOf(sites.PLAIN_SHOP), [
    'Fold the coupon field away at checkout',
    'Let browsers fill in the sign-up form',
  ])
})

t.test('a site in React, one in Vue and one in Svelte', async (t) => {
  t.same(await cardsOf(sites.REACT_SITE), ['Let browsers fill in the sign-up form'])
  t.same(await cardsOf(sites.VUE_SITE), ['Let browsers fill in the contact form'])
  t.same(await cardsOf(sites.SVELTE_SITE), ['Let browsers fill in the booking form'])
})

t.test('texts are written in the language of the page, names and hypotheses in English', async (t) => {
  const german = (await batch(sites.GERMAN_PAGE)).proposals
  t.same(
    german.flatMap(({ alternatives }) => alternatives),
    ['Gutscheincode vorhanden?'],
  )
  t.match(german[0]?.hypothesis, /^If .*, then more visitors .* \(`\w+`\), because .*\.$/)
  const french = (await batch(sites.FRENCH_PAGE)).proposals
  t.same(
    french.flatMap(({ alternatives }) => alternatives),
    ['Vous avez un code promo ?'],
  )
})
