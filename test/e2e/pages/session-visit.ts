import { browserPlatform } from "@robota/adapters-web";
import { holdSession, type Told, type Visit, visitSession } from "../../support/session-visit.ts";

/** A tab that holds a session, or comes by while another one does. */
declare global {
  var tab: {
    readonly told: readonly Told[];
    /** Resolves to how it was refused in the end. */
    hold(): Promise<string>;
    visit(): Promise<Visit>;
  };
}

const platform = browserPlatform({ workspace: "session-visit" });
const told: Told[] = [];

globalThis.tab = {
  told,
  hold: () => holdSession(platform, (event) => told.push(event)),
  visit: () => visitSession(platform, "/workspace"),
};
