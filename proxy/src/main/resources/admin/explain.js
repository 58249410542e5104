// How a request would be routed, and why: a path from the virtual host through the tree to the endpoints.

import {Commands, curl, outrigger} from './command.js';
import {Refused, get, placeName} from './data.js';
import {attr, el, glyph, keyed, percent, several, text, words} from './dom.js';
import {patched} from './overlay.js';
import {Picture} from './picture.js';

const SHOWN_MISSES = 5; // the number of routes before the hit that are shown at first

export class Explain {
  constructor(page) {
    this.page = page;
    this.forward = el('select', {id: 'explain-forward', name: 'forward'});
    this.path = el('input', {id: 'explain-path', name: 'path', required: '', value: '/pkg.Service/Method', spellcheck: 'false', autocapitalize: 'off'});
    this.method = el('input', {id: 'explain-method', name: 'method', value: 'POST', size: '6', spellcheck: 'false'});
    this.headers = el('textarea', {id: 'explain-headers', name: 'headers', rows: '1', placeholder: 'one a line, x-user: jane', spellcheck: 'false'});
    this.problem = el('p.errors', {role: 'alert', hidden: ''});
    this.answer = el('div.answer');
    this.empty = el('p.empty', {}, 'Ask where a request would go. Nothing is sent.');
    this.commands = new Commands();
    const field = (label, input) => el('label.stacked', {for: input.id}, el('span', {}, label), input);
    this.element = el('div', {},
      el('form.explain', {onsubmit: event => { event.preventDefault(); this.#go(); }},
        field('forward', this.forward), field('method', this.method), field('path', this.path), field('headers', this.headers),
        el('div.buttons', {}, el('button.primary', {type: 'submit'}, 'Explain'))),
      this.problem, this.empty, this.answer, this.commands.element);
    this.element.addEventListener('input', () => this.#updateCommands());
  }

  /** Explains the request in the page's address, if there is one. */
  show(query) {
    if (!query.path) return;
    this.path.value = query.path;
    this.method.value = query.method ?? 'POST';
    this.headers.value = query.headers ?? '';
    this.wanted = query;
  }

  /** Puts the request into the page's address; the change of the address starts the explanation. */
  #go() {
    const query = {forward: this.forward.value, path: this.path.value, method: this.method.value};
    if (this.headers.value.trim()) query.headers = this.headers.value;
    this.page.go('explain', query);
  }

  async refresh(forwards) {
    keyed(this.forward, forwards, each => each.name, () => el('option'), (option, each) => {
      attr(option, 'value', each.name);
      text(option, each.name);
    });
    if (this.wanted) {
      const {forward} = this.wanted;
      this.wanted = null;
      if (forward) this.forward.value = forward;
      await this.#ask();
    }
    this.#updateCommands();
  }

  #headers() {
    return this.headers.value.split('\n').map(line => line.trim()).filter(Boolean);
  }

  #query() {
    const query = new URLSearchParams({forward: this.forward.value, path: this.path.value, method: this.method.value});
    this.#headers().forEach(line => query.append('header', line.replace(/^([^:]+):\s+/, '$1:')));
    return '/explain?' + query;
  }

  #updateCommands() {
    const headers = this.#headers().flatMap(line => ['--header', line.replace(/:\s*/, '=')]);
    this.commands.set([outrigger('explain', '--forward', this.forward.value, '--path', this.path.value, '--method', this.method.value, ...headers)],
      [curl(this.#query()), this.#query()]);
  }

  async #ask() {
    this.problem.hidden = true;
    this.empty.hidden = true;
    try {
      const [answer, lb] = await Promise.all([get(this.#query()), get('/lb?' + new URLSearchParams({forward: this.forward.value}))]);
      this.answer.replaceChildren(path(answer, lb.forwards[0].root));
      this.page.announce(this.answer.querySelector('h3').textContent);
    } catch (error) {
      this.answer.replaceChildren();
      text(this.problem, error instanceof Refused && error.message.startsWith('no such endpoint') ? 'This sidecar has no /explain.' : error.message);
      this.problem.hidden = false;
    }
  }
}

/** Returns a step of the path: a sign, the kind of step, the result, and details. */
function step(of, name, found, ...more) {
  return el('li.step', {}, glyph(of), el('div', {}, el('span.quiet.step-name', {}, name), el('strong', {}, found), ...more));
}

function path(answer, root) {
  const {request, virtual_host: host, routes, branches} = answer;
  const steps = [
    step('good', 'request', `${request.method} ${request.path}`,
      el('p.quiet', {}, `${request.grpc ? 'gRPC' : 'not gRPC'}, target ${answer.target}, authority ${answer.authority}`),
      request.headers.length ? el('p.quiet', {}, request.headers.join(' · ')) : ''),
    host ? step('good', 'virtual host', host.name, el('p.quiet', {}, `its domain ${host.domain} matches best`))
      : step('wait', 'virtual host', 'none', el('p.quiet', {}, 'the target has no configuration yet')),
    step(routes.some(route => route.result !== 'missed') ? 'good' : 'bad', 'routes', several(routes.length, 'route') + ' checked', routeList(routes),
      answer.further_routes ? el('p.quiet', {}, `${several(answer.further_routes, 'further route')} not listed`) : ''),
  ];
  if (branches.length > 1) steps.push(step('wait', 'draw', `one of ${branches.length} ways`, el('p.quiet', {}, 'a draw for each request decides')));
  return el('div', {},
    el('h3', {}, verdict(answer)),
    el('ol.steps', {}, steps),
    branches.map((branch, i) => branchOf(branch, root, branches.length > 1 ? i + 1 : 0)));
}

function verdict({decision, branches}) {
  const [first] = branches;
  if (decision === 'wait') return 'It would wait for a configuration.';
  if (decision === 'reject') return `It would be refused with ${first.reject.code}: ${first.reject.message}`;
  const clusters = [...new Set(branches.map(branch => branch.cluster).filter(Boolean))];
  const where = clusters.length > 1 ? `one of ${clusters.length} clusters` : `cluster ${clusters[0]}`;
  const candidates = branches.flatMap(branch => branch.candidates ?? []);
  if (candidates.length) return `It would go to ${where}, to ${candidates.length === 1 ? candidates[0].address : `one of ${candidates.length} endpoints`}.`;
  const failure = branches.flatMap(branch => branch.failures ?? [])[0];
  return failure ? `It would go to ${where} and fail there with ${failure.code}: ${failure.message}` : `It would go to ${where} and wait there.`;
}

function routeList(routes) {
  const line = route => el('li.' + (route.result === 'missed' ? 'missed' : 'hit'), {},
    glyph(route.result === 'missed' ? 'idle' : route.result === 'hit' ? 'good' : 'wait'),
    el('span', {}, `${route.index} ${route.name ? `${route.name}, ` : ''}`, el('code', {}, 'path ' + route.path)),
    el('span.quiet', {}, route.result === 'hit' ? 'matches' : route.result === 'possible' ? `matches for a ${route.missed}` : `missed by ${route.missed}`));
  const hidden = routes.slice(0, Math.max(0, routes.length - SHOWN_MISSES - 1));
  return el('div', {},
    hidden.length ? el('details', {}, el('summary', {}, `${several(hidden.length, 'route')} before these`), el('ol.routes', {}, hidden.map(line))) : '',
    el('ol.routes', {}, routes.slice(hidden.length).map(line)));
}

function branchOf(branch, root, number) {
  const title = number ? el('h4', {}, `Way ${number}, ${percent(branch.probability)} of such requests`) : '';
  if (branch.reject) {
    return el('section', {}, title, el('ol.steps', {}, step('bad', 'answer', branch.reject.code, el('p', {}, branch.reject.message), el('p.quiet', {}, 'reason: ' + branch.reject.reason))));
  }
  const {route, timeout, retry, filters, clusters, circuit_breaker: breaker, drops, hash, session} = branch;
  const steps = [
    step('good', 'route', route.name || `number ${route.index}`, policy(route.overlay)),
    step('good', 'timeout', timeout.effective === null ? 'none' : duration(timeout.effective),
      el('p.quiet', {}, `the route gives ${timeout.route_limit === null ? 'no limit' : duration(timeout.route_limit)} (${words(timeout.source)}), the request ${timeout.asked === null ? 'none' : duration(timeout.asked)}`)),
    step(retry ? 'good' : 'idle', 'retries', retry ? `up to ${several(retry.max_attempts, 'attempt')}` : 'none',
      retry ? el('p.quiet', {}, `after ${retry.codes.join(', ')}; ${retry.base_interval} to ${retry.max_interval} between`) : ''),
    ...filters.map(filter => step('wait', 'filter', filter.kind, el('p.quiet', {}, Object.entries(filter).filter(([name]) => name !== 'kind').map(([name, value]) => `${name} ${value}`).join(', ')))),
    step('good', 'cluster', branch.cluster, clusters.length ? el('p.quiet', {}, 'drawn from ' + clusters.map(each => `${each.name} (${each.weight})`).join(', ')) : '', policy(branch.cluster_overlay)),
    ...(drops ?? []).map(drop => step('wait', 'drop', percent(drop.share), el('p.quiet', {}, `category ${drop.category}`))),
    breaker ? step(breaker.full ? 'bad' : 'good', 'circuit breaker', breaker.full ? 'calls fail: its limit is reached' : 'lets calls through', el('p.quiet', {}, `${breaker.in_flight} of ${breaker.limit} requests in flight`)) : '',
    session ? step(session.begins ? 'idle' : session.kept ? 'good' : 'wait', 'session', session.begins ? 'begins here' : session.kept ? 'kept' : session.kept === null ? 'the first one here: looked up when it comes' : 'not to be kept',
      el('p.quiet', {}, `cookie ${session.cookie}`), ...session.endpoints.map(each => el('p.quiet', {}, `${each.address}: ${each.standing}`))) : '',
    hash ? step('good', 'hash', hash.value ?? 'drawn', el('p.quiet', {}, `${hash.source}${hash.ring_slot === null ? '' : `; slot ${hash.ring_slot} of ${hash.ring_size}`}${hash.passed_over ? `, ${hash.passed_over} passed over` : ''}`)) : '',
  ];
  return el('section', {}, title, el('ol.steps', {}, steps), tree(branch, root), ends(branch));
}

/** Returns the values that local policy has set, if there are any. */
function policy(values) {
  return values?.length ? patched(values) : '';
}

function duration(seconds) {
  return seconds < 1 ? Number((seconds * 1000).toPrecision(3)) + ' ms' : Number(seconds.toPrecision(3)) + ' s';
}

/** The cluster's tree; the width of a line is the probability that a request takes it. */
function tree(branch, root) {
  const cluster = root?.children.find(each => each.name === branch.cluster);
  if (!cluster || !branch.candidates) return '';
  const odds = new Map(branch.candidates.map(each => [each.address, each.probability]));
  const light = node => {
    node.children.forEach(light);
    node.endpoints.forEach(each => { each.rate = odds.get(each.address) ?? 0; });
    node.used = node.children.some(each => each.used) || node.endpoints.some(each => each.rate > 0);
  };
  light(cluster);
  const reasons = new Map((branch.excluded ?? []).map(each => [each.address, each.reason]));
  const said = el('p.quiet', {role: 'status'}, 'Choose an endpoint to see why it is none of the candidates.');
  const picture = new Picture({
    label: 'the way through the tree', amount: percent,
    says: endpoint => endpoint.rate ? percent(endpoint.rate) : endpoint.ejected ? 'ejected' : 'not now',
    soonest: () => '',
    choose: item => {
      picture.select(item);
      text(said, item.node ? `${placeName(item.node.name) || 'no locality'}, ${item.node.policy}: ${item.node.detail || words(item.node.state)}`
        : `${item.endpoint.address} ${item.endpoint.rate ? `is picked with a probability of ${percent(item.endpoint.rate)}` : reasons.get(item.endpoint.address) ?? 'is not picked'}`);
    },
  });
  picture.set(cluster);
  return el('div.way', {}, picture.element, said);
}

/** Returns the endpoints that may be picked, and the others with the reason. */
function ends(branch) {
  const {candidates = [], excluded = [], failures = [], waits = 0} = branch;
  const share = each => el('li', {}, el('span.share', {}, bar(each.probability)), el('span.number', {}, percent(each.probability)),
    el('code', {}, each.address ?? each.code), el('span.quiet.clip', {}, placeName(each.locality) ?? each.message ?? ''));
  return el('div.panes', {},
    el('section.pane', {}, el('h4', {}, several(candidates.length, 'candidate')),
      el('ul.shares', {}, [...candidates, ...failures, ...(waits > 0 ? [{probability: waits, code: 'waits', message: 'for a connection'}] : [])].slice(0, 200).map(share))),
    excluded.length ? el('section.pane', {}, el('h4', {}, `${several(excluded.length, 'endpoint')} left out`),
      el('ul.left-out', {}, excluded.slice(0, 200).map(each => el('li', {}, el('code', {}, each.address), ' ', el('span.quiet', {}, each.reason))))) : '');
}

function bar(probability) {
  const filled = el('span');
  filled.style.width = `${Math.max(2, probability * 100)}%`;
  return filled;
}
