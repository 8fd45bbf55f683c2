// Runs before the first paint, so that a chosen theme never flashes. The key is the one of src/state/preferences.ts.
(() => {
  try {
    const theme = JSON.parse(localStorage.getItem("robota.theme") ?? "null");
    if (theme === "light" || theme === "dark") document.documentElement.dataset.theme = theme;
  } catch {
    // Storage may be closed to this page, or hold something else; the system's theme is right then.
  }
})();
