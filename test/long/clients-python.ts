import { pythonClients } from '../support/foreign-clients/clients.js'
import { testForeignClients } from '../support/foreign-clients/lose-nothing.js'

testForeignClients('Python', pythonClients)
