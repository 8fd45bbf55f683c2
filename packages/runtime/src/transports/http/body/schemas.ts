import * as z from "../../../zod.ts";
import { PERMISSION_MODES } from "../../../permissions/permission.ts";
import { LANGUAGE } from "../../../interactive/settings/languages.ts";
import { SCOPES } from "../principal/scopes.ts";

// Schemas of bodies: requests are checked by these, handlers have their types, the OpenAPI document describes them. Loaded
// with the first body, so that a server's start doesn't pay for them.

/** Counts characters as JSON Schema does: one may be two of JavaScript's. */
function hasAtMost(maxLength: number): (value: string) => boolean {
  return (value) =>
    value.length <= maxLength ||
    (value.length <= 2 * maxLength && Array.from(value).length <= maxLength);
}

function text(description: string, maxLength: number, minLength = 1) {
  const error = `must have at most ${maxLength} characters`;
  return z
    .string()
    .check(
      z.minLength(minLength),
      z.refine(hasAtMost(maxLength), { error, abort: true }),
      z.meta({ description, maxLength }),
    );
}

function oneOf<const Word extends string>(words: readonly Word[], description?: string) {
  return z.enum(words).check(z.meta(description === undefined ? {} : { description }));
}

const sessionChanges = z.strictObject({
  name: z.exactOptional(text("Shown in the list of sessions.", 200)),
  permissionMode: z.exactOptional(
    oneOf(
      PERMISSION_MODES,
      "Which calls run without approval; the server may refuse the wider modes.",
    ),
  ),
});

const modelId = text("Id of a model, or a short name; by itself, of the present provider.", 200);
const language = z
  .string()
  .check(
    z.regex(LANGUAGE, { error: "must be a language's name, such as German or pt-BR" }),
    z.meta({ description: "Language of the answers, such as German or pt-BR; null for none." }),
  );

const attachment = {
  mediaType: text("MIME type, such as `image/png`.", 200),
  data: text("Base64 without a prefix.", 1_048_576),
};

const byOperation = {
  createSession: z.extend(sessionChanges, {
    id: z.exactOptional(
      z.string().check(
        z.regex(/^[\da-f]{8}(?:-?[\da-f]{4}){3}-?[\da-f]{12}$/, {
          error: "must be a UUID",
        }),
        z.meta({
          description:
            "Its id elsewhere, a UUID. The session gets it if it is free, or else another.",
        }),
      ),
    ),
  }),
  updateSession: z.extend(sessionChanges, {
    model: z.exactOptional(
      z.union([
        modelId,
        z.strictObject({
          provider: text("Name of a provider that the session knows.", 200),
          model: modelId,
        }),
      ]),
    ),
    language: z.exactOptional(z.nullable(language)),
  }),
  sendMessage: z.strictObject({
    text: text("Message for the agent; empty only with attachments.", 200_000, 0),
    displayText: z.exactOptional(text("Text for people instead.", 200_000)),
    attachments: z.exactOptional(
      z
        .array(
          z.discriminatedUnion("type", [
            z.strictObject({
              type: z.literal("image"),
              ...attachment,
              name: z.exactOptional(text("Name for people.", 255)),
            }),
            z.strictObject({
              type: z.literal("file"),
              ...attachment,
              name: z.exactOptional(text("Name for the model.", 255)),
            }),
          ]),
        )
        .check(z.maxLength(20), z.meta({ description: "Images and files behind the text." })),
    ),
    responseFormat: z.exactOptional(
      z.looseObject({ type: z.literal("object") }).check(
        z.meta({
          description:
            "JSON Schema of the object that the answer's text must be. The model may correct its answer once.",
        }),
      ),
    ),
  }),
  abort: z.strictObject({
    keepQueue: z.exactOptional(
      z
        .boolean()
        .check(z.meta({ description: "Pauses the queued messages instead of dropping them." })),
    ),
    turnId: z.exactOptional(
      text("Stops only this turn, if it is the open one. Queued messages go on.", 64),
    ),
  }),
  pauseQueue: z.strictObject({
    paused: z
      .boolean()
      .check(z.meta({ description: "False begins the next one when no turn is open." })),
  }),
  changeQueued: z.strictObject({
    text: z.exactOptional(text("The new message.", 200_000)),
    place: z.exactOptional(
      z.int().check(z.nonnegative(), z.meta({ description: "Its new place; 0 is the next one." })),
    ),
  }),
  answerPermission: z.strictObject({
    decision: oneOf(["allow", "deny"]),
    scope: z.exactOptional(
      oneOf(["once", "turn", "session", "workspace"], "How long an allowance lasts."),
    ),
    reason: z.exactOptional(text("Passed to the model and recorded.", 2000)),
    pattern: z.exactOptional(
      text("The rule to store for a wider scope, such as `Bash(npm test)`.", 500),
    ),
    answer: z.exactOptional(
      z.record(z.string(), z.unknown()).check(
        z.meta({
          description: "The fields of an MCP server's form, for a request that has `args.fields`.",
        }),
      ),
    ),
  }),
  cancelQueue: z.strictObject({
    text: z.exactOptional(
      text("The first queued message with this text; all when omitted.", 200_000),
    ),
  }),
  completeCommand: z.strictObject({
    text: text("As typed so far.", 200_000, 0),
    cursor: z.exactOptional(
      z.int().check(
        z.nonnegative(),
        z.meta({
          description: "Characters before the cursor; the end of the text when omitted.",
        }),
      ),
    ),
  }),
  createTicket: z.strictObject({
    scopes: z.exactOptional(
      z
        .array(oneOf(SCOPES))
        .check(z.minLength(1), z.meta({ description: "All of yours when omitted." })),
    ),
  }),
  steer: z.strictObject({ text: text("Message for the agent.", 200_000) }),
  runCommand: z.strictObject({
    args: z.exactOptional(text("The text behind the command's name.", 200_000, 0)),
  }),
  rewind: z.strictObject({
    checkpointId: text("Of GET checkpoints; for `files` also `start`, the session's start.", 200),
    what: z.exactOptional(oneOf(["files", "conversation", "both"], "`both` when omitted.")),
    files: z.exactOptional(
      z
        .array(
          z.strictObject({
            path: text("As GET changes lists it.", 4096),
            stamp: z.exactOptional(
              text("As listed: refuses where the file is another one by now.", 4096),
            ),
          }),
        )
        .check(
          z.minLength(1),
          z.meta({ description: "Restores these files alone, and no conversation." }),
        ),
    ),
  }),
  readChanges: z.strictObject({
    paths: z.array(text("As GET changes lists it.", 4096)).check(z.minLength(1)),
    turnId: z.exactOptional(text("The turn; all since the session's start when omitted.", 200)),
  }),
  handOver: z.strictObject({
    to: z.strictObject({
      sessionId: text("Its id there: that of a new session.", 200),
      url: z.exactOptional(text("Address of the server there.", 2_000)),
    }),
    waitMs: z.exactOptional(
      z
        .int()
        .check(
          z.gte(0),
          z.lte(60_000),
          z.meta({ description: "Milliseconds for running calls; 5,000 when omitted." }),
        ),
    ),
  }),
  forkSession: z.strictObject({
    at: z.exactOptional(text("A checkpoint of GET checkpoints.", 200)),
  }),
};

export type Bodies = {
  [Name in keyof typeof byOperation]: z.infer<(typeof byOperation)[Name]>;
};

export const BODIES: { readonly [Name in keyof Bodies]: z.ZodMiniType<Bodies[Name]> } = byOperation;
