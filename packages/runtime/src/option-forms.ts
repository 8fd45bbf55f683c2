import { ConfigurationError, requireArgument } from "./errors.ts";
import { misspeltName } from "./messages/near-names.ts";

/** Form of an option's value. Options of form `any` are checked where they are used, or accept anything. */
type OptionForm = "string" | "number" | "boolean" | "function" | "object" | "array" | "any";

/** The form of every option, by its name. */
export type OptionForms<Options> = Readonly<Record<keyof Options, OptionForm>>;

/**
 * Checks the names and the forms of options that no compiler has checked. Unknown names are accepted unless they are
 * nearly known, so that programs can pass more than is read.
 * @throws {ConfigurationError} for a misspelt name
 * @throws {ValidationError} for a value of another form, with the option's name
 */
export function requireOptions(options: object, forms: Readonly<Record<string, OptionForm>>): void {
  requireArgument("options", options, "object");
  for (const name of Object.keys(options)) {
    const value: unknown = Reflect.get(options, name);
    if (value === undefined || value === null) continue;
    const form = Object.hasOwn(forms, name) ? forms[name] : undefined;
    if (form === undefined) refuseMisspelt(name, Object.keys(forms));
    else if (form !== "any") requireArgument(name, value, form);
  }
}

function refuseMisspelt(name: string, known: readonly string[]): void {
  const meant = misspeltName(name, known);
  if (meant === undefined) return;
  throw new ConfigurationError(`Unknown option ${name}`, { hint: `Did you mean ${meant}?` });
}
