// Keeps open pages up to date. Without it everything works, too: reload by hand.
"use strict";

const body = document.body;
const news = document.getElementById("news");
let seen = body.dataset.seen;
let events;

document.documentElement.classList.add("with-script");

function say(words) {
  news.textContent = words;
}

function deciding(page) {
  return page.querySelectorAll("#decide button");
}

// What a person reads and decides on is never exchanged under her hand: she asks for what there is now.
function offer() {
  const button = document.createElement("button");
  button.type = "button";
  button.textContent = "Show it";
  // Not a reload, which would keep the place on the page and what is ticked: the new content is read from its top.
  button.addEventListener("click", () => location.replace(location.pathname + location.search));
  const focused = [...deciding(document)].includes(document.activeElement);
  deciding(document).forEach((each) => (each.disabled = true));
  news.replaceChildren("This page has changed since you opened it. ", button);
  news.classList.add("stays");
  if (focused) button.focus({ preventScroll: true });
  events.close();
}

async function renew() {
  const decides = deciding(document).length > 0;
  const members = body.dataset.members; // of a group, whose page hears of everything that waits
  if (decides && !members) return offer();
  const answer = await fetch(location.href, { headers: { accept: "text/html" } });
  const fresh = new DOMParser().parseFromString(await answer.text(), "text/html");
  if (events.readyState === EventSource.CLOSED) return;
  const [before, after] = [document.getElementById("renewed"), fresh.getElementById("renewed")];
  const whole = answer.ok && !answer.redirected && after;
  if (decides && whole && fresh.body.dataset.members === members) {
    seen = fresh.body.dataset.seen;
    return;
  }
  if (decides || (whole && deciding(fresh).length)) return offer();
  if (!whole) return location.reload();
  const focused = document.activeElement && document.activeElement.id;
  const open = [...before.querySelectorAll("details")].map((each) => each.open);
  before.replaceWith(after);
  after.querySelectorAll("details").forEach((each, at) => (each.open = open[at] || each.open));
  document.title = fresh.title;
  seen = fresh.body.dataset.seen;
  if (focused && document.getElementById(focused)) document.getElementById(focused).focus({ preventScroll: true });
  say(after.dataset.words);
}

function listen() {
  events = new EventSource(body.dataset.live);
  events.addEventListener("change", (event) => {
    if (event.data !== seen) renew().catch(() => say("The server does not answer."));
  });
  events.addEventListener("error", () => {
    if (events.readyState === EventSource.CLOSED) say("Live updates have ended; reload to go on.");
  });
}

if (body.dataset.live) {
  listen();
  addEventListener("pagehide", () => events.close());
  addEventListener("pageshow", (event) => event.persisted && listen());
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
