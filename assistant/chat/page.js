// Keeps a growing answer in sight, opens the source whose number was clicked, and gives the box back to the keyboard.
(() => {
  const margin = 16;
  let turn = "";
  let following = true;
  let newest = "";
  let state = "";

  const area = () => {
    const chat = document.getElementById("chat");
    return getComputedStyle(chat).overflowY === "visible" ? document.scrollingElement : chat;
  };

  // The end of the answer comes into sight, but never at the cost of its question.
  const keepInSight = () => {
    const latest = document.querySelector("#live .turn");
    if (!latest) return;
    if (latest.id !== turn) {
      turn = latest.id;
      following = true;
      if (latest.getBoundingClientRect().top < 0) latest.scrollIntoView({ block: "start" });
    }
    if (!following) return;
    const top = area() === document.scrollingElement ? 0 : area().getBoundingClientRect().top;
    const box = document.getElementById("box").getBoundingClientRect();
    const hidden = latest.getBoundingClientRect().bottom - box.top + margin;
    const room = latest.getBoundingClientRect().top - top - margin;
    if (Math.min(hidden, room) > 1) area().scrollBy(0, Math.min(hidden, room));
  };

  // The box takes the keyboard again, unless its user has gone elsewhere; on a phone that would open a keyboard.
  const returnToBox = () => {
    const box = document.querySelector("#box textarea");
    const at = document.activeElement;
    const elsewhere = at && at !== document.body && !at.closest("#box, #new, .example");
    if (box && !elsewhere && !window.matchMedia("(pointer: coarse)").matches) box.focus({ preventScroll: true });
  };

  // What failed stands in the box again, where nothing else was written meanwhile.
  const putBack = (question) => {
    const box = document.querySelector("#box textarea");
    if (!box || box.value) return;
    box.value = question;
    box.dispatchEvent(new Event("input", { bubbles: true }));
  };

  const noticeEnd = () => {
    const latest = document.querySelector("#live .turn");
    const ended = latest ? latest.querySelector("[aria-busy=false]") : null;
    const now = latest ? latest.id + (ended ? " ended" : "") : "";
    if (now === state) return;
    state = now;
    if (latest && !ended) return;
    returnToBox();
    if (latest && latest.dataset.again) putBack(latest.dataset.again);
  };

  const showNewestSources = () => {
    const group = document.querySelector("#sources .group");
    if (!group || group.dataset.turn === newest) return;
    newest = group.dataset.turn;
    document.getElementById("panel").scrollTop = 0;
  };

  const open = (id) => {
    const target = document.getElementById(id);
    if (!target) return;
    const group = target.closest(".group");
    if (group) {
      document.querySelectorAll("#sources .group").forEach((each) => each.classList.toggle("current", each === group));
    }
    document.querySelectorAll("#sources .card").forEach((card) => card.classList.toggle("target", card === target));
    target.scrollIntoView({ block: "start" });
    target.focus({ preventScroll: true });
    const words = target.querySelector("mark");
    const end = Math.min(window.innerHeight, document.getElementById("panel").getBoundingClientRect().bottom);
    if (words && words.getBoundingClientRect().bottom > end - margin) words.scrollIntoView({ block: "center" });
  };

  document.addEventListener("click", (event) => {
    const link = event.target.closest('#chat a[href^="#t"], #panel a[href^="#t"]');
    if (!link) return;
    event.preventDefault();
    following = false;
    open(link.hash.slice(1));
  });

  for (const gesture of ["wheel", "touchmove"]) {
    document.addEventListener(gesture, () => (following = false), { passive: true });
  }
  new MutationObserver(() => {
    keepInSight();
    showNewestSources();
    noticeEnd();
  }).observe(document, { childList: true, subtree: true });
})();
