// Renders what the admin endpoints say (CONTRACT section 6). No build step, no other hosts.
// Everything that comes from outside is set as text, never as markup.

const POLL_MILLIS = 1000;
const TONE = {
  READY: 'good', acked: 'good', ACKED: 'good', true: 'good',
  connected: 'good', CONNECTING: 'wait', WAITING: 'wait', REQUESTED: 'wait',
  TRANSIENT_FAILURE: 'bad', ERROR: 'bad', NACKED: 'bad', DOES_NOT_EXIST: 'bad',
  RECEIVED_ERROR: 'bad', TIMEOUT: 'bad', UNHEALTHY: 'bad', DRAINING: 'wait', DEGRADED: 'wait',
};
const TYPES = [
  ['Listener', 'LDS'], ['RouteConfiguration', 'RDS'], ['Cluster', 'CDS'], ['ClusterLoadAssignment', 'EDS'],
];

/** An element: tag with classes, attributes, children (texts or elements). */
function el(tag, attributes = {}, ...children) {
  const [name, ...classes] = tag.split('.');
  const element = document.createElement(name);
  if (classes.length) element.className = classes.join(' ');
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  for (const child of children.flat()) {
    if (child !== null && child !== undefined && child !== '') element.append(child);
  }
  return element;
}

function badge(text) {
  return el('span.badge' + (TONE[text] ? '.' + TONE[text] : ''), {}, String(text));
}

function table(columns, rows) {
  return el('table', {},
    el('thead', {}, el('tr', {}, columns.map(([title, numeric]) => el(numeric ? 'th.number' : 'th', {scope: 'col'}, title)))),
    el('tbody', {}, rows));
}

async function get(path) {
  const response = await fetch(path, {cache: 'no-store'});
  if (!response.ok && response.status !== 503) throw new Error(`${path} answered ${response.status}`);
  return response;
}

function renderForwards(forwards) {
  const rows = forwards.map(forward => el('tr', {},
    el('td', {}, el('strong', {}, forward.name)),
    el('td', {}, el('code', {}, forward.listen)),
    el('td', {}, el('code', {}, forward.target)),
    el('td', {}, badge(forward.state), forward.error ? el('div.error', {}, forward.error) : '')));
  return el('div.card', {}, rows.length
    ? table([['name'], ['listens on'], ['target'], ['state']], rows)
    : el('div.empty', {}, 'no forwards'));
}

function renderEndpoint(endpoint) {
  const last = endpoint.last_interval;
  const total = endpoint.total;
  return el('tr', {},
    el('td', {}, el('code', {}, endpoint.address)),
    el('td', {}, endpoint.locality),
    el('td', {}, badge(endpoint.health)),
    el('td', {}, badge(endpoint.state), endpoint.ejected ? ' ' : '',
      endpoint.ejected ? el('span.badge.bad', {title: `${endpoint.ejected.by}, until ${new Date(endpoint.ejected.until).toLocaleTimeString()}`}, `ejected ×${endpoint.ejected.times}`) : ''),
    el('td.number', {}, String(endpoint.weight)),
    el('td.number', {}, String(endpoint.active_requests)),
    el('td.number', {}, last ? `${last.success} / ${last.failure}` : '–'),
    el('td.number', {}, total ? `${total.success} / ${total.failure}` : '–'));
}

function renderNode(node) {
  const endpoints = node.endpoints ?? [];
  return el('div.node', {},
    el('div.node-head', {},
      el('strong', {}, node.name), el('span.quiet', {}, node.policy), badge(node.state),
      node.detail ? el('span.quiet', {}, node.detail) : ''),
    (node.children ?? []).map(renderNode),
    endpoints.length ? el('div.endpoints', {}, table(
      [['endpoint'], ['locality'], ['health'], ['state'], ['weight', true], ['active', true], ['last interval', true], ['ok / failed', true]],
      endpoints.map(renderEndpoint))) : '');
}

function renderTree(forwards) {
  if (!forwards.length) return el('div.card', {}, el('div.empty', {}, 'no forwards'));
  return el('div.card', {}, forwards.map(forward => el('div.tree', {}, forward.root
    ? renderNode(forward.root)
    : el('div.node', {}, el('strong', {}, forward.name), ' ', badge('WAITING'), ' no configuration yet'))));
}

function renderServers(servers) {
  const rows = servers.map(server => el('tr', {},
    el('td', {}, el('code', {}, server.uri), server.clientScope ? el('span.quiet', {}, ' ' + server.clientScope) : ''),
    el('td', {}, server.connected ? badge('connected')
      : el(server.use === 'standby' ? 'span.badge' : 'span.badge.bad', {}, 'not connected'), ' ', server.use),
    el('td.number', {}, String(server.streams)),
    el('td.number', {}, String(server.valid)),
    el('td.number', {}, String(server.invalid)),
    el('td.number', {}, String(server.nacks)),
    el('td', {}, server.lastError
      ? el(server.connected ? 'span.quiet' : 'span.error', {}, new Date(server.lastErrorAt).toLocaleTimeString() + '  ' + server.lastError)
      : '')));
  return el('div.card', {}, table(
    [['server'], ['state'], ['streams', true], ['resources accepted', true], ['refused', true], ['NACKs sent', true], ['last error']], rows));
}

const opened = new Map(); // resource key -> the text that was loaded for it

function renderResource(resource, type) {
  const key = [resource.clientScope ?? '', resource.typeUrl, resource.name].join(' ');
  const body = el('pre.mono', {}, opened.get(key) ?? 'loading…');
  const details = el('details', {}, el('summary', {}, resource.name), body);
  details.open = opened.has(key);
  details.addEventListener('toggle', async () => {
    if (!details.open) { opened.delete(key); return; }
    if (opened.has(key)) return;
    opened.set(key, 'loading…');
    const query = new URLSearchParams({type: type.toLowerCase(), name: resource.name});
    const dump = await (await get('/config_dump?' + query)).json();
    const client = (dump.config ?? [dump]).find(each => each.clientScope === resource.clientScope);
    const found = client?.genericXdsConfigs ?? [];
    opened.set(key, JSON.stringify(found[0]?.xdsConfig ?? found[0] ?? {}, null, 2));
    body.textContent = opened.get(key);
  });
  const error = resource.errorState;
  return el('tr', {},
    el('td', {}, type),
    el('td.mono', {}, details, resource.clientScope ? el('span.quiet', {}, resource.clientScope) : ''),
    el('td', {}, badge(resource.clientStatus)),
    el('td.mono', {}, resource.versionInfo ?? ''),
    el('td', {}, resource.lastUpdated ? new Date(resource.lastUpdated).toLocaleTimeString() : ''),
    el('td', {}, error ? el('span.error', {}, (error.versionInfo ? `version ${error.versionInfo}: ` : '') + error.details) : ''));
}

function renderResources(resources) {
  const rows = TYPES.flatMap(([suffix, label]) => resources
    .filter(resource => resource.typeUrl.endsWith('.' + suffix))
    .map(resource => renderResource(resource, label)));
  return el('div.card', {}, rows.length
    ? table([['type'], ['name'], ['state'], ['version'], ['updated'], ['last error']], rows)
    : el('div.empty', {}, 'nothing is subscribed to'));
}

function show(id, content) {
  document.getElementById(id).replaceChildren(content);
}

const drawn = new Map(); // section -> the answer it shows; an unchanged section is left alone

function draw(id, data, render) {
  const text = JSON.stringify(data);
  if (drawn.get(id) === text) return;
  drawn.set(id, text);
  show(id, render(data));
}

let updatedAt = 0;

async function refresh() {
  const problem = document.getElementById('problem');
  try {
    const [ready, forwards, lb, status] = await Promise.all(
      ['/ready', '/forwards', '/lb?detail=full', '/xds'].map(get));
    const badgeElement = document.getElementById('ready');
    badgeElement.className = 'badge ' + (ready.status === 200 ? 'good' : 'bad');
    badgeElement.textContent = ready.status === 200 ? 'ready' : 'not ready';
    badgeElement.title = await ready.text();
    draw('forwards', await forwards.json(), renderForwards);
    draw('tree', (await lb.json()).forwards, renderTree);
    const xds = await status.json();
    document.getElementById('node').textContent = xds.node ? 'node ' + xds.node : '';
    draw('servers', xds.servers, renderServers);
    draw('resources', xds.resources, renderResources);
    updatedAt = Date.now();
    problem.hidden = true;
  } catch (error) {
    problem.textContent = `The page is out of date: ${error.message}`;
    problem.hidden = false;
  }
}

async function loop() {
  if (document.getElementById('live').checked && !document.hidden) await refresh();
  document.getElementById('age').textContent = updatedAt
    ? `updated ${Math.max(0, Math.round((Date.now() - updatedAt) / 1000))} s ago` : '';
  setTimeout(loop, POLL_MILLIS);
}

loop();
