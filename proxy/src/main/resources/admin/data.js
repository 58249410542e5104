// What the admin server says, and the figures that follow from two of its answers.

import {count, several} from './dom.js';

const KEPT = 61; // answers of /calls, one a second
const RECENT_MILLIS = 5_000; // over which rates are taken: short enough to follow, long enough to be calm

export class Refused extends Error {
  constructor(path, status, body) {
    super(body.trim() || `${path} answered ${status}`);
    this.status = status;
  }
}

/** The answer's JSON, or Refused with the server's own words; a network error when it is not there. */
export async function get(path) {
  const response = await fetch(path, {cache: 'no-store', signal: AbortSignal.timeout(10_000)});
  if (!response.ok) throw new Refused(path, response.status, await response.text());
  return response.json();
}

/** Whether the sidecar is ready, and why not. */
export async function readiness() {
  const response = await fetch('/ready', {cache: 'no-store', signal: AbortSignal.timeout(10_000)});
  return {ready: response.ok, reason: (await response.text()).trim()};
}

/** How many backends the forwards have, and how many of them can be reached. */
export function backends(forwards) {
  const sum = name => forwards.reduce((all, forward) => all + forward[name], 0);
  return {all: sum('endpoints'), reachable: sum('endpoints') - sum('failing')};
}

/** Whether the endpoints of a forward are those of a service of Kubernetes. */
export function isKubernetes({target}) {
  return target.startsWith('k8s:');
}

/** Whether the calls of a forward fail: as a whole, or those to one of its clusters. */
export function fails(forward) {
  return forward.state === 'ERROR' || (forward.state === 'READY' && Boolean(forward.error));
}

/** How a forward stands, as words and a tone: configured is not the same as reachable. */
export function standing(forward) {
  const {all, reachable} = backends([forward]);
  return {
    of: fails(forward) ? 'bad' : null,
    words: forward.state.toLowerCase() + (all ? `, ${count(reachable)} of ${count(all)} reachable` : ''),
  };
}

/** How the sidecar stands, as words and a tone that is good only without problems; and the same without what fails. */
export function verdict(readiness, forwards, problems = []) {
  const {all, reachable} = backends(forwards);
  const failing = forwards.filter(fails).length;
  const draining = forwards.find(forward => forward.state === 'DRAINING');
  const word = draining ? 'draining' : readiness.ready ? 'ready' : 'not ready';
  const note = draining ? draining.error : readiness.ready ? `ready, ${several(forwards.length, 'forward')} configured` : `not ready: ${readiness.reason}`;
  if (all && !reachable) return {of: 'bad', words: `${word}, 0 of ${count(all)} backends reachable`, note};
  if (failing) return {of: 'bad', words: `${word}, ${failing} of ${several(forwards.length, 'forward')} failing`, note};
  const of = draining ? 'aside' : readiness.ready ? 'good' : 'wait';
  const isBad = problems.some(problem => problem.of === 'bad');
  return {of: isBad ? 'bad' : problems.length && of === 'good' ? 'wait' : of, words: problems.length ? `${word}, ${several(problems.length, 'problem')}` : word, note};
}

function failures(forward) {
  const grpc = Object.entries(forward.grpc_status).reduce((sum, [code, n]) => code === 'OK' ? sum : sum + n, 0);
  return grpc + (forward.http_status['5xx'] ?? 0);
}

/** The last minute of /calls. */
export class Traffic {
  #answers = []; // {at, forwards: Map of name -> counters}
  skew = 0; // milliseconds that the sidecar's clock is ahead of ours

  /** Whether another process answered than before. */
  add(answer, now = Date.now()) {
    const at = Date.parse(answer.time);
    this.skew = at - now;
    const forwards = new Map(answer.forwards.map(each => [each.name, {...each, failed: failures(each)}]));
    const last = this.#answers.at(-1);
    const restarted = Boolean(last) && last.since !== answer.since;
    if (restarted || (last && at - last.at > 30_000)) this.#answers = []; // another process, or the page slept
    this.#answers.push({at, since: answer.since, forwards});
    if (this.#answers.length > KEPT) this.#answers.shift();
    return restarted;
  }

  /** The sidecar's clock. */
  now() {
    return Date.now() + this.skew;
  }

  #since(millis) {
    const from = this.#answers.at(-1).at - millis - 250;
    return this.#answers.find(each => each.at >= from);
  }

  /** Figures of a forward; null where one answer is all there is. */
  of(name) {
    const last = this.#answers.at(-1)?.forwards.get(name);
    if (!last) return null;
    const recent = this.#span(name, this.#since(RECENT_MILLIS));
    const minute = this.#span(name, this.#answers[0]);
    const durations = minute && difference(last.durations, minute.first.durations);
    return {
      active: last.active, queued: last.queued, connections: last.connections, total: last.ended, failed: last.failed,
      local: last.local,
      rate: recent && recent.ended / recent.seconds,
      errors: minute && (minute.ended ? minute.failed / minute.ended : null),
      minute: minute && {ended: minute.ended, failed: minute.failed},
      p50: durations && quantile(durations, 0.5),
      p99: durations && quantile(durations, 0.99),
    };
  }

  #span(name, from) {
    const to = this.#answers.at(-1);
    const first = from.forwards.get(name);
    if (from === to || !first) return null;
    const last = to.forwards.get(name);
    return {first, seconds: (to.at - from.at) / 1000, ended: last.ended - first.ended, failed: last.failed - first.failed};
  }

  /** Requests and failures per second, one pair for each second that is known, oldest first. */
  series(name) {
    const pairs = [];
    for (let i = 1; i < this.#answers.length; i++) {
      const [a, b] = [this.#answers[i - 1], this.#answers[i]];
      const [from, to] = [a.forwards.get(name), b.forwards.get(name)];
      const seconds = (b.at - a.at) / 1000;
      if (from && to && seconds > 0) pairs.push([(to.ended - from.ended) / seconds, (to.failed - from.failed) / seconds]);
    }
    return pairs;
  }
}

function difference(now, before) {
  const earlier = new Map(before);
  return now.map(([micros, n]) => [micros, n - (earlier.get(micros) ?? 0)]).filter(([, n]) => n > 0);
}

function quantile(durations, share) {
  const all = durations.reduce((sum, [, n]) => sum + n, 0);
  let rank = Math.max(1, Math.ceil(share * all));
  for (const [micros, n] of durations) {
    rank -= n;
    if (rank <= 0) return micros;
  }
  return null;
}

/** Calls per second to each endpoint, from the totals that /lb gives; smoothed, so that lines do not flicker. */
export class EndpointRates {
  #before = new Map();
  #at = 0;

  /** Sets `rate` and `failing` (per second) on every endpoint below `root`. */
  apply(root, now = performance.now()) {
    const seconds = this.#at ? (now - this.#at) / 1000 : 0;
    const next = new Map();
    walk(root, '', (endpoint, path) => {
      const id = path + endpoint.address;
      const {success, failure} = endpoint.total ?? {success: 0, failure: 0};
      const old = this.#before.get(id);
      const ended = old ? Math.max(0, success + failure - old.ended) : 0;
      const failed = old ? Math.max(0, failure - old.failed) : 0;
      const share = old && seconds > 0 ? Math.min(1, seconds * (ended ? 0.5 : 0.8)) : 0; // what has ended is soon gone
      endpoint.rate = old ? old.rate + share * (ended / Math.max(seconds, 0.1) - old.rate) : 0;
      endpoint.failing = old ? old.failing + share * (failed / Math.max(seconds, 0.1) - old.failing) : 0;
      if (endpoint.rate < 0.05) endpoint.rate = 0;
      if (endpoint.failing < 0.05) endpoint.failing = 0;
      next.set(id, {ended: success + failure, failed: failure, rate: endpoint.rate, failing: endpoint.failing});
    });
    this.#before = next;
    this.#at = now;
  }
}

export function walk(node, path, visit) {
  for (const endpoint of node.endpoints) visit(endpoint, path);
  node.children.forEach(child => walk(child, path + child.name + '\u0001', visit));
}

/** The state that counts for calls: being ejected or left out matters more than the connection. */
export function endpointState(endpoint) {
  if (endpoint.ejected) return 'EJECTED';
  return ['DRAINING', 'UNHEALTHY'].includes(endpoint.health) ? endpoint.health : endpoint.state;
}

/** A locality, or the name of a node of a tree, for people: without parts at its end that are not set. */
export const placeName = name => name === '//' ? '' : name?.replace(/^([^/]+\/[^/]+)\/$/, '$1');
