// Opens recordings that a person drops on the page or chooses: they are read here and sent nowhere. What is open stays
// open when the next file is none that can be shown.
"use strict";

(() => {
  const LEAST_HEIGHT = 480;
  const AROUND = 160; // pixels of the window that the view leaves to the page
  const home = document.getElementById("open-tape");
  const opened = [];

  function element(name, attributes = {}, ...children) {
    const made = document.createElement(name);
    for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
    made.append(...children);
    return made;
  }

  const input = element("input", { type: "file", accept: ".tape", id: "tape-file", multiple: "" });
  const label = element("label", { for: "tape-file" }, "Choose a .tape file, or drop one anywhere on this page. ");
  const said = element("div", { role: "status", "aria-live": "polite", class: "open-said" });
  const list = element("div", { class: "open-list", role: "group", "aria-label": "Open tapes" });
  const views = element("div", { class: "open-views" });
  home.append(element("p", { class: "open-drop" }, label, input), said, list, views);

  function say(text, problem = false) {
    said.textContent = text;
    said.dataset.problem = String(problem);
  }

  const size = (bytes) =>
    bytes < 1e3 ? `${bytes} bytes` : bytes < 1e6 ? `${(bytes / 1e3).toFixed(1)} kB` : `${(bytes / 1e6).toFixed(1)} MB`;

  function choose(one) {
    for (const other of opened) {
      other.root.hidden = other !== one;
      other.button.setAttribute("aria-pressed", String(other === one));
    }
  }

  async function open(file) {
    say(`Reading ${file.name} …`);
    const root = element("div", { class: "tape", "data-state": "alive" });
    try {
      const bytes = new Uint8Array(await file.arrayBuffer());
      const tapeviz = await window.tapevizSite.views();
      for (const other of opened) other.root.hidden = true;
      views.append(root);
      await tapeviz.mount(root, bytes, undefined, Math.max(LEAST_HEIGHT, window.innerHeight - AROUND));
      const button = element("button", { type: "button" }, file.name);
      const one = { root, button };
      button.addEventListener("click", () => choose(one));
      opened.push(one);
      list.append(button);
      choose(one);
      home.dataset.state = "open";
      say(`${file.name}, ${size(file.size)}. It stays on this computer.`);
      return true;
    } catch (error) {
      root.remove();
      if (opened.length > 0) choose(opened.at(-1));
      const left = opened.length > 0 ? " What was open is still here." : "";
      say(`${file.name} (${size(file.size)}) cannot be shown: ${error.message}. The file itself is unchanged.${left}`, true);
      return false;
    }
  }

  async function openAll(files) {
    for (const file of files) if (!(await open(file))) break;
  }

  input.addEventListener("change", async () => {
    await openAll([...input.files]);
    input.value = "";
  });
  document.addEventListener("dragover", (event) => {
    event.preventDefault();
    home.dataset.over = "true";
  });
  document.addEventListener("dragleave", (event) => {
    if (event.relatedTarget === null) delete home.dataset.over;
  });
  document.addEventListener("drop", (event) => {
    event.preventDefault();
    delete home.dataset.over;
    void openAll([...event.dataTransfer.files]);
  });
})();
