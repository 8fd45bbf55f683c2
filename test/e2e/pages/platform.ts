import { BrowserFileSystem, BrowserStorage } from "@robota/adapters-web";

/** What tests reach into the page for, by `page.evaluate`. */
declare global {
  var robota: {
    BrowserFileSystem: typeof BrowserFileSystem;
    BrowserStorage: typeof BrowserStorage;
  };
}

globalThis.robota = { BrowserFileSystem, BrowserStorage };
