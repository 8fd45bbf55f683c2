import { SessionError } from "../../errors.ts";
import { SESSION_FORMAT } from "./events.ts";

/** The parsed JSON of a stored record. */
export type RecordFields = Record<string, unknown>;

/**
 * The migration of a record to the next version, by version. Records are migrated one by one as they are read and never
 * rewritten, so a log may hold several versions, and there is no half-done migration.
 */
export type Migrations = Readonly<Record<number, (fields: RecordFields) => RecordFields>>;

/** Version 1 is the first that there was. */
const MIGRATIONS: Migrations = {};

/** A record in the present version. @throws {SessionError} `LOG_VERSION` when it is newer, or of a version that never was */
export function migrate(
  fields: RecordFields,
  version: number,
  migrations: Migrations = MIGRATIONS,
): RecordFields {
  if (version > SESSION_FORMAT) {
    throw new SessionError("LOG_VERSION", `The session was written in format ${version}`, {
      hint: `This version reads formats up to ${SESSION_FORMAT}. Update it to open the session.`,
    });
  }
  let migrated = fields;
  for (let from = version; from < SESSION_FORMAT; from++) {
    const step = migrations[from];
    if (!step) {
      throw new SessionError("LOG_VERSION", `The session has a record of the format ${version}`, {
        hint: "No version has ever written that format. Check the file's origin.",
      });
    }
    migrated = { ...step(migrated), v: from + 1 };
  }
  return migrated;
}
