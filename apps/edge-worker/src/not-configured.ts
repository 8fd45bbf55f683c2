import { HttpProblem } from "@robota/runtime/transports";

const CODE = "NOT_CONFIGURED";

/** The answer of a worker whose operator has to change something: nobody is served half. */
export function notConfigured({
  message,
  hint,
}: {
  message: string;
  hint?: string | undefined;
}): HttpProblem {
  return new HttpProblem(503, CODE, message, { hint });
}

/** The same from another object, where an error arrives as its fields. */
export function asNotConfigured(error: unknown): HttpProblem | undefined {
  if (!(error instanceof Error) || Reflect.get(error, "code") !== CODE) return undefined;
  const hint: unknown = Reflect.get(error, "hint");
  return notConfigured({
    message: error.message,
    hint: typeof hint === "string" ? hint : undefined,
  });
}
