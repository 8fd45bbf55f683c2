import { BrowserFileSystem, BrowserStorage } from "@robota/adapters-web";

/** Handles for tests, which reach into the page by `page.evaluate`. */
declare global {
  var robota: {
    BrowserFileSystem: typeof BrowserFileSystem;
    BrowserStorage: typeof BrowserStorage;
  };
}

globalThis.robota = { BrowserFileSystem, BrowserStorage };
