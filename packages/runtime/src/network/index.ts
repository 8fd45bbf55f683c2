// Requests to addresses that others chose, with private and denied ones refused, and the pages they bring as Markdown.
export { htmlToMarkdown, type HtmlOptions, type MarkdownStyle } from "../html/html-to-markdown.ts";
export { EgressError, type EgressErrorCode } from "./egress-error.ts";
export {
  type Egress,
  guardedFetch,
  type GuardedFetchOptions,
  type GuardedRequest,
  type GuardedResponse,
} from "./guarded-fetch.ts";
export { checkDestination, type Destination, type EgressPolicy, WEB_PORTS } from "./policy.ts";
