"use strict";
// What makes the page live: news, ages, keys, and copies of commands.  Without it, all can be read.

const main = document.getElementById("main");
const root = document.documentElement;

// --- ages -------------------------------------------------------------------
const drift = Date.now() - Number(root.dataset.now || Date.now());

function ageText(ms) {
  const seconds = Math.max(0, Math.floor(ms / 1000));
  for (const [size, unit] of [[86400, "d"], [3600, "h"], [60, "min"]]) {
    if (seconds >= 2 * size) return `${Math.floor(seconds / size)} ${unit}`;
  }
  return `${seconds} s`;
}

function tick() {
  const now = Date.now() - drift;
  for (const each of document.querySelectorAll("time[data-at]")) {
    each.textContent = ageText(now - Number(each.dataset.at));
    const age = each.closest(".age");
    const limit = Number(each.dataset.stale || 0);
    if (age && limit) age.classList.toggle("stale", now - Number(each.dataset.at) > limit);
  }
}
setInterval(tick, 1000);

// --- news -------------------------------------------------------------------
function isBusy() {
  const active = document.activeElement;
  if (active && main.contains(active) && active.matches("input, select, textarea")) return true;
  if (main.querySelector("input[type=checkbox]:checked")) return true;
  const selection = document.getSelection();
  return selection && !selection.isCollapsed && main.contains(selection.anchorNode);
}

let isLoading = false;

async function loadAgain() {
  if (isLoading || isBusy() || document.hidden) return;
  isLoading = true;
  try {
    const answer = await fetch(location.href, { headers: { Accept: "text/html" } });
    if (answer.redirected) { location.reload(); return; }
    const fresh = new DOMParser().parseFromString(await answer.text(), "text/html");
    const found = fresh.getElementById("main");
    if (!found || isBusy()) return;
    const open = new Set([...main.querySelectorAll("details[open][id]")].map((each) => each.id));
    const offsets = [...main.querySelectorAll(".scroll")].map((each) => each.scrollLeft);
    const focused = main.contains(document.activeElement) ? document.activeElement.id : "";
    main.replaceChildren(...found.childNodes);
    for (const link of document.querySelectorAll(".side a")) {
      const path = CSS.escape(link.getAttribute("href"));
      link.replaceChildren(...(fresh.querySelector(`.side a[href="${path}"]`) || link).childNodes);
    }
    for (const id of open) document.getElementById(id)?.setAttribute("open", "");
    main.querySelectorAll(".scroll").forEach((each, index) => { each.scrollLeft = offsets[index] || 0; });
    if (focused) document.getElementById(focused)?.focus({ preventScroll: true });
    tick();
  } catch {
    // The age that goes on growing shows it.
  } finally {
    isLoading = false;
  }
}

if (main.dataset.news) {
  const news = new EventSource(main.dataset.news);
  let isFirst = true;
  news.addEventListener("look", () => {
    if (!isFirst) loadAgain();
    isFirst = false;
  });
  addEventListener("pagehide", () => news.close());
  addEventListener("pageshow", (event) => { if (event.persisted) location.reload(); });
} else if (main.dataset.every) {
  setInterval(loadAgain, 1000 * Number(main.dataset.every));
}

// --- keys -------------------------------------------------------------------
let waitsForPlace = false;
document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  if (event.target.matches("input, select, textarea")) {
    if (event.key === "Escape") event.target.blur();
    return;
  }
  if (event.key === "/") {
    const search = document.querySelector("input[type=search]");
    if (search) { event.preventDefault(); search.focus(); search.select(); }
  } else if (waitsForPlace) {
    waitsForPlace = false;
    document.querySelector(`[data-key="${CSS.escape(event.key)}"]`)?.click();
  } else if (event.key === "g") {
    waitsForPlace = true;
    setTimeout(() => { waitsForPlace = false; }, 1500);
  }
});

// --- forms ------------------------------------------------------------------
// A field that the chosen goal does not take is hidden, and not sent.
function showFields() {
  for (const field of document.querySelectorAll("[data-shown-by]")) {
    const chosen = document.getElementById(`field-${field.dataset.shownBy}`);
    field.hidden = !field.dataset.shownFor.split(" ").includes(chosen.value);
    for (const each of field.querySelectorAll("input, textarea, select")) each.disabled = field.hidden;
  }
}
document.addEventListener("change", showFields);
addEventListener("pageshow", showFields);
showFields();

// On a narrow screen the page that is shown may be beyond the end of the navigation.
const here = document.querySelector(".side [aria-current]");
const side = here?.closest(".side");
if (side && side.scrollWidth > side.clientWidth) side.scrollLeft = here.offsetLeft - 40;

// --- copies -----------------------------------------------------------------
document.addEventListener("click", async (event) => {
  const button = event.target.closest("button[data-copy]");
  if (!button) return;
  const code = button.previousElementSibling;
  if (navigator.clipboard) {
    await navigator.clipboard.writeText(code.textContent);
    button.textContent = "Copied";
  } else {
    // Without TLS browsers allow no more than to select it.
    document.getSelection().selectAllChildren(code);
    button.textContent = "Selected";
  }
  setTimeout(() => { button.textContent = "Copy"; }, 1500);
});
root.classList.add("scripted");
