// Problems, forwards, and the state of the control planes.

import {certificateProblems} from './certs.js';
import {Commands, curl, outrigger} from './command.js';
import {backends, fails, get, isKubernetes, standing, verdict} from './data.js';
import {attr, cells, clock, count, el, figure, glyph, keyed, millis, percent, setGlyph, setState, several, state, table, text, words} from './dom.js';
import {isKept, typeOf} from './resources.js';
import {hourOf, setSpark, spark} from './spark.js';

const SECONDS = 60;
const SLOW_MILLIS = 20_000;
const MAX_RESOURCES = 5; // the number of resources with an error that are listed by name
const [FEW_ERRORS, MANY_ERRORS] = [0.01, 0.5]; // shares of the calls of a minute

/** Returns whether a server is a control plane; for DNS and Kubernetes, the sidecar itself is the server. */
const isControlPlane = ({uri}) => uri !== 'dns' && !uri.startsWith('k8s:');

export class Overview {
  #hours = new Map(); // forward -> the result of hourOf
  #slowReadAt = 0;

  constructor(page) {
    this.page = page;
    this.tiles = el('dl.tiles', {}, [['Backends reachable'], ['Traffic'], ['Control plane'], ['Resources'],
      ['Memory held for peers', 'buffers outside of the heap, and what the last collection of the heap found in use beyond the program\'s own']]
      .map(([name, title = '']) => el('div', {title}, el('dt', {}, name), el('dd.big', {}, '–'), el('dd.quiet'))));
    this.problems = el('ul.card.problems', {'aria-label': 'what fails', hidden: ''});
    this.forwards = el('tbody');
    this.servers = el('tbody');
    this.noForwards = el('p.empty', {hidden: ''}, 'No forwards: start outrigger run with --forward.');
    this.noServers = el('p.empty', {hidden: ''}, 'No control plane is asked: targets come from files, DNS or Kubernetes.');
    this.commands = new Commands();
    this.element = el('div', {},
      this.problems,
      this.tiles,
      section('Forwards', table('forwards', [
        ['name'], ['target'], ['state'], ['requests/s', true], ['errors', true, 'share of the calls of the last minute that did not end with OK'],
        ['p50', true, 'of the calls that ended in the last minute'], ['p99', true, 'of the calls that ended in the last minute'],
        ['active', true], ['last minute'], ['last hour', false, 'requests per second, minute by minute'],
      ], this.forwards), this.noForwards),
      section('Control planes', table('servers', [
        ['server'], ['state'], ['accepted', true], ['refused', true], ['NACKs', true], ['last error'],
      ], this.servers), this.noServers),
      this.commands.element);
    this.commands.set([outrigger('status')], [curl('/forwards'), '/forwards'], [curl('/calls'), '/calls'], [curl('/history'), '/history'], [curl('/xds'), '/xds'], [curl('/memory'), '/memory'],
      [curl('/metrics'), '/metrics']);
  }

  show() {}

  async refresh(forwards, readiness) {
    const [xds, memory, listeners] = await Promise.all([get('/xds'), get('/memory'), this.page.serves ? get('/listeners') : []]);
    await this.#readSlowly(); // from here on, nothing is awaited: the page shows all of this at once, with the header
    const rows = this.#rows(forwards);
    this.noForwards.hidden = rows.length > 0;
    keyed(this.forwards, rows, ({forward}) => forward.name, forwardRow, (row, item) => this.#updateForward(row, item));
    const rates = rows.map(({figures}) => figures?.rate).filter(rate => rate !== null && rate !== undefined);
    this.#showBackends(forwards, readiness);
    const total = part => rows.reduce((sum, {figures}) => sum + (part(figures ?? {}) ?? 0), 0);
    const [ended, failed] = [total(({minute}) => minute?.ended), total(({minute}) => minute?.failed)];
    this.#tile(1, rates.length ? `${figure(rates.reduce((a, b) => a + b, 0))}/s` : '–',
      `${count(total(({active}) => active))} active${failed ? `, ${percent(failed / ended)} failed` : ''}`, failureTone(failed, ended));
    const servers = xds.servers.filter(isControlPlane);
    const asked = servers.filter(server => server.asked);
    const connected = asked.filter(server => server.connected).length;
    this.#tile(2, servers.length ? connected === asked.length ? 'Connected' : 'Not connected' : 'None',
      servers.length ? `${connected} of ${asked.length} in use` : 'none is asked', connected === asked.length ? 'good' : 'bad');
    const refused = xds.resources.filter(each => each.errorState);
    const refusals = refused.map(resourceProblem);
    const stale = xds.resources.filter(each => each.clientStatus === 'STALE').length;
    const awaited = xds.resources.filter(each => each.clientStatus === 'REQUESTED').length;
    this.#tile(3, count(xds.resources.length),
      refused.length ? `${count(refused.length)} with an error` : stale ? `${count(stale)} stale` : awaited ? `${count(awaited)} awaited` : 'none refused',
      refusals.some(({of}) => of === 'bad') ? 'bad' : refused.length || stale ? 'wait' : '');
    this.#showMemory(memory);
    this.page.problems = [
      ...listeners.flatMap(listenerProblems),
      ...refusals.slice(0, MAX_RESOURCES),
      ...refused.length > MAX_RESOURCES ? [{of: 'bad', href: '#resources', text: `${several(refused.length - MAX_RESOURCES, 'further resource')} with an error`}] : [],
      ...asked.filter(server => !server.connected)
        .map(server => ({of: 'bad', href: '#events', text: `control plane ${server.uri}: not connected${server.lastError ? `: ${server.lastError}` : ''}`})),
      ...staleProblems(stale),
    ];
    this.#showProblems(this.problemsOf(forwards));
    this.noServers.hidden = servers.length > 0;
    keyed(this.servers, servers, server => `${server.clientScope ?? ''} ${server.uri}`, serverRow, updateServer);
  }

  #showBackends(forwards, readiness) {
    const {all, reachable} = backends(forwards);
    const {of, note} = verdict(readiness, forwards);
    this.#tile(0, all ? `${count(reachable)} of ${count(all)}` : '–', note, of === 'good' && reachable < all ? 'wait' : of);
  }

  #rows(forwards) {
    return forwards.map(forward => ({forward, figures: this.page.traffic.of(forward.name)}))
      .sort((a, b) => fails(b.forward) - fails(a.forward)); // stable
  }

  /** Returns all problems, the worst first, each with a tone, a text and the address of the view that says more. */
  problemsOf(forwards) {
    const {certificates, traffic, problems = [], policyProblems = []} = this.page;
    return [...this.#rows(forwards).flatMap(forwardProblems), ...problems, ...certificateProblems(certificates, traffic.now()), ...policyProblems]
      .sort((a, b) => (a.of === 'wait') - (b.of === 'wait')); // stable
  }

  #showProblems(problems) {
    this.problems.hidden = !problems.length;
    keyed(this.problems, problems, each => each.text.split(': ')[0], () => el('li', {}, glyph('bad'), el('a')), (item, each) => {
      setGlyph(item.firstChild, each.of);
      attr(item, 'class', each.of);
      attr(item.lastChild, 'href', each.href);
      text(item.lastChild, each.text);
    });
  }

  #showMemory({heap, direct, total, ended}) {
    const share = Math.max(heap.held / heap.limit, direct.held / direct.limit, total.held / total.limit);
    const endedCount = ended.reduce((sum, each) => sum + each.count, 0);
    this.#tile(4, bytes(total.held), `${percent(share)} of the limit${endedCount ? `, ${count(endedCount)} ended for it` : ''}`, share >= 0.85 ? 'bad' : '');
  }

  /** Refreshes data that changes slowly. The empty endpoint name selects the history of clusters only. */
  async #readSlowly() {
    if (Date.now() - this.#slowReadAt < SLOW_MILLIS) return;
    this.#slowReadAt = Date.now();
    this.page.certificates = await get('/certs');
    const {forwards} = await get('/history?endpoint=');
    this.#hours = new Map(forwards.map(each => [each.name, hourOf(each.clusters.map(cluster => cluster.minutes), this.page.traffic.now())]));
  }

  #tile(index, value, note, of = '') {
    const [, big, quiet] = this.tiles.children[index].children;
    text(big, value);
    attr(big, 'class', 'big ' + of);
    text(quiet, note);
    attr(quiet, 'title', note);
  }

  #updateForward(row, {forward, figures}) {
    const [name, target, state, rate, errors, p50, p99, active, minute, hour] = row.children;
    const [link, listen] = name.firstChild.children;
    text(link, forward.name);
    attr(link, 'href', '#tree?' + new URLSearchParams({forward: forward.name}));
    text(listen, forward.listen);
    text(target.firstChild, forward.target);
    attr(target.firstChild, 'title', forward.target);
    const {of, words} = standing(forward);
    setState(state.firstChild.firstChild, forward.state, words, of ?? undefined);
    text(state.firstChild.lastChild, forward.error);
    attr(state.firstChild.lastChild, 'title', forward.error);
    attr(state.firstChild.lastChild, 'class', of ? 'lines-2 error' : 'lines-2 quiet');
    text(rate, figure(figures?.rate));
    text(errors, percent(figures?.errors));
    attr(errors, 'class', 'number' + (figures?.errors > 0 ? ' bad' : ''));
    text(p50, millis(figures?.p50));
    text(p99, millis(figures?.p99));
    text(active, figures ? count(figures.active) : '–');
    setSpark(minute.firstChild, this.page.traffic.series(forward.name), SECONDS, 'requests per second over the last minute');
    const hours = this.#hours.get(forward.name);
    if (hours) setSpark(hour.firstChild, hours, hours.length, 'requests per second over the last hour');
  }
}

/** Returns the tone of a minute's calls; empty if few of them failed. */
function failureTone(failed, ended) {
  return failed > FEW_ERRORS * ended ? failed >= MANY_ERRORS * ended ? 'bad' : 'wait' : '';
}

/** Returns the problems of a forward: it fails or waits, endpoints cannot be reached, or calls fail. */
function forwardProblems({forward, figures}) {
  const href = isKubernetes(forward) ? '#kubernetes' : '#tree?' + new URLSearchParams({forward: forward.name});
  const problem = (of, what) => ({of, href, text: `forward ${forward.name}: ${what}`});
  if (fails(forward)) return [problem('bad', `${standing(forward).words}: ${forward.error}`)];
  if (forward.state === 'WAITING' && forward.error) return [problem('wait', forward.error)];
  const {all, reachable} = backends([forward]);
  const {ended, failed} = figures?.minute ?? {};
  return [
    failureTone(failed, ended) ? problem(failureTone(failed, ended), `${count(failed)} of ${several(ended, 'call')} of the last minute failed, ${percent(failed / ended)}`) : null,
    reachable < all ? problem('wait', `${count(reachable)} of ${several(all, 'endpoint')} reachable, the others fail or are ejected`) : null,
  ].filter(Boolean);
}

function listenerProblems({name, state, error}) {
  return error ? [{of: state === 'WAITING' ? 'wait' : 'bad', href: '#serving', text: `serve ${name}: ${words(state)}: ${error}`}] : [];
}

function resourceProblem(resource) {
  const {name, typeUrl, clientStatus, versionInfo, errorState} = resource;
  const kept = isKept(resource);
  const refused = clientStatus === 'NACKED' ? `version ${errorState.versionInfo} is refused, ` : 'version ';
  return {
    of: kept ? 'wait' : 'bad', href: '#resources?' + new URLSearchParams({type: typeOf(resource), name}),
    text: `${typeUrl.split('.').pop()} ${name}: ${kept ? `${refused}${versionInfo} stays in use: ` : ''}${errorState.details}`,
  };
}

function staleProblems(stale) {
  return stale ? [{of: 'wait', href: '#resources', text: `${several(stale, 'resource')} STALE: saved by an earlier process; no control plane has answered`}] : [];
}

function section(title, ...content) {
  return el('section', {'aria-label': title}, el('h3', {}, title), el('div.card', {}, content));
}

function forwardRow() {
  return cells(['name', el('div', {}, el('a.name.clip'), el('code.quiet.clip'))], ['target', el('code.clip')],
    ['state', el('div', {}, state('WAITING'), el('div.error'))], ['requests/s', '', true], ['errors', '', true], ['p50', '', true],
    ['p99', '', true], ['active', '', true], ['last minute', spark()], ['last hour', spark()]);
}

function bytes(value) {
  return value >= 1 << 20 ? `${(value / (1 << 20)).toFixed(1)} MiB` : `${Math.round(value / 1024)} KiB`;
}

function serverRow() {
  return cells(['server', el('div', {}, el('code.clip'), el('div.quiet.clip'))], ['state', state('IDLE')], ['accepted', '', true],
    ['refused', '', true], ['NACKs', '', true], ['last error', el('span.lines-2')]);
}

function updateServer(row, server) {
  const [name, standing, valid, invalid, nacks, error] = row.children;
  text(name.firstChild.firstChild, server.uri);
  attr(name.firstChild.firstChild, 'title', server.uri);
  text(name.firstChild.lastChild, server.clientScope);
  if (server.connected) setState(standing.firstChild, 'CONNECTED');
  else if (!server.asked) setState(standing.firstChild, 'STANDBY');
  else setState(standing.firstChild, 'ERROR', 'not connected');
  text(valid, count(server.valid));
  text(invalid, count(server.invalid));
  attr(invalid, 'class', 'number' + (server.invalid ? ' bad' : ''));
  text(nacks, count(server.nacks));
  const words = server.lastError ? `${clock(server.lastErrorAt)} ${server.lastError}` : '';
  text(error.firstChild, words);
  attr(error.firstChild, 'title', words);
  attr(error.firstChild, 'class', server.connected ? 'lines-2 quiet' : 'lines-2 error');
}
