import t from 'tap'
import { mayChange } from '../rules.js'

const rules = { allow: [], helper: undefined, helperForm: undefined, hasSources: false }

t.test('a file may have variants where their pull request could be written', async (t) => {
  t.ok(mayChange('index.html', rules))
  t.ok(mayChange('src/App.jsx', { ...rules, hasSources: true }))
  t.notOk(mayChange('index.html', { ...rules, hasSources: true }), 'where is its helper served?')
  t.ok(mayChange('index.html', { ...rules, hasSources: true, helper: 'public/svc-experiments.js' }))
  const scripts = { ...rules, helper: 'svc-experiments.js', helperForm: 'script' } as const
  t.ok(mayChange('index.html', scripts))
  t.notOk(mayChange('App.jsx', scripts), 'the helper has another form')
})

t.test('nothing that is guarded or svc’s own', async (t) => {
  for (const path of ['.github/pages/index.html', '.svc/a.js', '../a.html', 'x/.git/a.js'])
    t.notOk(mayChange(path, rules), path)
  t.notOk(mayChange('js/svc.js', { ...rules, helper: 'js/svc.js', helperForm: 'module' }))
  t.ok(mayChange('.github/pages/index.html', { ...rules, allow: ['.github/pages/**'] }))
})
