import { carouselAutoplay } from './carousel-autoplay.js'
import { collapseCoupon } from './collapse-coupon.js'
import { contactLinks } from './contact-links.js'
import { deadCta } from './dead-cta.js'
import { fixedWait } from './fixed-wait.js'
import { formAutofill } from './form-autofill.js'
import { hoverOnly } from './hover-only.js'
import { mapLink } from './map-link.js'
import { pictureLink } from './picture-link.js'
import { pressableSubmit } from './pressable-submit.js'
import type { ProposalRule } from './rule.js'
import { wrongNumber } from './wrong-number.js'

/**
 * A rule is admitted if all that it claims can be read in at most two files, it needs no eye for the page,
 * its effect is published or broadly accepted, and it has at most 200 lines. At least half of its proposals
 * for code that was not used to write it have to be worth running.
 */
export const RULES: readonly ProposalRule[] = [
  deadCta,
  wrongNumber,
  contactLinks,
  formAutofill,
  mapLink,
  pressableSubmit,
  collapseCoupon,
  carouselAutoplay,
  hoverOnly,
  pictureLink,
  fixedWait,
]
