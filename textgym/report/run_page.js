// The list of episodes, pairs of episodes of two runs, and which part of the page is shown.

const ROWS = 50; // of a page of a list
const KEPT = 8; // blocks that stay decompressed
const FILTERS = [
  ["env", "environment"],
  ["level", "level"],
  ["category", "category"],
  ["stop", "stop reason"],
  ["verdict", "why not full"],
  ["failure", "failed at"],
];
const byId = (id) => document.getElementById(id);
const blocks = new Map();
let index = null;

async function unpack(id) {
  const bytes = Uint8Array.from(atob(byId(id).textContent), (char) => char.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  return JSON.parse(await new Response(stream).text());
}

function block(run, number) {
  const id = `block-${run}-${number}`;
  const held = blocks.get(id) ?? unpack(id);
  blocks.delete(id);
  blocks.set(id, held);
  if (blocks.size > KEPT) blocks.delete(blocks.keys().next().value);
  return held;
}

async function readEpisode(run, place) {
  const starts = index.runs[run].starts;
  let number = starts.length - 1;
  while (starts[number] > place) number -= 1;
  const [shared, episodes] = await block(run, number);
  return [episodes[place - starts[number]], shared];
}

function textOf(run, column, place) {
  return index.runs[run].texts[index.runs[run].columns[column][place]];
}

function nameOf(run, place) {
  const { index: tasks, repeat, task } = index.runs[run].columns;
  const id = task[place] == null ? "" : ` (${task[place]})`;
  const letter = index.runs.length > 1 ? `${index.runs[run].letter}: ` : "";
  return `${letter}${textOf(run, "env", place)}, task ${tasks[place]}${id}, repeat ${repeat[place]}`;
}

async function episodeNode(run, place) {
  const [episode, shared] = await readEpisode(run, place);
  return showEpisode(episode, shared, nameOf(run, place));
}

function searchable(episode) {
  const parts = episode.messages.flatMap(([, , all]) => all.map((part) => part.slice(1)));
  return parts.flat(Infinity).join("\n").toLowerCase();
}

function outcome(run, place) {
  const { success, failure } = index.runs[run].columns;
  if (success[place] == null) return ["failed", `failed: ${index.runs[run].texts[failure[place]]}`];
  return success[place] ? ["yes", "solved"] : ["no", "not solved"];
}

const rewardText = (value) => (value == null ? "–" : String(Number(value.toFixed(4))));
const counted = (number) => number.toLocaleString("en");

function select(label, options, onChange) {
  const node = make("select", "");
  for (const [value, text] of options) {
    const option = make("option", "", text);
    option.value = value;
    node.append(option);
  }
  node.addEventListener("change", onChange);
  return [make("label", "", `${label} `, node), node];
}

// A list in pages: `row` makes the row of an item, `head` names its columns.
function pagedList(head, row) {
  const body = make("tbody", "");
  const titles = head.map(([text, kind]) => make("th", kind, text));
  const table = make("table", "list", make("thead", "", make("tr", "", ...titles)), body);
  const count = make("span", "note", "");
  const [before, after] = ["‹ previous", "next ›"].map((text) => make("button", "", text));
  const pager = make("div", "pager", before, count, after);
  const node = make("div", "", pager, make("div", "wide", table));
  let items = [];
  let first = 0;
  function draw() {
    body.replaceChildren(...items.slice(first, first + ROWS).map(row));
    const last = Math.min(first + ROWS, items.length);
    const from = items.length ? first + 1 : 0;
    const [start, end, all] = [from, last, items.length].map(counted);
    count.textContent = `${start} to ${end} of ${all}`;
    before.disabled = first === 0;
    after.disabled = last >= items.length;
  }
  before.addEventListener("click", () => { first = Math.max(0, first - ROWS); draw(); });
  after.addEventListener("click", () => { first += ROWS; draw(); });
  return {
    node,
    show(chosen) { items = chosen; first = 0; draw(); },
    turnTo(item) {
      const place = items.indexOf(item);
      if (place >= 0) first = place - (place % ROWS);
      draw();
      if (place < 0) return; // the filters leave it out
      const row = body.children[place - first];
      node.parentNode.scrollTop = row.offsetTop - 100; // of the pane that scrolls
    },
  };
}

// The episodes of a run, filtered and sorted.
function episodesView(section) {
  const detail = make("div", "detail");
  const controls = make("div", "controls");
  const state = { run: 0, found: null, items: [], open: null, search: 0 };
  const envs = new Set(index.runs.flatMap((run) => run.columns.env.map((code) => run.texts[code])));
  const head = [
    ["", "number"], ["task", "task"], ["repeat", "number"], ["level", ""], ["turns", "number"],
    ["reward", "number"], ["outcome", ""],
  ];
  const list = pagedList(head, (place) => {
    const columns = index.runs[state.run].columns;
    const link = make("a", "", String(place + 1));
    link.href = `#episode-${state.run}-${place}`;
    const env = envs.size > 1 ? `${textOf(state.run, "env", place).split("/").pop()} ` : "";
    const [kind, word] = outcome(state.run, place);
    const row = make(
      "tr", place === state.open ? "open" : "",
      make("td", "number", link),
      make("td", "task", `${env}${columns.index[place]}`),
      make("td", "number", String(columns.repeat[place])),
      make("td", "", textOf(state.run, "level", place)),
      make("td", "number", String(columns.turns[place])),
      make("td", "number", rewardText(columns.reward[place])),
      make("td", kind, word),
    );
    row.addEventListener("click", () => { location.hash = link.hash; });
    return row;
  });

  const runs = index.runs.map((run, number) => [number, `${run.letter}: ${run.name}`]);
  const [runLabel, runSelect] = select("run", runs, () => {
    setRun(Number(runSelect.value));
    refresh();
  });
  const sorts = [
    ["worst", "lowest reward first"], ["best", "highest reward first"],
    ["turns", "most turns first"], ["stored", "as stored"],
  ];
  const [sortLabel, sortSelect] = select("order", sorts, refresh);
  const outcomes = [["", "all"], ["yes", "solved"], ["no", "not solved"], ["failed", "failed"]];
  const [outcomeLabel, outcomeSelect] = select("outcome", outcomes, refresh);
  const filters = new Map();
  const filterRow = make("span", "filters");
  const box = make("input", "");
  box.type = "search";
  box.placeholder = "text in a message, then Enter";
  const progress = make("span", "note", "");
  const clear = make("button", "", "clear all");
  controls.append(
    ...(runs.length > 1 ? [runLabel] : []), outcomeLabel, filterRow, sortLabel,
    make("label", "", "search ", box), clear, progress,
  );

  function setRun(run) {
    state.run = run;
    state.found = null;
    state.search += 1;
    runSelect.value = run;
    filters.clear();
    filterRow.replaceChildren();
    const { columns, texts } = index.runs[run];
    for (const [name, label] of FILTERS) {
      const codes = [...new Set(columns[name])];
      if (codes.length < 2) continue;
      const options = codes.map((code) => [code, texts[code] || "(none)"]);
      options.sort((a, b) => a[1].localeCompare(b[1], "en", { numeric: true }));
      const [node, chosen] = select(label, [["", "all"], ...options], refresh);
      filters.set(name, chosen);
      filterRow.append(node);
    }
  }

  function refresh() {
    const { columns } = index.runs[state.run];
    const conditions = [...filters].filter(([, node]) => node.value !== "");
    const matches = (place) => (
      (!outcomeSelect.value || outcome(state.run, place)[0] === outcomeSelect.value)
      && (!state.found || state.found.has(place))
      && conditions.every(([name, node]) => columns[name][place] === Number(node.value))
    );
    const items = [...columns.env.keys()].filter(matches);
    const sign = sortSelect.value === "best" ? -1 : 1;
    const keys = {
      worst: (place) => columns.reward[place] == null ? Infinity : sign * columns.reward[place],
      turns: (place) => -columns.turns[place],
      stored: (place) => place,
    };
    const key = keys[sortSelect.value] ?? keys.worst;
    items.sort((a, b) => (key(a) === key(b) ? a - b : key(a) - key(b)));
    state.items = items;
    list.show(items);
  }

  async function search() {
    const wanted = box.value.toLowerCase();
    const mine = (state.search += 1);
    state.found = null;
    progress.textContent = "";
    if (wanted) {
      const found = new Set();
      const { starts, columns } = index.runs[state.run];
      for (let number = 0; number < starts.length; number += 1) {
        const [, episodes] = await block(state.run, number);
        if (mine !== state.search) return;
        episodes.forEach((episode, place) => {
          if (searchable(episode).includes(wanted)) found.add(starts[number] + place);
        });
        const read = starts[number] + episodes.length;
        progress.textContent = `searched ${counted(read)} of ${counted(columns.env.length)}`;
      }
      state.found = found;
      progress.textContent = `${counted(found.size)} episodes have this text`;
    }
    refresh();
  }
  box.addEventListener("change", search);
  clear.addEventListener("click", () => {
    box.value = progress.textContent = outcomeSelect.value = "";
    setRun(state.run);
    refresh();
  });

  async function open(run, place) {
    if (run !== state.run) { setRun(run); refresh(); }
    state.open = place;
    list.turnTo(place);
    const node = await episodeNode(run, place);
    if (state.open !== place || state.run !== run) return;
    const steps = make("div", "pager");
    const at = state.items.indexOf(place);
    const next = at < 0 ? undefined : state.items[at + 1];
    const others = [["‹ previous episode", state.items[at - 1]], ["next episode ›", next]];
    for (const [text, other] of others) {
      const button = make("button", "", text);
      button.disabled = other === undefined;
      button.addEventListener("click", () => { location.hash = `#episode-${run}-${other}`; });
      steps.append(button);
    }
    detail.replaceChildren(steps, node);
    detail.scrollTop = 0;
    if (innerWidth < 1100) detail.scrollIntoView();
  }

  setRun(0);
  refresh();
  section.append(controls, make("div", "browser", make("div", "side", list.node), detail));
  detail.append(make("p", "note", "Choose an episode from the list."));
  return open;
}

// The tasks on which two runs disagree, and their episodes side by side.
function pairsView(section) {
  const { runs, tasks } = index.pairs;
  const letters = runs.map((run) => index.runs[run].letter);
  const both = make("div", "both");
  const head = [
    ["task", "task"], ...letters.map((letter) => [`reward ${letter}`, "number"]),
    ["difference", "number"], ...letters.map((letter) => [`success ${letter}`, "number"]),
  ];
  const list = pagedList(head, (task) => {
    const [first] = task.episodes[0];
    const name = nameOf(runs[0], first).replace(/^.*?: |, repeat \d+$/g, "");
    const row = make("tr", "", make("td", "task", name));
    for (const value of task.rewards) row.append(make("td", "number", rewardText(value)));
    const change = difference(task);
    const text = (change > 0 ? "+" : "") + rewardText(change);
    row.append(make("td", `number ${change < 0 ? "no" : "yes"}`, text));
    for (const value of task.successes) {
      row.append(make("td", "number", `${Number((100 * value).toFixed(1))}%`));
    }
    row.addEventListener("click", () => show(task));
    return row;
  });
  const difference = (task) => task.rewards[1] - task.rewards[0];
  const sorts = [
    ["lost", `where ${letters[1]} is worse first`], ["won", `where ${letters[1]} is better first`],
  ];
  const [label, sort] = select("order", sorts, refresh);
  function refresh() {
    const sign = sort.value === "won" ? -1 : 1;
    list.show([...tasks].sort((a, b) => sign * (difference(a) - difference(b))));
  }
  function differing(task, side, places) { // the repeat that shows the difference best
    const { reward } = index.runs[runs[side]].columns;
    const sign = (side ? 1 : -1) * Math.sign(difference(task));
    const better = (one, other) => sign * reward[one] > sign * reward[other];
    return places.reduce((best, place) => (better(place, best) ? place : best));
  }
  async function show(task) {
    const columns = await Promise.all(task.episodes.map(async (places, side) => {
      const target = make("div", "");
      const fill = async (place) => target.replaceChildren(await episodeNode(runs[side], place));
      const repeats = index.runs[runs[side]].columns.repeat;
      const options = places.map((place) => [place, `repeat ${repeats[place]}`]);
      const [node, chosen] = select(letters[side], options, () => fill(Number(chosen.value)));
      chosen.value = differing(task, side, places);
      await fill(Number(chosen.value));
      return make("div", "column", places.length > 1 ? node : "", target);
    }));
    both.replaceChildren(...columns);
    both.scrollIntoView();
  }
  refresh();
  section.append(make("div", "controls", label), make("div", "pane", list.node), both);
}

async function start() {
  index = await unpack("index");
  const open = index.runs.length ? episodesView(byId("view-episodes")) : null;
  if (index.pairs?.tasks.length) pairsView(byId("pairs"));
  const links = [...document.querySelectorAll("nav.views a")];
  function route() {
    const match = /^#episode-(\d+)-(\d+)$/.exec(location.hash);
    const wanted = match ? "#view-episodes" : location.hash;
    const known = links.some((link) => link.hash === wanted);
    const view = known ? wanted : links[0].hash;
    for (const link of links) {
      link.classList.toggle("current", link.hash === view);
      byId(link.hash.slice(1)).hidden = link.hash !== view;
    }
    const [run, place] = match ? match.slice(1).map(Number) : [];
    if (match && place < index.runs[run]?.columns.env.length) open(run, place);
    else scrollTo(0, 0);
  }
  addEventListener("hashchange", route);
  route();
}

start();
