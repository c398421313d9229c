export { endSession } from './end-session.js'
export { openSession, type SessionStore } from './open-session.js'
export { CODE_MINUTES, SignInCodes } from './sign-in-codes.js'
