import './styles/tokens.css'
import './styles/base.css'
import './styles/layout.css'
import './styles/components.css'
import { render } from 'preact'
import { App } from './app/app'
import { listenForShortcuts } from './app/keyboard'

const root = document.getElementById('app')
if (root !== null) render(<App />, root)
listenForShortcuts()
