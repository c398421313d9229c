import { collapseCoupon } from './collapse-coupon.js'
import { deadEndCta } from './dead-end-cta.js'
import { defaultSelection } from './default-selection.js'
import { delayedPopup } from './delayed-popup.js'
import { heroCta } from './hero-cta.js'
import { highlightPlan } from './highlight-plan.js'
import { optionalPhone } from './optional-phone.js'
import { reassuranceNearCta } from './reassurance-near-cta.js'
import { removeUnreadField } from './remove-unread-field.js'
import type { ProposalRule } from './rule.js'
import { singlePassword } from './single-password.js'
import { singlePrimaryCta } from './single-primary-cta.js'
import { specificCtaLabel } from './specific-cta-label.js'

/**
 * A rule is admitted if all that it claims can be read in at most two files, it needs no eye for the page,
 * its effect is published or broadly accepted, and it has at most 200 lines.
 */
export const RULES: readonly ProposalRule[] = [
  removeUnreadField,
  optionalPhone,
  singlePassword,
  defaultSelection,
  specificCtaLabel,
  reassuranceNearCta,
  heroCta,
  singlePrimaryCta,
  delayedPopup,
  deadEndCta,
  highlightPlan,
  collapseCoupon,
]
