// All that judges calls. Sessions load it when they open; what they import at once must not import it.
export { accessRules } from "./access-rules.ts";
export { checkRules } from "./check-rules.ts";
export { explainPermission } from "./evaluate.ts";
export { explainOnFiles } from "./explain-on-files.ts";
export { suggestPattern } from "./suggest.ts";
