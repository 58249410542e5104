// The details of one node of the tree, or of one endpoint: state, settings, and decisions with their reasons.

import {endpointState, get, placeName, walk} from './data.js';
import {attr, clock, count, date, el, figure, keyed, millis, percent, setState, several, state, text, validity, words} from './dom.js';
import {patched} from './overlay.js';
import {hourOf, setSpark, spark} from './spark.js';

const MAX_DECISIONS = 8;
const HISTORY_MILLIS = 5_000;

export class Detail {
  #endpoint = null; // the address whose history is shown
  #about = null; // the endpoint or cluster whose last hour is shown
  #readAt = 0;
  #localText = '[]';

  constructor(page) {
    this.page = page;
    this.title = el('h3.clip');
    this.kind = el('p.quiet.clip');
    this.mark = state('IDLE');
    this.reason = el('p.reason');
    this.facts = el('dl.facts');
    this.local = el('div.local', {hidden: ''});
    this.past = el('ol.past');
    this.pastTitle = el('h4', {}, 'Decisions of outlier detection');
    this.hour = el('div.hour', {hidden: ''}, el('h4', {}, 'Requests/s, the last hour'), spark(), el('p.quiet'));
    this.newsTitle = el('h4', {}, 'Latest events');
    this.news = el('ol.past');
    this.none = el('p.quiet', {}, 'Choose a policy or an endpoint to see its settings, its figures, its past and the reason for its state.');
    this.some = el('div', {hidden: ''}, this.title, this.kind, this.mark, this.reason, this.facts, this.local, this.hour, this.pastTitle, this.past, this.newsTitle, this.news);
    this.element = el('aside.detail', {'aria-label': 'detail', tabindex: '-1'}, this.none, this.some);
  }

  /** @param shown null, `{node, box}` or `{endpoint, countdown}` */
  set(shown) {
    this.none.hidden = Boolean(shown);
    this.some.hidden = !shown;
    const address = shown?.endpoint?.address ?? null;
    if (address !== this.#endpoint) {
      this.#endpoint = address;
      this.#readAt = 0;
      keyed(this.past, [], null, null, null);
    }
    const about = shown?.node?.name ?? address;
    if (about !== this.#about) {
      this.#about = about;
      this.#readAt = 0;
      this.hour.hidden = true;
    }
    this.pastTitle.hidden = !address;
    this.#setLocal(localOf(shown?.box) ?? []);
    this.#setNews(address ?? shown?.node?.name);
    if (shown?.node) this.#setNode(shown);
    if (shown?.endpoint) this.#setEndpoint(shown);
  }

  /** Shows the values of a cluster that local policy has set. */
  #setLocal(values) {
    const next = JSON.stringify(values);
    if (next === this.#localText) return;
    this.#localText = next;
    this.local.hidden = !values.length;
    this.local.replaceChildren(el('h4', {}, 'Set by local policy'), patched(values), el('p.quiet', {}, 'All else is from the control plane.'));
  }

  #setNews(subject) {
    const found = this.page.events.all.filter(event => event.subject === subject).slice(-MAX_DECISIONS).reverse();
    this.newsTitle.hidden = !found.length;
    keyed(this.news, found, event => event.place,
      event => el('li', {}, el('time.quiet', {datetime: event.time}, clock(event.time)), ` ${words(event.kind)}: ${event.message}`), () => {});
  }

  #setNode({node, box}) {
    const local = new Set((localOf(box) ?? []).map(({field}) => field.slice(field.lastIndexOf('.') + 1)));
    text(this.title, placeName(node.name) || 'no locality');
    text(this.kind, node.policy);
    setState(this.mark, node.state);
    text(this.reason, node.detail);
    setFacts(this.facts, [
      ['calls', `${figure(node.rate)}/s, ${figure(node.failing)}/s failing`],
      ['in use', box.used ? 'yes' : 'no: its parent gives its calls to another'],
      ...(node.policy === 'priority' ? node.children.map(child => [child.name, words(child.state)]) : []),
      ...Object.entries(node.config).flatMap(([name, value]) => settings(name, value, local.has(name) ? 'patched' : null)),
    ]);
  }

  #setEndpoint({endpoint, countdown}) {
    const standing = endpointState(endpoint);
    text(this.title, endpoint.address);
    text(this.kind, placeName(endpoint.locality));
    setState(this.mark, standing);
    const {ejected} = endpoint;
    text(this.reason, ejected
      ? `Ejected by ${words(ejected.by)} at ${clock(ejected.since)}, ${countdown}; the ${ordinal(ejected.times)} in a row.`
      : standing === 'TRANSIENT_FAILURE' ? 'It cannot be connected to; the next attempt follows a back-off.'
      : ['DRAINING', 'UNHEALTHY'].includes(standing) ? 'It is marked as not to be used.' : '');
    setFacts(this.facts, [
      ['connection', ejected ? 'not used while ejected' : words(endpoint.state)],
      ...security(endpoint, this.page.traffic.now()),
      ['health', words(endpoint.health)],
      ['weight', count(endpoint.weight)],
      ['active requests', count(endpoint.active_requests)],
      ['calls', `${figure(endpoint.rate)}/s, ${figure(endpoint.failing)}/s failing`],
      ['since the start', `${count(endpoint.total.success)} ok, ${count(endpoint.total.failure)} failed`],
      ['last interval', `${endpoint.last_interval.success} ok, ${endpoint.last_interval.failure} failed`],
    ]);
  }

  /** Reads the history of the shown endpoint or cluster. */
  async refresh(forward, now = false) {
    const about = this.#about;
    if (!about || (!now && Date.now() - this.#readAt < HISTORY_MILLIS)) return;
    this.#readAt = Date.now();
    await Promise.all([this.#readHour(forward, about), this.#readDecisions(forward)]);
  }

  async #readHour(forward, about) {
    const of = this.#endpoint ? {endpoint: about} : {cluster: about, endpoint: ''};
    const answer = await get('/history?' + new URLSearchParams({forward, ...of}));
    if (about !== this.#about) return;
    const {clusters} = answer.forwards.find(each => each.name === forward) ?? {clusters: []};
    const lists = clusters.flatMap(cluster => this.#endpoint ? cluster.endpoints : [cluster]).map(each => each.minutes);
    const last = lists.flat().at(-1);
    this.hour.hidden = !last;
    if (!last) return;
    const hour = hourOf(lists, this.page.traffic.now());
    setSpark(this.hour.children[1], hour, hour.length, 'requests per second over the last hour');
    text(this.hour.children[2], `In the minute from ${clock(last.time)}: ${several(last.requests, 'call')}, ${count(last.errors)} failed, p50 ${millis(last.p50_ms * 1000)}, p99 ${millis(last.p99_ms * 1000)}`);
  }

  async #readDecisions(forward) {
    const address = this.#endpoint;
    if (!address) return;
    const answer = await get('/lb?' + new URLSearchParams({forward, detail: 'full'}));
    let history = [];
    if (answer.forwards[0].root) {
      walk(answer.forwards[0].root, '', each => { if (each.address === address) history = each.history; });
    }
    if (address !== this.#endpoint) return;
    text(this.pastTitle, history.length ? 'Decisions of outlier detection' : 'Outlier detection has decided nothing here');
    keyed(this.past, [...history].reverse(), (event, i) => event.time + event.kind + (history.length - i),
      event => el('li', {}, el('time.quiet', {datetime: event.time}, clock(event.time)), ' ', decision(event)), () => {});
  }
}

/** Returns the values that local policy has set for the cluster in a box; undefined without such values. */
function localOf(box) {
  return box?.rows.find(({node}) => node?.overlay)?.node.overlay;
}

function settings(name, value, of) {
  if (value && typeof value === 'object' && !Array.isArray(value)) {
    return Object.entries(value).map(([key, each]) => [`${words(name)}: ${key}`, plain(each), of]);
  }
  return [[words(name), Array.isArray(value) ? value.join(', ') || 'none' : plain(value), of]];
}

/** Returns PT1M30S, as the admin server writes a duration, as 1m 30s, and the largest uint32 as no limit; others as they are. */
function plain(value) {
  if (value === 0xffff_ffff) return 'no limit';
  return /^PT\d/.test(value) ? value.slice(2).replace(/[HM](?=\d)/g, '$& ').toLowerCase() : String(value);
}

/** Returns the TLS of an endpoint's connections; nothing without a connection. */
function security({tls, state}, now) {
  if (!tls) return state === 'READY' ? [['security', 'none, plain text']] : [];
  const valid = validity(tls.peer_expires, now);
  return [
    ['security', tls.protocol.replace('TLSv', 'TLS ')],
    ['cipher', tls.cipher],
    ['peer', tls.peer],
    ['its certificate', `until ${date(tls.peer_expires)}, ${valid.words}`, valid.of === 'bad' ? 'bad' : null],
  ];
}

/** @param pairs of a name and a value, and the tone of a value that stands out */
export function setFacts(list, pairs) {
  keyed(list, pairs, ([name]) => name, () => el('div', {}, el('dt'), el('dd')), (row, [name, value, of]) => {
    text(row.firstChild, name);
    text(row.lastChild, value);
    attr(row.lastChild, 'class', of);
  });
}

function ordinal(n) {
  return n + (['st', 'nd', 'rd'][(n % 100 - n % 10 === 10 ? 0 : n % 10) - 1] ?? 'th');
}

/** Returns a decision of outlier detection with its numbers. */
export function decision(event) {
  if (event.kind === 'uneject') return `Gets calls again: ${event.reason}.`;
  const evidence = event.by === 'success_rate'
    ? `success rate ${event.success_rate.toFixed(3)} < ${event.threshold.toFixed(3)} (mean ${event.mean.toFixed(3)}, deviation ${event.standard_deviation.toFixed(3)})`
    : `failure percentage ${percent(event.failure_percentage / 100)} > ${event.threshold} %`;
  const seen = `${evidence}, ${count(event.volume)} calls, ${event.hosts} endpoints compared`;
  return event.kind === 'eject'
    ? `Ejected until ${clock(event.until)}: ${seen}; ${event.after.ejected} of ${event.after.total} are ejected now.`
    : `Spared by ${words(event.reason)}: ${seen}; ${event.share.ejected} of ${event.share.total} are ejected.`;
}
