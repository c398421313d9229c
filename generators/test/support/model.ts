import type { Asked, Reply } from './llm-server.js'

/** Purpose of a question, by its schema's texts. */
export function stepOf({ body }: Asked): 'choose' | 'propose' | 'repair' | 'review' | 'refine' {
  const system = body.messages[0]?.content ?? ''
  if (system.startsWith('You plan')) return 'choose'
  if (system.startsWith('You are a product manager')) return 'review'
  if (system.startsWith('You correct')) return 'repair'
  return system.startsWith('You rewrite') ? 'refine' : 'propose'
}

/** A review that finds every idea worth running. */
const approving = ({ body }: Asked): Reply => ({
  says: JSON.stringify({
    reviews: [...(body.messages[1]?.content ?? '').matchAll(/^ {2}"number": (\d+)/gm)].map(([, number]) => ({
      number: Number(number),
      verdict: 'worth',
      why: '',
    })),
  }),
})

/** A model that gives these replies, the last one from then on; its reviews are as `review` says. */
export function modelOf(
  replies: readonly (Reply | ((asked: Asked) => Reply))[],
  review: (asked: Asked) => Reply = approving,
): (asked: Asked) => Reply {
  let asked = 0
  return (one) => {
    if (stepOf(one) === 'review') return review(one)
    asked += 1
    const next = replies[Math.min(asked, replies.length) - 1]
    return typeof next === 'function' ? next(one) : (next ?? 'silence')
  }
}

/** An idea as a model writes it. */
export const ideaOf = ({
  path = 'index.html',
  find = 'Go',
  replace = 'Create an account',
  name = `Say ${replace}`,
}: {
  path?: string
  find?: string
  replace?: string
  name?: string
}) => ({
  name,
  problem: 'Visitors do not know what comes.',
  evidence: path,
  mechanism: 'clarity',
  hypothesis: 'If we say what comes, then more sign up, because they know.',
  against: 'It is short.',
  anchor: `a "${find}"`,
  topics: ['call to action'],
  variants: [{ name: replace.slice(0, 60) || 'nothing', edits: [{ path, find, replace }] }],
  plain: [],
  targets: [{ eventName: 'signup_completed', direction: 'increase', when: 'an account is there' }],
})
