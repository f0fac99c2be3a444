"use strict";
// Draws the analysis in #data.  All that logs say is put in as text, never as markup.
(() => {
  const body = JSON.parse(document.getElementById("data").textContent);
  const chart = document.getElementById("chart");
  const details = document.getElementById("details");
  const ROWS_AT_ONCE = 100;
  const ROW_PIXELS = 30;
  const EDGE_PIXELS = 46;
  // No reds and ambers among them: these say that something is wrong.
  const PALETTE = [
    "#4e79a7", "#59a14f", "#b07aa1", "#76b7b2", "#9c755f", "#a0cbe8", "#8cd17d", "#d4a6c8",
    "#8a8fb8", "#c3b28f", "#3f6b6b", "#79706e",
  ];
  const NO_LEADER = "#c8102e";
  const ANOMALY = "#7a0016";
  const ISR_COLORS = { whole: "#aeb8c4", smaller: "#e69f00", alone: "#d1495b" };
  const INK = "#1f2733";

  const ms = (text) => Date.parse(text.replace(" ", "T").replace(",", ".") + "Z");
  const first = ms(body.first);
  const last = ms(body.last);
  const end = (text) => (text === null ? last : ms(text));
  // Plotly takes labels for markup.
  const escaped = (text) =>
    String(text).replace(/&/g, "&amp;").replace(/</g, "&lt;").replace(/>/g, "&gt;");
  const words = (reason) => reason.replace(/-/g, " ");
  const counted = (number, word) =>
    `${number.toLocaleString("en")} ${word}${number === 1 ? "" : "s"}`;
  const name = (story) => `${story.topic}-${story.partition}` +
    (story.incarnations > 1 ? ` (${story.incarnation} of ${story.incarnations})` : "");
  const brokerName = (id) => (id === null ? "?" : id < 0 ? "none" : String(id));
  const duration = (span) =>
    span < 1000 ? `${span} ms`
    : span < 60000 ? `${(span / 1000).toFixed(1)} s`
    : span < 3600000 ? `${Math.floor(span / 60000)} min ${Math.floor((span % 60000) / 1000)} s`
    : `${Math.floor(span / 3600000).toLocaleString("en")} h ${Math.floor((span % 3600000) / 60000)} min`;
  // Without TRACE lines only the end of a time without a leader is told.
  const least = body.has_traces ? "" : "at least ";
  const isWhole = (leadership, story) =>
    leadership.isr.every((change) => change.isr.length >= story.replicas.length);
  // What began or gave up a reassignment moves no leader at first.
  const isHealthy = (story) =>
    story.moves === 0 && story.leaderless.length === 0 && story.anomalies.length === 0
    && story.leaderships.every((each) => each.reason !== "reassignment" && isWhole(each, story));

  const leaders = [...new Set(body.partitions.flatMap((each) =>
    each.leaderships.map((one) => one.leader)))].filter((id) => id !== null && id >= 0).sort((a, b) => a - b);
  const controllers = body.controllers.map((each) => each.controller_id);
  const brokers = [...new Set([...leaders, ...controllers])].sort((a, b) => a - b);
  const colors = new Map(brokers.map((id, at) => [id, PALETTE[at % PALETTE.length]]));

  let limit = ROWS_AT_ONCE;
  let shown = [];
  let range = incidentRange();
  const healthyCount = body.partitions.filter(isHealthy).length;
  const showsHealthy = document.getElementById("healthy");
  const filter = document.getElementById("filter");
  showsHealthy.checked = healthyCount === body.partitions.length;

  function wholeRange() {
    const margin = Math.max((last - first) * 0.02, 50);
    return [first - margin, last + margin];
  }

  // Where leaders or replicas moved, or leaders were missed, with what is around it.
  function incidentRange() {
    let low = Infinity, high = -Infinity;
    const take = (from, to) => { low = Math.min(low, from); high = Math.max(high, to); };
    for (const story of body.partitions) {
      for (const each of story.leaderships)
        if (each.reason === "reassignment"
            || (each.reason !== "created" && each.leader !== null && each.before !== null && each.before !== each.leader))
          take(ms(each.since), ms(each.since));
      for (const each of story.leaderless) take(ms(each.start), end(each.end));
      for (const each of story.anomalies) take(ms(each.time), ms(each.time));
    }
    if (low > high) return wholeRange();
    const margin = Math.max((high - low) * 0.1, 1000);
    return [low - margin, high + margin];
  }

  function isrSpans(story) {
    const spans = [];
    for (const each of story.leaderships) {
      const since = ms(each.since);
      each.isr.forEach((change, at) => {
        const begin = at === 0 ? since : Math.max(ms(change.time), since);
        const next = each.isr[at + 1];
        const until = next ? Math.max(ms(next.time), since) : end(each.until);
        const state = change.isr.length >= story.replicas.length ? "whole"
          : change.isr.length === 1 ? "alone" : "smaller";
        spans.push({ begin, until, state, isr: change.isr });
      });
    }
    return spans;
  }

  function bars(title, color, options) {
    return {
      type: "bar", orientation: "h", name: title, base: [], x: [], y: [], text: [],
      customdata: [], hovertext: [], hoverinfo: "text", textposition: "inside",
      insidetextanchor: "middle", textangle: 0, constraintext: "inside", textfont: { size: 11 },
      marker: { color, line: { width: 0.5, color: "#ffffff" } }, ...options,
    };
  }

  // Only what is in the window is drawn: labels stand in the middle of what is seen.
  function add(trace, row, begin, until, label, hover, data) {
    const [low, high] = range;
    if (until < low || begin > high) return false;
    const from = Math.max(begin, low);
    trace.base.push(from);
    trace.x.push(Math.max(Math.min(until, high) - from, 0));
    trace.y.push(row);
    trace.text.push(label);
    trace.hovertext.push(hover);
    trace.customdata.push(data);
    return true;
  }

  function traces() {
    const upper = { width: 0.62, offset: -0.44 };
    const lower = { width: 0.14, offset: 0.23 };
    const led = new Map(brokers.map((id) =>
      [id, bars(`leader ${id}`, colors.get(id), { ...upper, meta: "leader" })]));
    const none = bars("no leader", NO_LEADER, {
      ...upper, meta: "leaderless",
      marker: { color: NO_LEADER, line: { width: 2, color: NO_LEADER } },
    });
    const isr = Object.fromEntries(Object.entries(ISR_COLORS).map(([state, color]) =>
      [state, bars(`ISR ${state}`, color, { ...lower, meta: "isr", marker: { color } })]));
    const terms = bars("controllers", [], {
      width: 0.7, offset: -0.35, meta: "term", marker: { color: [], line: { width: 1, color: "#fff" } },
    });
    const found = {
      type: "scatter", mode: "markers", name: "anomalies", meta: "anomaly", x: [], y: [],
      customdata: [], hovertext: [], hoverinfo: "text",
      marker: { symbol: "diamond", size: 11, color: ANOMALY, line: { width: 1.5, color: "#fff" } },
    };
    body.controllers.forEach((term, at) => {
      const until = at + 1 < body.controllers.length ? ms(body.controllers[at + 1].first) : last;
      const isDrawn = add(terms, 0, ms(term.first), Math.max(until, ms(term.last)),
        String(term.controller_id),
        `controller ${term.controller_id}, epoch ${term.controller_epoch}<br>` +
        `${term.first} to ${term.last}`, { term: at });
      if (isDrawn) terms.marker.color.push(colors.get(term.controller_id));
    });
    shown.forEach((story, at) => {
      const row = at + 1;
      const title = escaped(name(story));
      story.leaderships.forEach((each, number) => {
        if (each.leader === null || each.leader < 0) return;
        const trace = led.get(each.leader);
        add(trace, row, ms(each.since), end(each.until), String(each.leader),
          `<b>${title}</b> led by ${each.leader}, epoch ${brokerName(each.leader_epoch)}<br>` +
          `from ${each.since}${each.until === null ? "" : ` for ${duration(end(each.until) - ms(each.since))}`}` +
          `<br>${escaped(words(each.reason))}`, { row: at, leadership: number });
      });
      story.leaderless.forEach((each, number) => {
        add(none, row, ms(each.start), end(each.end), "none",
          `<b>${title}</b> without a leader for ${least}${duration(end(each.end) - ms(each.start))}` +
          `<br>from ${each.start}`, { row: at, leaderless: number });
      });
      for (const span of isrSpans(story))
        add(isr[span.state], row, span.begin, span.until, "",
          `<b>${title}</b> ISR ${span.isr.join(",")} of ${story.replicas.join(",") || "?"}`,
          { row: at });
      story.anomalies.forEach((each, number) => {
        if (ms(each.time) < range[0] || ms(each.time) > range[1]) return;
        found.x.push(ms(each.time));
        found.y.push(row);
        found.customdata.push({ row: at, anomaly: number });
        found.hovertext.push(`<b>${title}</b> ${escaped(words(each.kind))}<br>${escaped(each.text)}`);
      });
    });
    return [terms, ...led.values(), none, ...Object.values(isr), found];
  }

  function labelText(story, width) {
    const whole = name(story);
    return escaped(whole.length <= width ? whole : `${whole.slice(0, width - 9)}…${whole.slice(-8)}`);
  }

  function layout() {
    const width = window.innerWidth < 640 ? 16 : 30;
    const labels = ["controllers", ...shown.map((story) => labelText(story, width))];
    const longest = Math.max(...shown.map((story) => Math.min(name(story).length, width)), 11);
    const axis = {
      type: "date", range: [...range], showgrid: true, gridcolor: "#e6e9ee", zeroline: false,
      tickfont: { size: 12 }, ticks: "outside", tickcolor: "#b9c1cc", linecolor: "#b9c1cc",
      showspikes: true, spikemode: "across", spikethickness: 1, spikedash: "solid",
      spikecolor: "#8a94a3", spikesnap: "cursor", nticks: window.innerWidth < 640 ? 4 : 10,
      hoverformat: "%H:%M:%S.%L",
    };
    return {
      barmode: "overlay", bargap: 0, showlegend: false, dragmode: "zoom", hovermode: "closest",
      height: EDGE_PIXELS + 12 + labels.length * ROW_PIXELS,
      margin: { l: 14 + longest * 7.1, r: 14, t: EDGE_PIXELS, b: 8, pad: 4 },
      font: { family: 'system-ui, "Segoe UI", "DejaVu Sans", sans-serif', color: INK, size: 12 },
      plot_bgcolor: "#fff", paper_bgcolor: "#fff",
      uniformtext: { minsize: 8, mode: "hide" },
      hoverlabel: { bgcolor: "#fff", bordercolor: "#8a94a3", font: { color: INK, size: 12 }, align: "left" },
      xaxis: { ...axis, side: "top" },
      yaxis: {
        range: [labels.length - 0.5, -0.5], fixedrange: true, zeroline: false, showgrid: false,
        tickvals: labels.map((_, at) => at), ticktext: labels, tickfont: { size: 12 },
      },
      shapes: [{ type: "line", xref: "paper", x0: 0, x1: 1, yref: "y", y0: 0.5, y1: 0.5,
                 line: { color: "#b9c1cc", width: 1 } }],
    };
  }

  function choose() {
    const wanted = filter.value.trim().toLowerCase();
    const chosen = body.partitions.filter((story) =>
      (wanted === "" ? showsHealthy.checked || !isHealthy(story) : name(story).toLowerCase().includes(wanted)));
    shown = chosen.slice(0, limit);
    const left = chosen.length - shown.length;
    document.getElementById("rest").hidden = left === 0;
    document.getElementById("rest-text").textContent = `${counted(left, "partition")} more below these.`;
    document.getElementById("more").textContent = `Show ${Math.min(left, ROWS_AT_ONCE)} more`;
  }

  function draw() {
    choose();
    return Plotly.react(chart, traces(), layout(), {
      responsive: true, displayModeBar: false, scrollZoom: false, doubleClick: false,
    });
  }

  function look(wanted) {
    range = wanted;
    return draw();
  }

  function zoom(factor) {
    const middle = (range[0] + range[1]) / 2;
    const half = Math.max((range[1] - range[0]) * factor / 2, 1);
    return look([middle - half, middle + half]);
  }

  // Plotly gives times as texts without a zone, and means UTC.
  function asMs(time) {
    return typeof time === "number" ? time : Date.parse(String(time).replace(" ", "T") + "Z");
  }

  // Details.

  function element(tag, text, kind) {
    const made = document.createElement(tag);
    if (text !== undefined) made.textContent = text;
    if (kind) made.className = kind;
    return made;
  }

  function facts(pairs) {
    const list = element("dl");
    for (const [term, text] of pairs)
      if (text !== null && text !== "") list.append(element("dt", term), element("dd", text));
    return list;
  }

  function lines(proof) {
    const made = [element("h3", proof.length === 1 ? "The line that tells it" : "The lines that tell it")];
    for (const each of proof)
      made.push(element("p", `source ${each.source}, ${each.file}:${each.line}`, "place"),
        element("pre", `${each.time} ${each.text}`));
    return made;
  }

  function show(...nodes) {
    details.replaceChildren(...nodes);
    details.scrollTop = 0;
  }

  function ofStory(story) {
    return [
      element("h2", name(story)),
      element("p", `replicas ${story.replicas.join(",") || "?"}, ${counted(story.moves, "move")}, ` +
        (story.leaderless.length ? `${least}${duration(story.leaderless_ms)} without a leader`
          : body.has_traces ? "never without a leader" : "not seen without a leader"),
        "dim"),
    ];
  }

  function notTold(story) {
    return story.hidden.length === 0 ? []
      : [element("h3", "Not told"), ...story.hidden.map((each) => element("p", each, "dim"))];
  }

  function tell(data) {
    if (data.term !== undefined) {
      const term = body.controllers[data.term];
      show(element("h2", `Controller ${term.controller_id}`), facts([
        ["epoch", term.controller_epoch], ["first line", term.first], ["last line", term.last],
        ["lines", term.lines.toLocaleString("en")]]),
        ...body.stale_controllers.flatMap((each) => [element("p", each.text, "bad"), ...lines(each.proof)]));
      return;
    }
    const story = shown[data.row];
    if (data.leadership !== undefined) {
      const each = story.leaderships[data.leadership];
      const roles = each.roles.map((role) =>
        `${role.broker} ${role.is_leader ? "leads" : "follows"}` +
        (role.delay_ms === null ? "" : ` after ${duration(Math.max(role.delay_ms, 0))}`));
      show(...ofStory(story), facts([
        ["topic id", story.topic_id], ["gone since", story.ended], ["leader", brokerName(each.leader)], ["before", each.before === null ? "" : brokerName(each.before)],
        ["why", words(each.reason)], ["leader epoch", brokerName(each.leader_epoch)],
        ["from", each.since], ["to", each.until === null ? "the end of the logs" : each.until],
        ["ISR", each.isr.map((change) => change.isr.join(",")).join(" → ") || "?"],
        ["controller", each.controller_id === null ? "?"
          : `${each.controller_id}, epoch ${brokerName(each.controller_epoch)}`],
        ["brokers", roles.join(", ")],
        ["known by", each.is_decided ? "the controller's own line" : "a line of others"],
      ]), ...lines(each.proof), ...notTold(story));
    } else if (data.leaderless !== undefined) {
      const each = story.leaderless[data.leaderless];
      show(...ofStory(story), element("p", "Without a leader", "bad"), facts([
        ["from", each.start], ["to", each.end === null ? "the end of the logs" : each.end],
        ["for", least + duration(end(each.end) - ms(each.start))]]), ...lines([each.proof]), ...notTold(story));
    } else if (data.anomaly !== undefined) {
      const each = story.anomalies[data.anomaly];
      show(...ofStory(story), element("p", words(each.kind), "bad"), element("p", each.text),
        ...lines(each.proof), ...notTold(story));
    } else {
      show(...ofStory(story), element("h3", "ISR"), ...story.leaderships.flatMap((each) =>
        each.isr.map((change) => element("p", `${change.time}  ${change.isr.join(",")}`))), ...notTold(story));
    }
  }

  // The page around it.

  function legend() {
    const list = document.getElementById("legend");
    const entry = (color, text, kind) => {
      const item = element("li");
      const swatch = element("span", undefined, `swatch ${kind || ""}`);
      swatch.style.background = color;
      item.append(swatch, element("span", text));
      list.append(item);
    };
    brokers.slice(0, PALETTE.length).forEach((id) => entry(colors.get(id), `broker ${id}`));
    if (brokers.length > PALETTE.length)
      list.append(element("li", `and ${brokers.length - PALETTE.length} more: by the number in the bar`));
    entry(NO_LEADER, "no leader");
    entry(ISR_COLORS.whole, "ISR whole", "thin");
    entry(ISR_COLORS.smaller, "ISR smaller", "thin");
    entry(ISR_COLORS.alone, "one replica in it", "thin");
    entry(ANOMALY, "anomaly", "diamond");
  }

  function headFacts() {
    const anomalies = body.partitions.reduce((sum, each) => sum + each.anomalies.length, 0);
    const down = body.partitions.filter((each) => each.leaderless.length > 0).length;
    const known = new Set([...brokers, ...body.partitions.flatMap((each) => each.replicas)]);
    const texts = [
      `${body.first} to ${body.last}`, counted(body.partitions.length, "partition"),
      counted(known.size, "broker"), counted(body.controllers.length, "controller term"),
      `${counted(down, "partition")} once without a leader`,
      anomalies === 1 ? "1 anomaly" : `${anomalies.toLocaleString("en")} anomalies`,
    ];
    document.getElementById("facts").textContent = texts.join(" · ");
  }

  function untold() {
    const kinds = Object.entries(body.not_told);
    if (kinds.length > 0) {
      const folded = element("details");
      folded.append(element("summary", "What is not told, as there are no TRACE lines"),
        facts(kinds.map(([kind, text]) => [words(kind), text])));
      details.append(folded);
    }
    for (const each of body.silent_brokers)
      details.append(element("p", `broker ${each.broker}: not a line of it, and ` +
        `${counted(each.partitions, "partition")} that name it`, "dim"));
  }

  legend();
  headFacts();
  untold();
  document.getElementById("healthy-label").hidden = healthyCount === 0;
  document.getElementById("healthy-text").textContent =
    `with ${healthyCount.toLocaleString("en")} that were well throughout`;
  filter.addEventListener("input", () => { limit = ROWS_AT_ONCE; draw(); });
  showsHealthy.addEventListener("change", () => { limit = ROWS_AT_ONCE; draw(); });
  document.getElementById("more").addEventListener("click", () => { limit += ROWS_AT_ONCE; draw(); });
  document.getElementById("incident").addEventListener("click", () => look(incidentRange()));
  document.getElementById("everything").addEventListener("click", () => look(wholeRange()));
  document.getElementById("nearer").addEventListener("click", () => zoom(0.5));
  document.getElementById("farther").addEventListener("click", () => zoom(2));
  draw().then(() => {
    chart.on("plotly_click", (event) => tell(event.points[0].customdata));
    chart.on("plotly_doubleclick", () => look(incidentRange()));
    chart.on("plotly_relayout", (change) => {
      const low = change["xaxis.range[0]"];
      if (low !== undefined) look([asMs(low), asMs(change["xaxis.range[1]"])]);
    });
    document.body.dataset.drawn = "true";
  });
})();
