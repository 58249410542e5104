// The commands that show the data of a view in a terminal.

import {attr, el, keyed, text} from './dom.js';

/** Returns a text as one word of a POSIX shell. */
function quoted(word) {
  return /^[\w@%+=:,./?&-]+$/.test(word) && !/[?&]/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}

export function curl(path) {
  return 'curl -s ' + quoted(location.origin + path);
}

/** `outrigger WORDS… --admin HOST:PORT`. */
export function outrigger(...parts) {
  const [command, ...rest] = parts;
  return ['outrigger', command, '--admin', location.host, ...rest].map(quoted).join(' ');
}

/** A block that lists commands, each with a button that copies it. */
export class Commands {
  #lines = el('div.command-lines');
  element = el('section.commands', {'aria-label': 'By command'}, el('h3', {}, 'By command'), this.#lines);

  /** @param entries pairs of a command and, for one that only reads JSON, its path */
  set(...entries) {
    keyed(this.#lines, entries, (_, index) => index, () => {
      const code = el('code');
      const link = el('a', {target: '_blank', rel: 'noopener'}, 'open');
      const button = el('button.small', {type: 'button', onclick: () => copy(button, code.textContent)}, 'copy');
      return el('div.command', {}, code, link, button);
    }, (line, [command, path]) => {
      const [code, link, button] = line.children;
      text(code, command);
      link.hidden = !path;
      if (path) attr(link, 'href', path);
      attr(button, 'aria-label', 'copy ' + command);
    });
  }
}

async function copy(button, words) {
  try {
    await navigator.clipboard.writeText(words);
    text(button, 'copied');
  } catch {
    text(button, 'not allowed');
  }
  setTimeout(() => text(button, 'copy'), 1500);
}
