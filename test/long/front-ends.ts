import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { chromiumProblem, launchChromium } from '../support/chromium.js'
import { type Journey, travel } from '../support/front-ends/journey.js'
import { type CodeBase, unpack } from '../support/front-ends/packages.js'
import { startService, temporaryDataDir } from '../support/service.js'

type Case = CodeBase & Omit<Journey, 'path' | 'build'>

/*
 * Real code bases, each in its own language and built with its own tools, its types checked on the way: every
 * kind of unit that has its own form. TEST_KEEP names a folder for the diffs of the pull requests and
 * pictures of both variants.
 */
const CASES: readonly Case[] = [
  {
    key: 'static-html',
    package: 'startbootstrap-sb-admin-2@4.1.4',
    folder: '.',
    served: '.',
    page: '/login.html',
    edits: {
      'login.html': [
        { find: 'Welcome Back!', replace: 'Good to see you', variant: 'b' },
        { find: '"Enter Email Address..."', replace: '"Mail & name"', variant: 'b' },
        {
          find: '<a class="small" href="forgot-password.html">Forgot Password?</a>',
          replace: '<a class="small" href="forgot-password.html">New <b>password</b></a>',
          variant: 'b',
        },
        { find: 'Create an Account!', replace: 'Make an account' },
      ],
    },
    shown: {
      control: ['Welcome Back!', 'Enter Email Address...', 'Forgot Password?'],
      b: ['Good to see you', 'Mail & name', 'New password'],
    },
  },
  {
    key: 'react-typescript',
    package: 'create-vite@9.3.0',
    folder: 'template-react-ts',
    scripts: ['build'],
    served: 'dist',
    page: '/',
    edits: {
      'src/App.tsx': [
        { find: '<h1>Get started</h1>', replace: '<h1>Build <em>something</em></h1>', variant: 'b' },
        { find: '"React logo"', replace: '"Logo of React"', variant: 'b' },
        { find: 'Your questions, answered', replace: 'Answers & "questions"', variant: 'b' },
        { find: 'Count is', replace: 'Clicked', variant: 'b' },
        { find: 'count + 1', replace: 'count + 10', variant: 'b' },
        { find: 'Join the Vite community', replace: 'Join us' },
      ],
    },
    shown: {
      control: ['Get started', 'React logo', 'Your questions, answered', 'Count is 0'],
      b: ['Build something', 'Logo of React', 'Answers & "questions"', 'Clicked 0'],
    },
  },
  {
    key: 'vue-typescript',
    package: 'create-vite@9.3.0',
    folder: 'template-vue-ts',
    scripts: ['build'],
    served: 'dist',
    page: '/',
    edits: {
      'src/components/HelloWorld.vue': [
        { find: '<h1>Get started</h1>', replace: '<h1>Build <em>something</em></h1>', variant: 'b' },
        { find: '"Vue logo"', replace: '"Logo of Vue"', variant: 'b' },
        { find: 'Your questions, answered', replace: "Answers & 'questions'", variant: 'b' },
        { find: 'Count is', replace: 'Clicked', variant: 'b' },
        { find: 'ref(0)', replace: 'ref(10)', variant: 'b' },
      ],
    },
    shown: {
      control: ['Get started', 'Vue logo', 'Your questions, answered', 'Count is 0'],
      b: ['Build something', 'Logo of Vue', "Answers & 'questions'", 'Clicked 10'],
    },
  },
  {
    key: 'svelte-typescript',
    package: 'create-vite@9.3.0',
    folder: 'template-svelte-ts',
    scripts: ['check', 'build'],
    served: 'dist',
    page: '/',
    edits: {
      'src/App.svelte': [
        { find: '<h1>Get started</h1>', replace: '<h1>Build <em>something</em></h1>', variant: 'b' },
        { find: '"Svelte logo"', replace: '"Logo of Svelte"', variant: 'b' },
        { find: 'Your questions, answered', replace: "Answers & 'questions'", variant: 'b' },
      ],
      'src/lib/Counter.svelte': [{ find: 'Count is', replace: 'Clicked', variant: 'b' }],
    },
    shown: {
      control: ['Get started', 'Svelte logo', 'Your questions, answered', 'Count is 0'],
      b: ['Build something', 'Logo of Svelte', "Answers & 'questions'", 'Clicked 0'],
    },
  },
]

t.test(
  'experiments in real code bases, from the declaration to the cleanup',
  { skip: chromiumProblem(), timeout: 900_000 },
  async (t) => {
    const folder = temporaryDataDir()
    t.teardown(() => folder.remove())
    const service = await startService(join(folder.path, 'data'), {
      env: { SVC_SETTLING_HOURS: '0', SVC_RESULTS_MAX_AGE_SECONDS: '1' },
    })
    t.teardown(() => service.stop())
    const browser = await launchChromium(t)
    for (const each of CASES)
      await t.test(each.key, async (t) => {
        const path = join(folder.path, each.key)
        const unpacked = await unpack(each, path)
        if ('unreachable' in unpacked) {
          t.pass(`${each.package} cannot be had`, { skip: `optional: ${unpacked.unreachable}` })
          return
        }
        const { TEST_KEEP } = process.env
        const keep = (name: string, content: string | Buffer): void => {
          if (TEST_KEEP !== undefined) writeFileSync(join(TEST_KEEP, `${each.key}-${name}`), content)
        }
        await travel(t, service, browser, { ...each, path, build: unpacked.build, keep })
      })
  },
)
