// Computes the boxes and lines of the LB tree and their positions. The functions are pure and touch no element.

import {endpointState, placeName} from './data.js';

export const TITLE = 30;
export const ROW = 26;
const PAD = 4;
const GAP = 12; // between boxes, one below the other
const LANE = 28; // between columns, where the lines run
const INDENT = 18; // of each level in an outline
const MIN_COLUMN = 124; // a column of weight 1; below that the picture becomes an outline
const MAX_COLUMN = 240;
const MAX_LISTED = 12; // the endpoints of one policy that are listed by name; a policy with more endpoints gets a field of shapes
const MAX_LISTED_IN_ALL = 80;
const FLAT = 40; // a field of more than that gets the width that names leave
const NAMES = 188; // what a column of weight 1 keeps beside such a field
const MAX_UNFOLDED = 8; // clusters that are shown with what is below them

/** Whether a target has so many clusters that they are shown folded. */
export const isMany = clusters => clusters.length > MAX_UNFOLDED;

/**
 * The boxes of a tree in depth-first order, of its clusters those in `clusters`. A box holds policies one inside the other that are about the same thing,
 * or the endpoints of a policy: `{id, parent, depth, title, rows, field, used, rate, failing, folded, foldable}`.
 * A row is `{id, node}` or `{id, endpoint}`; a field is the endpoints that are drawn as shapes.
 */
export function boxesOf(root, unfolded, clusters = root.children) {
  const measure = node => {
    node.children.forEach(measure);
    const below = [...node.children, ...node.endpoints];
    node.rate = below.reduce((sum, each) => sum + (each.rate ?? 0), 0);
    node.failing = below.reduce((sum, each) => sum + (each.failing ?? 0), 0);
  };
  measure(root);

  const boxes = [];
  const leaves = []; // places of boxes with endpoints
  const many = isMany(clusters);
  const visit = (node, parent, used) => {
    const above = parent?.id ?? '';
    const box = {
      id: `${above}\u0001${node.name}`, parent, depth: parent ? parent.depth + 1 : 0, title: placeName(node.name) || 'no locality', rows: [],
      used, rate: node.rate, failing: node.failing, field: null, folded: false, foldable: false,
    };
    if (boxes.some(each => each?.id === box.id)) box.id += '\u0001' + boxes.length;
    let inner = node;
    box.rows.push({id: `${box.id}\u0002${node.policy}`, node});
    while (inner.children.length === 1 && !inner.endpoints.length && inner.children[0].name === inner.name) {
      inner = inner.children[0];
      box.rows.push({id: `${box.id}\u0002${inner.policy}`, node: inner});
    }
    boxes.push(box);
    if (many && box.depth === 1) {
      box.foldable = true;
      box.folded = !unfolded.has(box.id);
      if (box.folded) return;
    }
    for (const child of inner === root ? clusters : inner.children) visit(child, box, used && child.used);
    if (inner.endpoints.length) leaves.push({at: boxes.push(null) - 1, box, inner});
  };
  visit(root, null, true);
  const listable = leaves.map(({inner}) => inner.endpoints.length).filter(n => n <= MAX_LISTED).reduce((a, b) => a + b, 0);
  for (const {at, box, inner} of leaves) boxes[at] = endpointBox(box, inner, listable <= MAX_LISTED_IN_ALL);
  return boxes;
}

function endpointBox(parent, node, canList) {
  const listed = canList && node.endpoints.length <= MAX_LISTED;
  const id = parent.id + '\u0003';
  return {
    id, parent, depth: parent.depth + 1, title: null, used: parent.used, rate: node.rate, failing: node.failing,
    rows: listed ? node.endpoints.map((endpoint, i) => ({id: `${id}${endpoint.address}\u0002${i}`, endpoint})) : [],
    field: listed ? null : node.endpoints, folded: false, foldable: false,
  };
}

/** Sets `x`, `y`, `w`, `h` of every box; returns the height of the picture and whether it is an outline. */
export function place(boxes, width) {
  const widths = widthsOf(boxes, width);
  boxes.forEach(box => { box.children = []; });
  boxes.forEach(box => box.parent?.children.push(box));
  return {outline: !widths, height: widths ? placeColumns(boxes[0], widths) : placeOutline(boxes, width)};
}

/** Returns the width of each column; null if there is no room for columns. */
function widthsOf(boxes, width) {
  const weights = [];
  const flat = [];
  for (const box of boxes) {
    weights[box.depth] = Math.max(weights[box.depth] ?? 0, weightOf(box));
    if (box.field?.length > FLAT) flat[box.depth] = true;
  }
  const room = width - (weights.length - 1) * LANE;
  const sum = weights.reduce((a, b) => a + b);
  if (room / sum < MIN_COLUMN) return null;
  const fields = flat.filter(Boolean).length;
  const unit = Math.min(room / sum, fields ? NAMES : MAX_COLUMN);
  const left = room - unit * sum;
  return weights.map((weight, depth) => Math.floor(unit * weight + (flat[depth] ? left / fields : 0)));
}

/** Returns the share of the width that a box needs; addresses are long. */
function weightOf(box) {
  return box.title === null ? 1.4 : box.rows.length > 2 ? 1.3 : box.parent ? 1 : 0.9;
}

/** Each depth is a column; a box stands level with its first child. */
function placeColumns(root, widths) {
  const starts = widths.map((_, depth) => widths.slice(0, depth).reduce((x, w) => x + w + LANE, 0));
  const visit = (box, y) => {
    box.x = starts[box.depth];
    box.y = y;
    box.w = widths[box.depth];
    box.h = heightOf(box);
    let below = y;
    for (const child of box.children) below = visit(child, below) + GAP;
    return Math.max(y + box.h, box.children.length ? below - GAP : 0);
  };
  return visit(root, 0);
}

/** Places the boxes one below the other, indented by depth. */
function placeOutline(boxes, width) {
  let y = 0;
  for (const box of boxes) {
    box.x = box.depth * INDENT;
    box.y = y;
    box.w = width - box.x;
    box.h = heightOf(box);
    y += box.h + GAP;
  }
  return y - GAP;
}

function heightOf(box) {
  if (box.field) {
    box.cell = box.field.length > 300 ? 11 : 16;
    box.across = Math.max(1, Math.floor((box.w - 16) / box.cell));
    return ROW + Math.ceil(box.field.length / box.across) * box.cell + 2 * PAD + 6;
  }
  return (box.title === null ? 0 : TITLE) + (box.folded ? 1 : box.rows.length) * ROW + 2 * PAD;
}

/** The lines from each box to those below it: `{id, d, width, used, dead}`; endpoints that are listed have their own. */
export function linesOf(boxes, outline) {
  const most = Math.max(boxes[0].rate, 0.001);
  const lines = [];
  for (const box of boxes) {
    if (!box.parent) continue;
    const ends = box.title === null && !outline && !box.field
      ? box.rows.map((row, i) => ({
          id: row.id, y: box.y + PAD + i * ROW + ROW / 2, rate: row.endpoint.rate,
          used: box.used && endpointState(row.endpoint) === 'READY', dead: endpointState(row.endpoint) !== 'READY',
        }))
      : [{id: box.id, y: box.y + (box.title === null ? PAD + ROW / 2 : TITLE / 2 + 1), rate: box.rate, used: box.used}];
    for (const end of ends) {
      const width = end.rate > 0 && !end.dead ? 1.5 + 6.5 * Math.sqrt(Math.min(1, end.rate / most)) : 1.5;
      lines.push({...end, d: outline ? elbow(box, end.y) : curve(box, end.y), width: width.toFixed(1)});
    }
  }
  return lines;
}

function curve(box, y) {
  const x1 = box.parent.x + box.parent.w;
  const y1 = box.parent.y + TITLE / 2 + 1;
  const middle = (x1 + box.x) / 2;
  return `M${x1} ${y1}C${middle} ${y1} ${middle} ${y} ${box.x} ${y}`;
}

function elbow(box, y) {
  const x = box.parent.x + 9;
  return `M${x} ${box.parent.y + box.parent.h}V${y - 6}Q${x} ${y} ${x + 6} ${y}H${box.x}`;
}
