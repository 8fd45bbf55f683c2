// The permission engine. Sessions load it when something is to be judged; modules that they import eagerly must not import it.
export { accessRules } from "./rules/access-rules.ts";
export { checkRules } from "./rules/check-rules.ts";
export { explain } from "./evaluate.ts";
export { explainOnFiles } from "./paths/explain-on-files.ts";
export { suggestPattern } from "./rules/suggest.ts";
export { declared } from "./rules/tool-facts.ts";
