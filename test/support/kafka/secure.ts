import kafkajs, { Kafka, logLevel } from 'kafkajs'
import { listenersOf, type NodePlace, PROTOCOLS } from './properties.js'

/**
 * A second listener of each broker, over TLS and with a login, whose users may do nothing that they were not
 * given.
 */
export interface SecureListener {
  /** A file with the brokers' private key and certificate, in PEM. */
  readonly keystore: string
  /** Passwords by name, for PLAIN and SCRAM-SHA-512. */
  readonly users: Readonly<Record<string, string>>
  /** Time after which a client has to log in again, if given. */
  readonly reauthenticateMs?: number
  /**
   * Certificates in PEM of an authority. If given, the brokers also accept the tokens of `unsignedToken`, and
   * a third listener wants a client certificate of the authority, whose common name is the user.
   */
  readonly clientCa?: string
}

const { AclOperationTypes, AclPermissionTypes, AclResourceTypes, ResourcePatternTypes } = kafkajs

const LISTENER = 'SECURE'
const MUTUAL = 'MUTUAL'

/** Of server.properties, for listeners beside the others. */
export function secureProperties(secure: SecureListener, place: NodePlace): Record<string, string | number> {
  const { keystore, users, reauthenticateMs = 0, clientCa } = secure
  const plain = 'org.apache.kafka.common.security.plain.PlainLoginModule'
  const scram = 'org.apache.kafka.common.security.scram.ScramLoginModule'
  const logins = Object.entries(users).map(([name, password]) => ` user_${name}="${password}"`)
  const prefix = `listener.name.${LISTENER.toLowerCase()}`
  const own = `${listenersOf(place)},${LISTENER}://127.0.0.1:${place.securePort}`
  const all = clientCa === undefined ? own : `${own},${MUTUAL}://127.0.0.1:${place.mutualPort}`
  return {
    listeners: all,
    'advertised.listeners': all,
    'listener.security.protocol.map': `${PROTOCOLS},${LISTENER}:SASL_SSL,${MUTUAL}:SSL`,
    [`${prefix}.ssl.keystore.type`]: 'PEM',
    [`${prefix}.ssl.keystore.location`]: keystore,
    [`${prefix}.sasl.enabled.mechanisms`]: 'PLAIN,SCRAM-SHA-512',
    [`${prefix}.plain.sasl.jaas.config`]: `${plain} required${logins.join('')};`,
    [`${prefix}.scram-sha-512.sasl.jaas.config`]: `${scram} required;`,
    'authorizer.class.name': 'org.apache.kafka.metadata.authorizer.StandardAuthorizer',
    // The brokers themselves, and the questions of tests.
    'super.users': 'User:ANONYMOUS',
    [`${prefix}.connections.max.reauth.ms`]: reauthenticateMs,
    ...(clientCa === undefined ? {} : clientProperties(prefix, keystore, clientCa)),
  }
}

function clientProperties(prefix: string, keystore: string, clientCa: string): Record<string, string> {
  const oauth = 'org.apache.kafka.common.security.oauthbearer'
  const mutual = `listener.name.${MUTUAL.toLowerCase()}`
  return {
    [`${prefix}.sasl.enabled.mechanisms`]: 'PLAIN,SCRAM-SHA-512,OAUTHBEARER',
    [`${prefix}.oauthbearer.sasl.jaas.config`]: `${oauth}.OAuthBearerLoginModule required unsecuredLoginStringClaim_sub="broker";`,
    [`${prefix}.oauthbearer.sasl.server.callback.handler.class`]: `${oauth}.internals.unsecured.OAuthBearerUnsecuredValidatorCallbackHandler`,
    [`${mutual}.ssl.keystore.type`]: 'PEM',
    [`${mutual}.ssl.keystore.location`]: keystore,
    [`${mutual}.ssl.truststore.type`]: 'PEM',
    [`${mutual}.ssl.truststore.location`]: clientCa,
    [`${mutual}.ssl.client.auth`]: 'required',
    [`${mutual}.ssl.principal.mapping.rules`]: 'RULE:^CN=(.*?)$/$1/',
  }
}

/** Arguments that format a data folder with the users, so that they are known from the start. */
export function secureFormatting({ users }: SecureListener): string[] {
  return Object.entries(users).map(
    ([name, password]) => `--add-scram=SCRAM-SHA-512=[name=${name},password=${password}]`,
  )
}

/** Rights that a user of the service needs, on names that begin with its prefix. */
const RIGHTS = [
  [AclResourceTypes.TOPIC, AclOperationTypes.CREATE],
  [AclResourceTypes.TOPIC, AclOperationTypes.DESCRIBE_CONFIGS],
  [AclResourceTypes.TOPIC, AclOperationTypes.READ],
  [AclResourceTypes.TOPIC, AclOperationTypes.WRITE],
  [AclResourceTypes.TOPIC, AclOperationTypes.DELETE],
  [AclResourceTypes.GROUP, AclOperationTypes.READ],
  [AclResourceTypes.TRANSACTIONAL_ID, AclOperationTypes.WRITE],
] as const

/** Gives a user what docs/operate/README.md says. @param brokers of the listener without a login */
export async function permit(brokers: string, user: string, topicPrefix: string): Promise<void> {
  const kafka = new Kafka({ brokers: brokers.split(','), logLevel: logLevel.NOTHING })
  const admin = kafka.admin()
  await admin.connect()
  try {
    await admin.createAcls({
      acl: RIGHTS.map(([resourceType, operation]) => ({
        resourceType,
        operation,
        resourceName: topicPrefix,
        resourcePatternType: ResourcePatternTypes.PREFIXED,
        principal: `User:${user}`,
        host: '*',
        permissionType: AclPermissionTypes.ALLOW,
      })),
    })
  } finally {
    await admin.disconnect()
  }
}
