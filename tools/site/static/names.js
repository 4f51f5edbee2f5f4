// Names for controls of the theme that have none of their own, for people who hear pages.
"use strict";

document.addEventListener("DOMContentLoaded", () => {
  for (const summary of document.querySelectorAll("details > summary:has(.toctree-toggle)")) {
    const page = summary.closest("li")?.querySelector("a")?.textContent.trim();
    summary.setAttribute("aria-label", `Pages below ${page ?? "this one"}`);
  }
});
