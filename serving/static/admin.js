// Asks as a shopper does, and shows the answer as it comes. Everything is set as text.
"use strict";

function parts(block) {
  let name = "message";
  let data = "";
  for (const line of block.split("\n")) {
    if (line.startsWith("event: ")) name = line.slice(7);
    if (line.startsWith("data: ")) data += line.slice(6);
  }
  return data ? [name, JSON.parse(data)] : null;
}

async function* eventsOf(reply) {
  const reader = reply.body.pipeThrough(new TextDecoderStream()).getReader();
  let held = "";
  for (;;) {
    const { value, done } = await reader.read();
    if (done) return;
    held += value;
    const blocks = held.split("\n\n");
    held = blocks.pop();
    for (const block of blocks) {
      const event = parts(block);
      if (event) yield event;
    }
  }
}

async function ask(form, answer, about) {
  const { product, csrf, failed, version } = form.dataset;
  const reply = await fetch("/admin/ask", {
    method: "POST",
    headers: { "Content-Type": "application/json", "X-CSRF-Token": csrf },
    body: JSON.stringify({ message: form.elements.message.value, sku: product }),
  });
  if (!reply.ok) {
    const { error } = await reply.json();
    throw new Error(error.message);
  }
  answer.textContent = "";
  for await (const [name, data] of eventsOf(reply)) {
    if (name === "token") answer.textContent += data.text;
    if (name === "error") about.textContent = `${failed} ${data.message}`;
    if (name === "done" && data.finish_reason !== "error") {
      about.textContent = `${version} ${data.catalog_version}`;
    }
  }
}

const form = document.getElementById("ask");
if (form) {
  const answer = document.getElementById("answer");
  const about = document.getElementById("answer-about");
  const button = document.getElementById("ask-now");
  button.disabled = false;
  form.addEventListener("submit", async (event) => {
    if (event.submitter !== null && event.submitter !== button) return; // it saves the question
    event.preventDefault();
    button.disabled = true;
    answer.textContent = form.dataset.asking;
    about.textContent = "";
    try {
      await ask(form, answer, about);
    } catch (error) {
      answer.textContent = "";
      about.textContent = `${form.dataset.failed} ${error.message}`;
    } finally {
      button.disabled = false;
    }
  });
}
