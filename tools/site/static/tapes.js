// Brings the views of a page to life: each <div class="tape"> gets the recording that the site keeps for it. Pages are
// opened from disk too, where a page may load scripts and nothing else, so recordings are scripts that call `arrived`.
"use strict";

window.tapevizSite = (() => {
  const waiting = new Map();
  const scripts = new Map();
  const root = new URL("..", document.currentScript.src);

  function load(path) {
    if (!scripts.has(path)) {
      scripts.set(
        path,
        new Promise((resolve, reject) => {
          const script = document.createElement("script");
          script.onload = resolve;
          script.onerror = () => reject(new Error(`${path} is missing beside this page`));
          script.src = new URL(path, root).href;
          document.head.append(script);
        }),
      );
    }
    return scripts.get(path);
  }

  const arrived = (name, text) => waiting.set(name, text);

  const views = () => load("_static/standalone.js").then(() => window.tapeviz);

  async function unpack(text) {
    const binary = atob(text);
    const bytes = new Uint8Array(binary.length);
    for (let i = 0; i < binary.length; i++) bytes[i] = binary.charCodeAt(i);
    const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
    return new Uint8Array(await new Response(stream).arrayBuffer());
  }

  async function show(home) {
    const { name, kind, view, height } = home.dataset;
    try {
      const [tapeviz] = await Promise.all([views(), load(`_static/views/${name}.js`)]);
      const bytes = await unpack(waiting.get(name));
      waiting.delete(name);
      if (kind === "difference") {
        await tapeviz.mountDifference(home, new TextDecoder().decode(bytes), Number(height));
      } else {
        await tapeviz.mount(home, bytes, view || undefined, Number(height));
      }
      home.dataset.state = "alive";
    } catch (error) {
      home.dataset.state = "failed";
      const said = document.createElement("p");
      said.role = "alert";
      said.textContent = `The views of this tape cannot be shown: ${error.message}. What is below is its summary.`;
      home.prepend(said);
    }
  }

  function begin() {
    const near = new IntersectionObserver(
      (entries) => {
        for (const { target } of entries.filter((entry) => entry.isIntersecting)) {
          near.unobserve(target);
          void show(target);
        }
      },
      { rootMargin: "800px" },
    );
    for (const home of document.querySelectorAll(".tape[data-name]")) near.observe(home);
  }

  if (document.readyState === "loading") document.addEventListener("DOMContentLoaded", begin);
  else begin();
  return { arrived, views };
})();
