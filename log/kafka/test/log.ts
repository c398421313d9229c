import t from 'tap'
import { kafkaProblem, startKafka } from '../../../test/support/kafka.js'
import { logContract } from '../../test/support/contract.js'
import { newKafkaLog } from './support/log.js'

const problem = kafkaProblem()
if (problem !== undefined) t.plan(0, problem)
else {
  const kafka = await startKafka({ brokers: 1 })
  t.teardown(() => kafka.close())
  await logContract(t, 'kafka', () => newKafkaLog(kafka))
}
