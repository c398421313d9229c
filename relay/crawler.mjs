/**
 * Words that crawlers and previews that run a page's scripts say in `User-Agent`; README.md has the same
 * list. Short on purpose: a person who is not counted costs more than a crawler that is.
 */
export const CRAWLERS = [
  'Googlebot',
  'Google-InspectionTool',
  'GoogleOther',
  'AdsBot-Google',
  'Storebot-Google',
  'bingbot',
  'BingPreview',
  'YandexBot',
  'Baiduspider',
  'DuckDuckBot',
  'Applebot',
  'PetalBot',
  'Bytespider',
  'AhrefsBot',
  'SemrushBot',
  'GPTBot',
  'ClaudeBot',
  'PerplexityBot',
  'facebookexternalhit',
  'Twitterbot',
  'LinkedInBot',
  'Slackbot',
  'Discordbot',
  'TelegramBot',
  'HeadlessChrome',
  'Chrome-Lighthouse',
  'PhantomJS',
  'Prerender',
]

const NAMED = new RegExp(`\\b(?:${CRAWLERS.join('|')})`, 'i')

/** @param {string | null | undefined} userAgent */
export const isCrawler = (userAgent) => typeof userAgent === 'string' && NAMED.test(userAgent)
