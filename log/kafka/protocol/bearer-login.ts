import type { Mechanism } from 'kafkajs'
import { errorMessage } from '../../../runtime/errors.js'
import { LogError } from '../../port.js'
import type { AccessTokens } from './access-tokens.js'
import { kafkaErrorType } from './connections.js'

/** A broker that refuses a token answers with JSON, and fails the login when it has got this (RFC 7628). */
const SEPARATOR = '\x01'
const LENGTH_BYTES = 4

/**
 * SASL OAUTHBEARER. kafkajs has it too, but counts the refusal of a token as a success, and fails later with
 * a closed connection.
 */
export function bearerLogin(tokens: AccessTokens): Mechanism {
  return {
    mechanism: 'oauthbearer',
    authenticationProvider: ({ saslAuthenticate }) => {
      const exchange = (message: string) =>
        saslAuthenticate<string>({
          request: { encode: () => withLength(message) },
          response: {
            decode: (bytes) => bytes.subarray(LENGTH_BYTES),
            parse: (bytes) => bytes.toString(),
          },
        })
      const authenticate = async (): Promise<void> => {
        const token = await tokens.get()
        const fields = Object.entries({ auth: `Bearer ${token.value}`, ...token.extensions })
        const texts = fields.map(([name, value]) => `${name}=${value}${SEPARATOR}`)
        const refused = (because: unknown): LogError => {
          const error = new LogError(
            'denied',
            `Kafka refuses the token (SVC_KAFKA_TOKEN_COMMAND): ${errorMessage(because)}`,
            { cause: because },
          )
          tokens.reject(token, error)
          return error
        }
        try {
          const refusal = await exchange(`n,,${SEPARATOR}${texts.join('')}${SEPARATOR}`)
          if (!refusal) return
          await exchange(SEPARATOR)
          throw refused(refusal)
        } catch (error) {
          throw kafkaErrorType(error) === 'SASL_AUTHENTICATION_FAILED' ? refused(error) : error
        }
      }
      return { authenticate }
    },
  }
}

function withLength(message: string): Buffer {
  const length = Buffer.alloc(LENGTH_BYTES)
  length.writeInt32BE(Buffer.byteLength(message))
  return Buffer.concat([length, Buffer.from(message)])
}
