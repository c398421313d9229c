export { endSession } from './end-session.js'
export {
  IdentityProvider,
  type IdentityProviderSettings,
  PENDING_MS,
  type SignInRefusal,
} from './identity-provider.js'
export { openSession, type SessionStore } from './open-session.js'
export { CODE_MINUTES, SignInCodes } from './sign-in-codes.js'
export { signInIdentity } from './sign-in-identity.js'
