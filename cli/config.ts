import { type Config, parseConfig } from '../runtime/config.js'

/** What `svc admin` reads from the environment: the same variables as the servers, by the same rules. Throws ConfigError. */
export function readAdminConfig(): Config {
  return parseConfig(process.env)
}
