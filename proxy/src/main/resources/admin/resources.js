// xDS resources: those in use, refused resources with the place of each error, and the changes of each version.

import {Commands, curl, outrigger} from './command.js';
import {get} from './data.js';
import {attr, clock, count, el, keyed, setState, state, text, tone} from './dom.js';
import {List} from './list.js';

const TYPES = {
  'envoy.config.listener.v3.Listener': 'lds', 'envoy.config.route.v3.RouteConfiguration': 'rds',
  'envoy.config.cluster.v3.Cluster': 'cds', 'envoy.config.endpoint.v3.ClusterLoadAssignment': 'eds',
};
export const typeOf = resource => TYPES[resource.typeUrl.split('/').pop()] ?? '?';
/** Returns whether a valid version stays in use although the newest version was refused or replaced by an error. */
export const isKept = ({clientStatus, versionInfo}) => ['NACKED', 'RECEIVED_ERROR'].includes(clientStatus) && Boolean(versionInfo);
const setMark = (mark, resource) => setState(mark, resource.clientStatus, undefined, isKept(resource) ? 'wait' : undefined);
const keyOf = resource => [resource.clientScope ?? '', resource.typeUrl, resource.name].join(' ');

export class Resources {
  #all = [];
  #chosen = null;
  #shown = null; // the version of the chosen resource that the panes show

  constructor(page) {
    this.page = page;
    this.filter = el('input', {type: 'search', placeholder: 'filter: name, type, version', 'aria-label': 'filter resources', oninput: () => this.#draw()});
    this.trouble = el('input', {type: 'checkbox', onchange: () => this.#draw()});
    this.shown = el('span.quiet.number');
    this.list = new List({
      label: 'xDS resources', row: resourceRow, update: updateRow, key: keyOf,
      pick: resource => page.go('resources', {type: typeOf(resource), name: resource.name, ...(resource.clientScope ? {scope: resource.clientScope} : {})}),
    });
    this.empty = el('p.empty', {hidden: ''});
    this.title = el('h3.clip');
    this.mark = state('IDLE');
    this.times = el('p.quiet');
    this.errors = el('ul.errors');
    this.panes = [new Pane('In use'), new Pane('Refused')];
    this.changes = el('ol.changes');
    this.body = el('section.resource', {'aria-label': 'resource', hidden: ''},
      el('div.bar', {}, this.title, this.mark), this.times, this.errors,
      el('div.panes', {}, this.panes.map(pane => pane.element)),
      el('h4', {}, 'Versions'), this.changes);
    this.commands = new Commands();
    this.element = el('div', {},
      el('div.bar', {}, this.filter, el('label.field', {}, this.trouble, ' only trouble'), el('span.grow'), this.shown),
      el('div.list-head.resource-row', {'aria-hidden': 'true'}, ['type', 'name', 'state', 'version', 'refused', 'updated'].map(name => el('span', {}, name))),
      this.list.element, this.empty, this.body, this.commands.element);
  }

  show(query) {
    this.#chosen = query.name ? {type: query.type, name: query.name, scope: query.scope} : null;
    this.#draw();
  }

  async refresh() {
    this.#all = (await get('/xds')).resources;
    this.#draw();
    await this.#read();
  }

  #draw() {
    const wanted = this.filter.value.trim().toLowerCase();
    const items = this.#all.filter(each =>
      (!this.trouble.checked || tone(each.clientStatus) !== 'good' || each.errorState || each.connectivityError) &&
      (!wanted || `${typeOf(each)} ${each.name} ${each.versionInfo ?? ''} ${each.clientStatus}`.toLowerCase().includes(wanted)))
      .sort((a, b) => Boolean(b.errorState) - Boolean(a.errorState)); // stable
    text(this.shown, items.length === this.#all.length ? count(items.length) : `${count(items.length)} of ${count(this.#all.length)}`);
    this.empty.hidden = items.length > 0;
    text(this.empty, this.#all.length ? 'Nothing matches.' : 'Nothing is subscribed to.');
    this.list.set(items);
    const resource = this.#find();
    this.list.choose(resource && keyOf(resource));
    const {type, name} = this.#chosen ?? {};
    const query = resource ? '?' + new URLSearchParams({type, name}) : '';
    this.commands.set([curl('/config_dump' + query), '/config_dump' + query],
      resource ? [curl('/xds?' + new URLSearchParams({name})), '/xds?' + new URLSearchParams({name})] : [curl('/xds'), '/xds'],
      [outrigger('status')]);
    this.body.hidden = !resource;
  }

  #find() {
    const {type, name, scope} = this.#chosen ?? {};
    return this.#all.find(each => each.name === name && typeOf(each) === type && (!scope || each.clientScope === scope));
  }

  /** Reads bodies and history of the chosen resource when something has changed. */
  async #read() {
    const resource = this.#find();
    const key = resource && JSON.stringify(resource);
    if (key === this.#shown) return;
    if (!resource) {
      this.#shown = null;
      return;
    }
    const {type, name} = this.#chosen;
    const [dump, summary] = await Promise.all([
      get('/config_dump?' + new URLSearchParams({type, name})), get('/xds?' + new URLSearchParams({name}))]);
    if (keyOf(resource) !== (this.#find() && keyOf(this.#find()))) return;
    this.#shown = key;
    const same = each => keyOf(each) === keyOf(resource);
    const configs = (dump.config ?? [dump]).filter(each => (each.clientScope ?? '') === (resource.clientScope ?? '')).flatMap(each => each.genericXdsConfigs);
    this.#show(resource, configs[0] ?? {}, summary.resources.find(same)?.changes ?? []);
  }

  #show(resource, config, changes) {
    text(this.title, resource.name);
    setMark(this.mark, resource);
    text(this.times, `${resource.typeUrl.split('/').pop()}, updated at ${clock(resource.lastUpdated) || 'no time yet'}`);
    const error = resource.errorState;
    const found = [...(error ? split(error.details) : []), ...(resource.connectivityError ? [{text: resource.connectivityError}] : [])];
    keyed(this.errors, found, each => each.text, () => el('li'), (line, each) => text(line, each.text));
    this.panes[0].set(resource.versionInfo, config.xdsConfig, []);
    const refused = config.errorState?.failedConfiguration;
    this.panes[1].element.hidden = !error;
    if (error) this.panes[1].set(error.versionInfo, refused, found);
    keyed(this.changes, [...changes].reverse(), (change, i) => changes.length - i, newChange, () => {});
  }
}

/** The errors of a NACK: `field.path: reason; field.path: reason`. */
function split(details) {
  return details.split(/;\s+|\n/).filter(Boolean).map(each => ({text: each}));
}

/** Returns the text of a resource, with each error below its field. */
class Pane {
  constructor(title) {
    this.version = el('code');
    this.list = new List({label: title, row: () => el('div.json'), update: (row, line) => {
      attr(row, 'class', 'row json' + (line.error ? ' error' : line.marked ? ' marked' : ''));
      text(row, line.text);
    }});
    this.element = el('section.pane', {'aria-label': title}, el('h4', {}, title + ' ', this.version), this.list.element);
  }

  set(version, json, errors) {
    text(this.version, version ? 'version ' + version : 'no version');
    const lines = json === undefined ? [{text: 'not known', path: ''}] : linesOf(json);
    for (const error of errors) {
      const at = lineOf(lines, error.text);
      if (at < 0) continue;
      const {path, text: line} = lines[at];
      const reason = error.text.slice(error.text.indexOf(path) + path.length).replace(/^: /, '');
      lines[at].marked = true;
      lines.splice(at + 1, 0, {text: `${' '.repeat(line.search(/\S|$/))}▲ ${reason}`, error: true, path: null});
    }
    this.list.set(lines);
    const first = lines.findIndex(line => line.error);
    if (first > 4) this.list.element.scrollTop = (first - 4) * 20;
  }
}

/** Returns JSON as lines, each with the path of its field. */
function linesOf(json) {
  const lines = [];
  const add = (value, path, indent, before, after) => {
    const margin = '  '.repeat(indent);
    const inside = Array.isArray(value) ? value.map((each, i) => [`${path}[${i}]`, '', each])
      : value && typeof value === 'object' ? Object.entries(value).map(([name, each]) => [path ? `${path}.${name}` : name, JSON.stringify(name) + ': ', each]) : null;
    if (!inside || !inside.length) {
      lines.push({text: margin + before + JSON.stringify(value) + after, path});
      return;
    }
    const [open, close] = Array.isArray(value) ? '[]' : '{}';
    lines.push({text: margin + before + open, path});
    inside.forEach(([at, name, each], i) => add(each, at, indent + 1, name, i < inside.length - 1 ? ',' : ''));
    lines.push({text: margin + close + after, path: null});
  };
  add(json, '', 0, '', '');
  return lines;
}

/** Returns the line of the field that an error names; if the field does not exist, the line of the nearest parent. */
function lineOf(lines, error) {
  let best = -1;
  lines.forEach((line, i) => {
    if (!line.path || line.error) return;
    const at = error.indexOf(line.path);
    const next = error[at + line.path.length];
    if (at >= 0 && (at === 0 || error[at - 1] === ' ') && [':', '.', '[', undefined].includes(next) &&
      (best < 0 || line.path.length > lines[best].path.length)) best = i;
  });
  return best;
}

function newChange(change) {
  return el('li', {},
    el('div.bar', {}, el('time.quiet.number', {datetime: change.at}, clock(change.at)), markOf(change), el('code.clip', {}, change.versionInfo)),
    change.details ? el('p.error', {}, change.details) : '');
}

function markOf(change) {
  const mark = state('IDLE');
  setMark(mark, change);
  return mark;
}

function resourceRow() {
  return el('div.resource-row', {}, el('span.tag'), el('code.clip'), state('IDLE'), el('code.clip'), el('code.clip.bad'), el('span.number'));
}

function updateRow(row, resource) {
  const [type, name, mark, version, refused, updated] = row.children;
  text(type, typeOf(resource).toUpperCase());
  text(name, resource.name);
  attr(name, 'title', resource.name);
  setMark(mark, resource);
  text(version, resource.versionInfo ?? '–');
  text(refused, resource.errorState?.versionInfo ?? '');
  text(updated, clock(resource.lastUpdated));
}
