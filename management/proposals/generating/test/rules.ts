import t from 'tap'
import { mayChange } from '../rules.js'

const rules = { allow: [], helper: undefined, helperForm: undefined, hasSources: false }

t.test('a file may have variants if svc could write their pull request', async (t) => {
  t.ok(mayChange('index.html', rules))
  t.ok(mayChange('src/App.jsx', { ...rules, hasSources: true }))
  t.notOk(mayChange('index.html', { ...rules, hasSources: true }), 'where is its helper served?')
  t.ok(mayChange('index.html', { ...rules, hasSources: true, helper: 'public/svc-experiments.js' }))
  const scripts = { ...rules, helper: 'svc-experiments.js', helperForm: 'script' } as const
  t.ok(mayChange('index.html', scripts))
  t.notOk(mayChange('App.jsx', scripts), 'the helper has another form')
})

t.test('guarded paths and svc’s own files may not be changed', async (t) => {
  for (const path of ['.github/pages/index.html', '.svc/a.js', '../a.html', 'x/.git/a.js'])
    t.notOk(mayChange(path, rules), path)
  t.notOk(mayChange('js/svc.js', { ...rules, helper: 'js/svc.js', helperForm: 'module' }))
  t.ok(mayChange('.github/pages/index.html', { ...rules, allow: ['.github/pages/**'] }))
})
