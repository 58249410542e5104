// Each forward on a line, and how the sidecar stands with its control planes.

import {Commands, curl, outrigger} from './command.js';
import {get} from './data.js';
import {attr, clock, count, el, figure, keyed, millis, percent, setState, several, state, svg, text} from './dom.js';

const SECONDS = 60;
const [WIDE, HIGH] = [150, 28];

export class Overview {
  constructor(page) {
    this.page = page;
    this.tiles = el('dl.tiles', {}, ['Readiness', 'Traffic', 'Control plane', 'Resources']
      .map(name => el('div', {}, el('dt', {}, name), el('dd.big', {}, '–'), el('dd.quiet'))));
    this.forwards = el('tbody');
    this.servers = el('tbody');
    this.noForwards = el('p.empty', {hidden: ''}, 'No forwards: start outrigger run with --forward.');
    this.noServers = el('p.empty', {hidden: ''}, 'No control plane: resources come from files.');
    this.commands = new Commands();
    this.element = el('div', {},
      this.tiles,
      section('Forwards', table('forwards', [
        ['name'], ['target'], ['state'], ['requests/s', true], ['errors', true, 'share of the calls of the last minute that did not end with OK'],
        ['p50', true, 'of the calls that ended in the last minute'], ['p99', true, 'of the calls that ended in the last minute'],
        ['active', true], ['last minute'],
      ], this.forwards), this.noForwards),
      section('Control planes', table('servers', [
        ['server'], ['state'], ['use'], ['accepted', true], ['refused', true], ['NACKs', true], ['last error'],
      ], this.servers), this.noServers),
      this.commands.element);
    this.commands.set([outrigger('status')], [curl('/forwards'), '/forwards'], [curl('/calls'), '/calls'], [curl('/xds'), '/xds'],
      [curl('/metrics'), '/metrics']);
  }

  show() {}

  async refresh(forwards, readiness) {
    const {traffic} = this.page;
    const rows = forwards.map(forward => ({forward, figures: traffic.of(forward.name)}));
    this.noForwards.hidden = rows.length > 0;
    keyed(this.forwards, rows, ({forward}) => forward.name, forwardRow, (row, item) => this.#updateForward(row, item));
    const rates = rows.map(({figures}) => figures?.rate).filter(rate => rate !== null && rate !== undefined);
    this.#tile(0, readiness.ready ? 'Ready' : 'Not ready', readiness.ready ? several(forwards.length, 'forward') : readiness.reason, readiness.ready ? 'good' : 'bad');
    this.#tile(1, rates.length ? `${figure(rates.reduce((a, b) => a + b, 0))}/s` : '–', `${count(rows.reduce((sum, {figures}) => sum + (figures?.active ?? 0), 0))} active`);
    const xds = await get('/xds');
    const asked = xds.servers.filter(server => server.use !== 'standby');
    const connected = asked.filter(server => server.connected).length;
    this.#tile(2, xds.servers.length ? connected === asked.length ? 'Connected' : 'Not connected' : 'Files',
      xds.servers.length ? `${connected} of ${asked.length} in use` : 'no control plane', connected === asked.length ? 'good' : 'bad');
    const refused = xds.resources.filter(each => each.errorState).length;
    this.#tile(3, count(xds.resources.length), refused ? `${count(refused)} with an error` : 'none refused', refused ? 'bad' : '');
    this.noServers.hidden = xds.servers.length > 0;
    keyed(this.servers, xds.servers, server => `${server.clientScope ?? ''} ${server.uri}`, serverRow, updateServer);
  }

  #tile(index, value, note, of = '') {
    const [, big, quiet] = this.tiles.children[index].children;
    text(big, value);
    attr(big, 'class', 'big ' + of);
    text(quiet, note);
    attr(quiet, 'title', note);
  }

  #updateForward(row, {forward, figures}) {
    const [name, target, standing, rate, errors, p50, p99, active, spark] = row.children;
    const [link, listen] = name.firstChild.children;
    text(link, forward.name);
    attr(link, 'href', '#tree?' + new URLSearchParams({forward: forward.name}));
    text(listen, forward.listen);
    text(target.firstChild, forward.target);
    attr(target.firstChild, 'title', forward.target);
    setState(standing.firstChild.firstChild, forward.state);
    text(standing.firstChild.lastChild, forward.error);
    text(rate, figure(figures?.rate));
    text(errors, percent(figures?.errors));
    attr(errors, 'class', 'number' + (figures?.errors > 0 ? ' bad' : ''));
    text(p50, millis(figures?.p50));
    text(p99, millis(figures?.p99));
    text(active, figures ? count(figures.active) : '–');
    updateSpark(spark.firstChild, this.page.traffic.series(forward.name));
  }
}

function section(title, ...content) {
  return el('section', {'aria-label': title}, el('h3', {}, title), el('div.card', {}, content));
}

/** A table that turns into blocks where it is narrow; the roles hold it together for screen readers. */
function table(kind, columns, body) {
  body.setAttribute('role', 'rowgroup');
  return el('table.' + kind, {role: 'table'}, el('thead', {role: 'rowgroup'}, el('tr', {role: 'row'},
    columns.map(([name, numeric, title]) => el(numeric ? 'th.number' : 'th', {scope: 'col', role: 'columnheader', title}, name)))), body);
}

function cells(...contents) {
  return el('tr', {role: 'row'}, contents.map(([label, content, numeric]) =>
    el(numeric ? 'td.number' : 'td', {role: 'cell', 'data-label': label}, content)));
}

function forwardRow() {
  return cells(['name', el('div', {}, el('a.name.clip'), el('code.quiet.clip'))], ['target', el('code.clip')],
    ['state', el('div', {}, state('WAITING'), el('div.error'))], ['requests/s', '', true], ['errors', '', true], ['p50', '', true],
    ['p99', '', true], ['active', '', true], ['last minute', sparkline()]);
}

function sparkline() {
  return svg('svg', {class: 'spark', viewBox: `0 0 ${WIDE} ${HIGH}`, preserveAspectRatio: 'none', role: 'img', 'aria-label': 'requests per second'},
    svg('path', {class: 'all'}), svg('path', {class: 'failed'}));
}

function updateSpark(spark, series) {
  const most = 1.2 * Math.max(1, ...series.map(([all]) => all));
  const x = i => ((SECONDS - series.length + i) / (SECONDS - 1) * WIDE).toFixed(1);
  const y = value => (HIGH - 2 - value / most * (HIGH - 4)).toFixed(1);
  const line = of => series.map((pair, i) => `${i ? 'L' : 'M'}${x(i)} ${y(pair[of])}`).join('');
  const failing = series.some(([, failed]) => failed > 0);
  attr(spark.firstChild, 'd', line(0));
  attr(spark.lastChild, 'd', failing ? `${line(1)}L${x(series.length - 1)} ${HIGH}L${x(0)} ${HIGH}z` : '');
  attr(spark, 'aria-label', `requests per second over the last minute, at most ${figure(Math.max(0, ...series.map(([all]) => all)))}`);
}

function serverRow() {
  return cells(['server', el('div', {}, el('code.clip'), el('div.quiet.clip'))], ['state', state('IDLE')], ['use', ''], ['accepted', '', true],
    ['refused', '', true], ['NACKs', '', true], ['last error', el('span.lines-2')]);
}

function updateServer(row, server) {
  const [name, standing, use, valid, invalid, nacks, error] = row.children;
  text(name.firstChild.firstChild, server.uri);
  text(name.firstChild.lastChild, server.clientScope);
  if (server.connected) setState(standing.firstChild, 'CONNECTED');
  else if (server.use === 'standby') setState(standing.firstChild, 'STANDBY');
  else setState(standing.firstChild, 'ERROR', 'not connected');
  text(use, server.use);
  text(valid, count(server.valid));
  text(invalid, count(server.invalid));
  attr(invalid, 'class', 'number' + (server.invalid ? ' bad' : ''));
  text(nacks, count(server.nacks));
  const words = server.lastError ? `${clock(server.lastErrorAt)} ${server.lastError}` : '';
  text(error.firstChild, words);
  attr(error.firstChild, 'title', words);
  attr(error.firstChild, 'class', server.connected ? 'lines-2 quiet' : 'lines-2 error');
}
