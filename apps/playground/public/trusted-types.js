// The only addresses that become scripts at run time are those of workers: files of this site, and what the page itself has made.
globalThis.trustedTypes?.createPolicy("default", {
  createScriptURL(address) {
    const url = new URL(address, location.href);
    const isOwn = url.origin === location.origin && /^(?:https?|blob):$/.test(url.protocol);
    return isOwn ? address : null;
  },
});
