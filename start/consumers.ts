#!/usr/bin/env node
import { refuseWithoutExternalStores } from './single-stage.js'

refuseWithoutExternalStores('consumers')
