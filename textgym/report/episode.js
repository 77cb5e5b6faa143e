// One episode as elements. All texts become text nodes: nothing of a run is parsed as HTML.

const LOW = [0.9, 0.5, 0.1, 0.01]; // probabilities between the colours of tokens

function make(tag, className, ...children) {
  const node = document.createElement(tag);
  if (className) node.className = className;
  node.append(...children.filter((child) => child !== "" && child != null));
  return node;
}

function folded(title, fill, className = "more") {
  const node = make("details", className, make("summary", "", title));
  node.addEventListener("toggle", () => {
    if (node.open && node.children.length === 1) node.append(...fill());
  });
  return node;
}

function showEpisode(episode, shared, title) {
  const facts = make("dl", "facts");
  for (const [name, value] of episode.facts) {
    const kind = name === "success" ? value : "";
    facts.append(make("div", kind, make("dt", "", name), make("dd", "", value)));
  }
  const node = make("article", "episode", make("h3", "", title), facts);
  if (episode.components) node.append(make("p", "note", `components: ${episode.components}`));
  if (episode.failure) node.append(failure(episode.failure));
  if (episode.answer) node.append(answer(...episode.answer));
  const tools = shared.tools[episode.tools];
  if (tools.length) node.append(folded(`Tools (${tools.length})`, () => tools.map(tool)));
  if (episode.kwargs) {
    node.append(folded("Arguments of the environment", () => [make("pre", "", episode.kwargs)]));
  }
  if (episode.info) node.append(folded("Info", () => [make("pre", "", episode.info)]));
  episode.sequences.forEach((sequence, place) => {
    const sampled = sequence[2].length;
    const which = episode.sequences.length > 1 ? ` of sequence ${place + 1}` : "";
    const text = `Tokens${which}: ${sequence[0].length - sampled} given, ${sampled} sampled`;
    node.append(folded(text, () => tokens(sequence, shared.tokens), "more tokens"));
  });
  for (const message of episode.messages) node.append(showMessage(...message));
  return node;
}

function failure(cause) {
  const title = `failed at the ${cause.boundary}: ${cause.type}`;
  const node = make("div", "failure", make("b", "", title));
  if (cause.message) node.append(make("pre", "", cause.message));
  if (cause.traceback) node.append(folded("Traceback", () => [make("pre", "", cause.traceback)]));
  return node;
}

function answer(text, reason) {
  if (reason) return make("p", "note", `right answer: not known (${reason})`);
  return folded("Right answer", () => [make("pre", "", text)], "more answer");
}

function tool([name, description, parameters]) {
  const node = make("div", "tool", make("b", "", name), make("p", "", description));
  const list = make("ul", "");
  for (const [argument, kind, about] of parameters) {
    const rest = ` (${kind})${about ? `: ${about}` : ""}`;
    list.append(make("li", "", make("code", "", argument), rest));
  }
  if (parameters.length) node.append(list);
  return node;
}

function showMessage(role, byPolicy, parts, note) {
  const node = make("div", `message role-${role.split(" ")[0].replace(/\W/g, "")}`);
  if (byPolicy) node.classList.add("by-policy");
  node.append(make("b", "role", role));
  for (const part of parts) node.append(showPart(...part));
  if (!parts.length) node.append(make("p", "note", "(empty)"));
  if (note) node.append(make("p", "payment", note));
  return node;
}

function showPart(kind, text, id, values) {
  if (kind === "call") {
    const head = make("div", "head", make("b", "", text), id ? make("span", "note", ` ${id}`) : "");
    const node = make("div", "call", head);
    if (typeof values === "string") return node.append(make("pre", "", values)), node;
    const list = make("dl", "arguments");
    for (const [name, value] of values) {
      list.append(make("dt", "", name), make("dd", "", make("pre", "", value)));
    }
    return node.append(list), node;
  }
  if (kind === "image") {
    const image = make("img", "");
    image.src = text;
    image.alt = "image in the message";
    return image;
  }
  return make("pre", kind, kind === "other" ? `(${text})` : text);
}

function tokens([ids, lengths, logprobs, others], texts) {
  const known = Object.keys(texts).length > 0;
  const words = ids.map((id, at) => (known ? others[at] ?? texts[id] : `${id} `));
  const node = make("pre", "token-list");
  let place = 0;
  let sampled = 0;
  lengths.forEach((length, run) => {
    const [from, to] = [place, (place += length)];
    if (run % 2 === 0) {
      if (length) node.append(make("span", "given", words.slice(from, to).join("")));
      return;
    }
    for (let at = from; at < to; at += 1) node.append(token(ids[at], words[at], logprobs[sampled++]));
  });
  const legend = make("p", "note legend", "sampled with probability ");
  ["over 0.9", "0.5", "0.1", "0.01", "less"].forEach((text, level) => {
    legend.append(make("span", `token p${level}`, text), " ");
  });
  legend.append("· given (loss mask 0) in grey");
  requestAnimationFrame(() => { // from where the policy began
    const first = node.querySelector(".token");
    if (first) node.scrollTop = first.offsetTop - node.offsetTop - 60;
  });
  if (known) return [legend, node];
  const hint = "The texts of tokens need the tokenizer: textgym report RUN --tokenizer MODEL";
  return [legend, make("p", "note", hint), node];
}

function token(id, text, logprob) {
  const node = make("span", "token", text.replaceAll("\n", "↵\n") || "·");
  const probability = logprob == null ? null : Math.exp(logprob);
  const known = probability != null;
  if (known) node.classList.add(`p${LOW.filter((bound) => probability < bound).length}`);
  node.title = `id ${id}` + (known ? `, log p ${logprob}, p ${probability.toPrecision(3)}` : "");
  return node;
}
