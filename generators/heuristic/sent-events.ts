/** Calls by which sites tell their own analytics of what visitors do, with the name of the event. */
const SENT = [
  /\b(?:posthog\??\.capture|plausible|(?:analytics|mixpanel|amplitude|umami|va|heap|rudderanalytics|fathom)\??\.(?:track(?:Event|Goal)?|logEvent)|\w*[tT]rack\w*Event|track(?:Click|Conversion|Goal)?|logEvent|sendEvent|captureEvent|sendGAEvent)\s*\(\s*(?:["'`]event["'`]\s*,\s*)?["'`]([\w:.-]{4,60})["'`]/g,
  /\bgtag\(\s*["']event["']\s*,\s*["']([\w:.-]{4,60})["']/g,
  /\b(?:dataLayer(?:\s*\|\|\s*\[\])?\)?\.push|sendGTMEvent)\(\s*\{\s*["']?event["']?\s*:\s*["']([\w:.-]{4,60})["']/g,
  /\bdata-(?:umami-event|event-name|analytics-event|track-event)\s*=\s*\{?["']([\w:.-]{4,60})["']/g,
]

/** What is seen, and not done; and what pages say by themselves. */
const SHOWN =
  /page_?view|impression|displayed|viewed|_view\b|scroll|hover|visib|consent|error|fail|abandon|hydrat|identify|^(event|config|consent|click\.action)$|^\$|debug|played|paused|blur|focus/i

/** The events that a file sends to the site's own analytics, as its text without comments says it. */
export const sentEventsOf = (code: string): string[] =>
  [...new Set(SENT.flatMap((form) => [...code.matchAll(form)].flatMap(([, name = '']) => name)))]
    .filter((name) => !SHOWN.test(name))
    .sort()
