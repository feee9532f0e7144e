// Keeps open pages up to date. Without it everything works, too: reload by hand.
"use strict";

const body = document.body;
const news = document.getElementById("news");
const RESTING = 1000; // milliseconds in which a page that has just changed sends no form
let seen = body.dataset.seen;
let changedAt = -RESTING;

document.documentElement.classList.add("with-script");

function busy() {
  const box = document.activeElement;
  if (box && box.matches("textarea, input:not([type=hidden])")) return true;
  return [...document.querySelectorAll("main textarea, main input")].some(
    (field) => (field.type === "checkbox" ? field.checked : field.type !== "hidden" && field.value.trim())
  );
}

function say(words) {
  news.textContent = words;
}

function offer() {
  const button = document.createElement("button");
  button.type = "button";
  button.textContent = "Show it";
  button.addEventListener("click", () => location.reload());
  news.replaceChildren("This page has changed since you opened it. ", button);
}

async function renew() {
  const answer = await fetch(location.href, { headers: { accept: "text/html" } });
  if (!answer.ok || answer.redirected) return location.reload();
  const fresh = new DOMParser().parseFromString(await answer.text(), "text/html");
  const [before, after] = [document.getElementById("renewed"), fresh.getElementById("renewed")];
  if (!before || !after) return location.reload();
  if (busy()) return offer();
  const focused = document.activeElement && document.activeElement.id;
  const open = [...before.querySelectorAll("details")].map((each) => each.open);
  before.replaceWith(after);
  after.querySelectorAll("details").forEach((each, at) => (each.open = open[at] || each.open));
  changedAt = performance.now();
  document.title = fresh.title;
  seen = fresh.body.dataset.seen;
  if (focused && document.getElementById(focused)) document.getElementById(focused).focus({ preventScroll: true });
  say(after.dataset.words);
}

// What a hand meant for a button that was there a moment ago must not hit another one.
document.addEventListener("submit", (event) => {
  if (performance.now() - changedAt < RESTING) event.preventDefault();
});

if (body.dataset.live) {
  const events = new EventSource(body.dataset.live);
  events.addEventListener("change", (event) => {
    if (event.data === seen) return;
    if (busy()) offer();
    else renew().catch(() => say("The server does not answer."));
  });
  events.addEventListener("error", () => {
    if (events.readyState === EventSource.CLOSED) say("Live updates have ended; reload to go on.");
  });
  addEventListener("pagehide", () => events.close());
}

if (body.dataset.left) {
  const left = document.getElementById("left");
  const ends = performance.now() + 1000 * Number(body.dataset.left);
  const tick = () => {
    const seconds = Math.ceil((ends - performance.now()) / 1000);
    if (seconds > 0 && left) left.textContent = `in ${seconds} s`;
    if (seconds < 0) location.reload();
    else setTimeout(tick, 250);
  };
  tick();
}
