import t from 'tap'
import * as sites from './support/sites.js'
import { batch, type Files } from './support/workspace.js'

/** What a batch proposes, as cards on a board. */
const cardsOf = async (files: Files): Promise<string[]> =>
  (await batch(files)).proposals.map(({ name }) => name).sort()

t.test('a plain shop of thirteen files', async (t) => {
  t.equal(Object.keys(sites.PLAIN_SHOP).length, 13)
  t.same(await cardsOf(sites.PLAIN_SHOP), [
    'Fold the coupon field away at checkout',
    'Make “Phone” optional in the contact form',
    'Mark the plan “Complete” as recommended',
    'Put “Care plans” into the opening of the page',
    'Repeat “Free returns within 30 days” next to “Go to checkout”',
    'Say “Create my account” instead of “Submit” at sign-up',
    'Say “Send my message” instead of “Send” in the contact form',
    'Stop asking for “Company” and “Telephone” at sign-up',
  ])
})

t.test('a site in React, one in Vue and one in Svelte', async (t) => {
  t.same(await cardsOf(sites.REACT_SITE), [
    'Ask for the password once at sign-up',
    'Let “Sign up” stand out from “Take the tour”',
    'Mark the plan “Team” as recommended',
    'Say on the button that sign-up is free',
    'Say “Create my account” instead of “Submit” at sign-up',
    'Stop asking for “Company” at sign-up',
  ])
  t.same(await cardsOf(sites.VUE_SITE), [
    'Offer a way on if the cart is empty',
    'Say “Send my message” instead of “Send” in the contact form',
    'Stop asking for “Your phone” in the contact form',
    'Wait 30 seconds before the newsletter pop-up opens',
  ])
  t.same(await cardsOf(sites.SVELTE_SITE), [
    'Preselect “Evening class (recommended for beginners)”',
    'Put “Book a class” into the opening of the page',
    'Say “Book my class” instead of “Submit” in the booking form',
    'Stop asking for “How did you hear about us?” in the booking form',
  ])
})

t.test('texts are written in the language of the page, names and hypotheses in English', async (t) => {
  const german = (await batch(sites.GERMAN_PAGE)).proposals
  t.same(german.flatMap(({ alternatives }) => alternatives).sort(), [
    'Nachricht senden',
    'Telefon (optional)',
  ])
  t.match(
    german[0]?.hypothesis,
    /^If .*, then more visitors will write to you \(`contact_sent`\), because .*\.$/,
  )
  const french = (await batch(sites.FRENCH_PAGE)).proposals
  t.same(french.flatMap(({ alternatives }) => alternatives).sort(), ['Envoyer mon message', 'Recommandé'])
})
