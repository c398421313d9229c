import { type Config, parseConfig } from '../runtime/config.js'

/** The variables of the servers, which `svc admin` uses too. Throws ConfigError. */
export function readAdminConfig(): Config {
  return parseConfig(process.env)
}
