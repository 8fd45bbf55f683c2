// All that judges calls. Sessions load it when they open; what they import at once must not import it.
export { accessRules } from "./rules/access-rules.ts";
export { checkRules } from "./rules/check-rules.ts";
export { explain } from "./evaluate.ts";
export { explainOnFiles } from "./paths/explain-on-files.ts";
export { suggestPattern } from "./rules/suggest.ts";
