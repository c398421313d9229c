import t from 'tap'
import type { Candidate } from '../../../generators/port.js'
import { notesAfter, proposalOf } from '../candidate.js'

const candidate: Candidate = {
  name: 'Say what the button does',
  mechanism: 'clarity',
  ruleId: 'submit-label contact',
  hypothesis: 'For visitors it increases `message_sent`.',
  surfaces: [{ path: 'a.html', anchor: 'button "Submit"' }],
  topics: ['contact'],
  files: [{ path: 'a.html', edits: [{ find: 'Submit', replace: 'Send message', variant: 'b' }] }],
  variants: [
    { key: 'b', displayName: 'Send message', trafficSplit: 50, isControl: false },
    { key: 'control', displayName: 'Control', trafficSplit: 50, isControl: true },
  ],
  alternatives: ['Send message'],
  conversionTargets: [
    { eventName: 'message_sent', name: 'Sent', direction: 'increase', windowHours: 168, filters: [] },
  ],
  eventToSend: { eventName: 'message_sent', when: 'a message has been sent' },
  priority: 'medium',
  score: 3,
  reasons: ['It says what comes.'],
}

t.test('a candidate becomes an experiment', async (t) => {
  t.match(proposalOf(candidate), {
    name: candidate.name,
    mechanism: 'clarity',
    notes: 'It says what comes.\nSend `message_sent` when a message has been sent.',
    variants: [{ key: 'control' }, { key: 'b' }],
    changes: [{ path: 'a.html', action: 'modify', edits: candidate.files[0]?.edits }],
    idea: { ruleId: 'submit-label contact', alternatives: ['Send message'] },
  })
})

t.test('after a revision the notes are current, and lines of people stay', async (t) => {
  const idea = (change: Partial<Candidate>) => proposalOf({ ...candidate, ...change })?.idea ?? null
  const before = idea({})
  const after = idea({
    reasons: [
      'It says what comes.',
      '“Free” stands there as the instructions word it: a.html does not state “Free”.',
    ],
    eventToSend: null,
  })
  if (before === null || after === null) throw new Error('nothing is kept')
  const notes = proposalOf(candidate)?.notes ?? ''
  t.equal(notesAfter(notes, before, after), after.reasons.join('\n'))
  t.equal(
    notesAfter(`Ask legal.\n${notes}\nMind the tone.`, before, after),
    `Ask legal.\n${after.reasons.join('\n')}\nMind the tone.`,
  )
  t.equal(notesAfter('Mind the tone', before, before), 'Mind the tone', 'their own notes alone')
  t.equal(
    notesAfter('Mind the tone', before, after),
    `Mind the tone\n${after.reasons[1] ?? ''}`,
    'and what has to be known',
  )
  t.equal(notesAfter('', null, { ...after, reasons: ['It says what comes.'] }), '')
  const remarked = { ...before, reasons: [...before.reasons, 'Last revision: It is shorter.'] }
  t.equal(
    notesAfter('Mind the tone\nLast revision: It is longer.', before, { ...remarked, eventToSend: null }),
    'Mind the tone\nLast revision: It is shorter.',
    'the remark of the last revision is kept',
  )
})

t.test('texts for people are cut at whole characters', async (t) => {
  const kept = proposalOf({ ...candidate, name: '🙂'.repeat(300), hypothesis: `a\0b\ud83d` })
  t.equal([...(kept?.name ?? '')].length, 200)
  t.match(kept?.name, /^(🙂){199}…$/u)
  t.equal(kept?.hypothesis, 'ab')
})

t.test('a candidate that would change when stored is dropped', async (t) => {
  const edits = (edit: object) => [
    { path: 'a.html', edits: [{ find: 'Submit', replace: 'Send', variant: 'b', ...edit }] },
  ]
  for (const [what, change] of Object.entries<Partial<Candidate>>({
    'no name': { name: ' ' },
    'one variant': { variants: candidate.variants.slice(0, 1) },
    'splits that do not add up': {
      variants: candidate.variants.map((variant) => ({ ...variant, trafficSplit: 40 })),
    },
    'nothing to measure': { conversionTargets: [] },
    'nothing to change': { files: [] },
    'NUL in code': { files: edits({ replace: 'Se\0nd' }) },
    'half a character in code': { files: edits({ replace: 'Send \ud83d' }) },
    'too many edits': {
      files: [{ path: 'a.html', edits: Array.from({ length: 101 }, () => ({ find: 'a', replace: 'b' })) }],
    },
  }))
    t.equal(proposalOf({ ...candidate, ...change }), null, what)
  t.not(
    proposalOf({ ...candidate, files: edits({ replace: "'\\u0000 \\ud83d'" }) }),
    null,
    'an escape in code',
  )
})
