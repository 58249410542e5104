// The answers of the admin server, and rates from the difference of two answers.

import {count, several} from './dom.js';

const MAX_ANSWERS = 61; // answers of /calls, one a second
const RECENT_MILLIS = 5_000; // the period of a rate: short enough to show changes, long enough to be steady

export class Refused extends Error {
  constructor(path, status, body) {
    super(body.trim() || `${path} answered ${status}`);
    this.status = status;
  }
}

/** Returns the JSON of the answer. Throws Refused with the server's text, or a network error when the server does not answer. */
export async function get(path) {
  const response = await fetch(path, {cache: 'no-store', signal: AbortSignal.timeout(10_000)});
  if (!response.ok) throw new Refused(path, response.status, await response.text());
  return response.json();
}

/** Returns whether the sidecar is ready, and the reasons if it is not ready. */
export async function readiness() {
  const response = await fetch('/ready', {cache: 'no-store', signal: AbortSignal.timeout(10_000)});
  return {ready: response.ok, reason: (await response.text()).trim()};
}

/** Returns the number of backends of the forwards, and the number of reachable backends. */
export function backends(forwards) {
  const sum = name => forwards.reduce((all, forward) => all + forward[name], 0);
  return {all: sum('endpoints'), reachable: sum('endpoints') - sum('failing')};
}

/** Returns whether the target of a forward is a Kubernetes Service. */
export function isKubernetes({target}) {
  return target.startsWith('k8s:');
}

/** Returns whether calls of a forward fail: all calls, or the calls to one of its clusters. */
export function fails(forward) {
  return forward.state === 'ERROR' || (forward.state === 'READY' && Boolean(forward.error));
}

/** Returns the state of a forward as words and a tone. A configured forward may still have no reachable backend. */
export function standing(forward) {
  const {all, reachable} = backends([forward]);
  return {
    of: fails(forward) ? 'bad' : null,
    words: forward.state.toLowerCase() + (all ? `, ${count(reachable)} of ${count(all)} reachable` : ''),
  };
}

/** Returns the state of the sidecar as words and a tone, with and without the failing parts. The tone is good only without problems. */
export function verdict(readiness, forwards, problems = []) {
  const {all, reachable} = backends(forwards);
  const failing = forwards.filter(fails).length;
  const draining = forwards.find(forward => forward.state === 'DRAINING');
  const word = draining ? 'draining' : readiness.ready ? 'ready' : 'not ready';
  const note = draining ? draining.error : readiness.ready ? `ready, ${several(forwards.length, 'forward')} configured` : `not ready: ${readiness.reason}`;
  if (all && !reachable) return {of: 'bad', words: `${word}, 0 of ${count(all)} backends reachable`, note};
  if (failing) return {of: 'bad', words: `${word}, failures in ${failing} of ${several(forwards.length, 'forward')}`, note};
  const of = draining ? 'aside' : readiness.ready ? 'good' : 'wait';
  const isBad = problems.some(problem => problem.of === 'bad');
  return {of: isBad ? 'bad' : problems.length && of === 'good' ? 'wait' : of, words: problems.length ? `${word}, ${several(problems.length, 'problem')}` : word, note};
}

function failures(forward) {
  const grpc = Object.entries(forward.grpc_status).reduce((sum, [code, n]) => code === 'OK' ? sum : sum + n, 0);
  return grpc + (forward.http_status['5xx'] ?? 0);
}

/** The answers of /calls in the last minute. */
export class Traffic {
  #answers = []; // {at, forwards: Map of name -> counters}
  skew = 0; // how many milliseconds the sidecar's clock is ahead of the browser's clock

  /** Adds an answer; returns whether the answer came from a new process. */
  add(answer, now = Date.now()) {
    const at = Date.parse(answer.time);
    this.skew = at - now;
    const forwards = new Map(answer.forwards.map(each => [each.name, {...each, failed: failures(each)}]));
    const last = this.#answers.at(-1);
    const restarted = Boolean(last) && last.since !== answer.since;
    if (restarted || (last && at - last.at > 30_000)) this.#answers = []; // another process, or the page slept
    this.#answers.push({at, since: answer.since, forwards});
    if (this.#answers.length > MAX_ANSWERS) this.#answers.shift();
    return restarted;
  }

  /** Returns the time of the sidecar's clock. */
  now() {
    return Date.now() + this.skew;
  }

  #since(millis) {
    const from = this.#answers.at(-1).at - millis - 250;
    return this.#answers.find(each => each.at >= from);
  }

  /** Returns the figures of a forward; a figure that needs two answers is null after the first answer. */
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

  /** Returns pairs of requests and failures per second, one pair for each known second, the oldest first. */
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

/** Calls per second to each endpoint, from the totals in /lb; smoothed, so that lines do not flicker. */
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
      const share = old && seconds > 0 ? Math.min(1, seconds * (ended ? 0.5 : 0.8)) : 0; // a rate falls faster after the last call
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

/** Returns the state that decides about calls: an ejection or the health overrides the state of the connection. */
export function endpointState(endpoint) {
  if (endpoint.ejected) return 'EJECTED';
  return ['DRAINING', 'UNHEALTHY'].includes(endpoint.health) ? endpoint.health : endpoint.state;
}

/** Returns the name of a locality or of a tree's node for people, without empty parts at its end. */
export const placeName = name => name === '//' ? '' : name?.replace(/^([^/]+\/[^/]+)\/$/, '$1');
