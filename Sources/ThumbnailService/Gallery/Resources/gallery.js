'use strict';

const words = {
  memory: 'memory', disk: 'disk', revalidated: 'revalidated', render: 'rendered', failed: 'failed',
  waiting: 'waiting', loading: 'loading',
};
// Browsers open at most six connections to a host; one of them remains free for the requests for statistics.
const maxLoads = 5;
const numbers = new Intl.NumberFormat('en');
const find = (name) => document.getElementById(name);
const meta = (name) => document.querySelector(`meta[name="${name}"]`).content;
const sides = meta('gallery-sides').split(' ').map(Number);
const grid = find('pictures');
const tiles = [];
const waiting = new Set();
let side = 0;
let loads = 0;
let cancelled = 0;
let current = 0;
let pass = null;

function newPass() {
  return { counts: { memory: 0, disk: 0, revalidated: 0, render: 0, failed: 0 }, bytes: 0, times: [] };
}

function scaled(count, base, units) {
  let value = count;
  let unit = 0;
  while (value >= base - 0.5 && unit < units.length - 1) { value /= base; unit += 1; }
  const digits = unit > 0 && value < 9.95 && value % 1 !== 0 ? 1 : 0;
  return `${value.toFixed(digits)} ${units[unit]}`;
}

const bytesText = (count) => scaled(count, 1000, ['B', 'kB', 'MB', 'GB', 'TB']);
// Limits are configured in powers of two, so the levels that are shown with them have the same units.
const levelText = (count) => scaled(count, 1024, ['B', 'KiB', 'MiB', 'GiB', 'TiB']);

const timeText = (time) => `${time < 9.95 ? time.toFixed(1) : numbers.format(Math.round(time))} ms`;

function make(kind, className) {
  const element = document.createElement(kind);
  if (className) element.className = className;
  return element;
}

// Loads one image. The time is measured from the call of `fetch` to the end of the body.

async function load(url, signal) {
  const begin = performance.now();
  const response = await fetch(url, { cache: 'no-store', signal });
  const body = await response.blob();
  const time = performance.now() - begin;
  if (response.ok) return { source: response.headers.get('X-Cache') || 'render', time, body };
  let reason = String(response.status);
  try { reason += ' ' + JSON.parse(await body.text()).title; } catch { /* Without a JSON body, only the status is shown. */ }
  return { source: 'failed', time, body, reason };
}

function mark(tile, source, figures) {
  tile.badge.textContent = words[source] || source;
  tile.element.dataset.source = source;
  tile.figures.textContent = figures || '';
  tile.element.classList.toggle('loading', source === 'loading');
}

function begin(tile) {
  const controller = new AbortController();
  const startedPass = pass;
  tile.controller = controller;
  tile.isLoading = true;
  mark(tile, 'loading');
  loads += 1;
  load(tile.thumbnail, controller.signal).then(
    (result) => { if (startedPass === pass) finish(tile, result); },
    (error) => {
      if (startedPass !== pass) return;
      if (!controller.signal.aborted) return finish(tile, { source: 'failed', reason: String(error.message) });
      tile.isLoading = false;
      mark(tile, 'waiting');
      if (tile.isVisible) waiting.add(tile);
    },
  ).finally(() => { loads -= 1; startNext(); });
}

function finish(tile, result) {
  tile.isLoading = false;
  tile.isDone = true;
  pass.counts[result.source] = (pass.counts[result.source] || 0) + 1;
  if (result.source === 'failed') {
    tile.problem.textContent = result.reason;
    mark(tile, 'failed');
  } else {
    pass.bytes += result.body.size;
    pass.times.push(result.time);
    show(tile, result.body);
    mark(tile, result.source, `${timeText(result.time)} · ${bytesText(result.body.size)}`);
  }
  scheduleTotals();
}

function show(tile, body) {
  if (tile.blob) URL.revokeObjectURL(tile.blob);
  tile.blob = URL.createObjectURL(body);
  tile.image.src = tile.blob;
  tile.element.classList.add('shown');
}

function startNext() {
  for (const tile of waiting) {
    if (loads >= maxLoads) return;
    waiting.delete(tile);
    if (!tile.isDone && !tile.isLoading) begin(tile);
  }
  if (loads === 0) announceTotals();
}

function onVisible(tile) {
  tile.isVisible = true;
  if (!tile.isDone && !tile.isLoading) waiting.add(tile);
}

function onHidden(tile) {
  tile.isVisible = false;
  waiting.delete(tile);
  if (!tile.isLoading || tile.controller.signal.aborted) return;
  cancelled += 1;
  tile.controller.abort();
  scheduleTotals();
}

const sight = new IntersectionObserver((entries) => {
  for (const entry of entries) (entry.isIntersecting ? onVisible : onHidden)(tiles[entry.target.dataset.place]);
  startNext();
}, { rootMargin: '150px 0px' });

// Totals of all images.

let sumIsDue = false;

function scheduleTotals() {
  if (sumIsDue) return;
  sumIsDue = true;
  requestAnimationFrame(updateTotals);
}

function median(times) {
  const sorted = Float64Array.from(times).sort();
  return sorted[sorted.length >> 1];
}

function updateTotals() {
  sumIsDue = false;
  let shown = 0;
  for (const [source, count] of Object.entries(pass.counts)) {
    if (source !== 'failed') shown += count;
    const number = document.querySelector(`.legend [data-source="${source}"] b`);
    if (number) number.textContent = numbers.format(count);
    const share = document.querySelector(`.share [data-source="${source}"]`);
    if (share) {
      share.style.flexGrow = count;
      share.hidden = count === 0;
    }
  }
  find('shown').textContent = numbers.format(shown);
  find('bytes').textContent = bytesText(pass.bytes);
  find('median').textContent = pass.times.length ? `median ${timeText(median(pass.times))}` : 'no response yet';
  find('cancelled').textContent = `${numbers.format(cancelled)} requests cancelled`;
}

let announcement = '';

function announceTotals() {
  const parts = Object.entries(pass.counts).filter(([, count]) => count > 0);
  if (parts.length === 0) return;
  const shown = parts.reduce((total, [, count]) => total + count, 0);
  const text = `${numbers.format(shown)} of ${numbers.format(tiles.length)}: `
    + parts.map(([source, count]) => `${numbers.format(count)} ${words[source] || source}`).join(', ');
  if (text !== announcement) find('status').textContent = announcement = text;
  refreshState();
}

// Statistics of the service.

function level(name, facts) {
  const element = find(`level-${name}`);
  element.hidden = !facts;
  if (!facts) return;
  const text = levelText(facts.bytes) + (facts.limit > 0 ? ` of ${levelText(facts.limit)}` : '');
  element.querySelector('.value').textContent = text;
  const gauge = element.querySelector('.gauge');
  const share = facts.limit > 0 ? Math.min(100, 100 * facts.bytes / facts.limit) : 0;
  gauge.setAttribute('aria-valuemin', 0);
  gauge.setAttribute('aria-valuemax', 100);
  gauge.setAttribute('aria-valuenow', share.toFixed(1));
  gauge.setAttribute('aria-valuetext', text);
  gauge.firstElementChild.style.width = `${share}%`;
}

function showState(state) {
  level('memory', state.memory);
  level('disk', state.disk);
  level('sources', state.sources);
  level('renders', state.renders);
  find('process').textContent = [
    state.resident ? `${levelText(state.resident)} resident` : '',
    `${numbers.format(state.rendered)} renders since the start`,
    `${numbers.format(state.cancelled)} requests cancelled by clients`,
  ].filter(Boolean).join(' · ');
}

let stateTimer = 0;
let stateIsAsked = false;

async function refreshState() {
  if (stateIsAsked) return;
  stateIsAsked = true;
  clearTimeout(stateTimer);
  try {
    const response = await fetch('/gallery/state', { cache: 'no-store' });
    if (response.ok) showState(await response.json());
  } catch {
    find('process').textContent = 'The service does not respond.';
  }
  stateIsAsked = false;
  stateTimer = setTimeout(() => { if (!document.hidden) refreshState(); }, 2000);
}

document.addEventListener('visibilitychange', () => { if (!document.hidden) refreshState(); });

async function sendCommand(button, url, done) {
  if (button.getAttribute('aria-disabled') === 'true') return;
  // `aria-disabled` instead of `disabled`, because a disabled button loses the focus.
  button.setAttribute('aria-disabled', 'true');
  try {
    const response = await fetch(url, { method: 'POST', headers: { 'X-Gallery-Token': meta('gallery-token') } });
    if (!response.ok) throw new Error(`status ${response.status}`);
    showState(await response.json());
    find('status').textContent = announcement = done;
  } catch (error) {
    find('status').textContent = announcement = `The request failed: ${error.message}.`;
  }
  button.removeAttribute('aria-disabled');
}

// The grid is one tab stop; the arrow keys move the focus inside it (roving tabindex).

function makeTile(index) {
  const tile = {
    index, isDone: false, isLoading: false, isVisible: false, element: make('li', 'tile'), button: make('button'),
    image: make('img'), problem: make('span', 'problem'), title: make('p', 'name'), badge: make('span', 'badge'),
    figures: make('p', 'facts'),
  };
  tile.element.dataset.place = index;
  tile.button.type = 'button';
  tile.button.tabIndex = index === 0 ? 0 : -1;
  tile.image.decoding = 'async';
  tile.button.append(tile.image, tile.problem, tile.badge);
  tile.element.append(tile.button, tile.title, tile.figures);
  tile.button.addEventListener('click', () => { setCurrent(index); open(index); });
  tile.button.addEventListener('focus', () => setCurrent(index));
  mark(tile, 'waiting');
  return tile;
}

function setCurrent(index) {
  if (tiles[current]) tiles[current].button.tabIndex = -1;
  current = index;
  tiles[current].button.tabIndex = 0;
}

const columns = () => getComputedStyle(grid).gridTemplateColumns.split(' ').length;

grid.addEventListener('keydown', (event) => {
  if (event.altKey || event.ctrlKey || event.metaKey || tiles.length === 0) return;
  const screen = columns() * Math.max(1, Math.floor(innerHeight / tiles[0].element.offsetHeight) - 1);
  const steps = {
    ArrowRight: 1, ArrowLeft: -1, ArrowDown: columns(), ArrowUp: -columns(), PageDown: screen, PageUp: -screen,
    Home: -tiles.length, End: tiles.length,
  };
  if (!(event.key in steps)) return;
  event.preventDefault();
  const index = Math.min(tiles.length - 1, Math.max(0, current + steps[event.key]));
  tiles[index].button.focus();
});

document.querySelector('.skip').addEventListener('click', (event) => {
  event.preventDefault();
  if (tiles.length > 0) tiles[current].button.focus();
});

// The dialog with one large image.

const large = find('large');
let largeLoad = null;
let largeBlob = null;
let largeIndex = 0;

function emptyLarge() {
  if (largeLoad) largeLoad.abort();
  largeLoad = null;
  if (largeBlob) URL.revokeObjectURL(largeBlob);
  largeBlob = null;
  find('large-image').removeAttribute('src');
  find('large-problem').textContent = '';
}

async function open(index) {
  emptyLarge();
  largeIndex = index;
  const tile = tiles[index];
  const controller = largeLoad = new AbortController();
  find('large-name').textContent = tile.name;
  find('large-image').alt = tile.name;
  const badge = find('large-badge');
  const showStatus = (source, figures) => {
    badge.dataset.source = source;
    badge.textContent = words[source] || source;
    find('large-figures').textContent = figures;
  };
  showStatus('loading', '');
  if (!large.open) large.showModal();
  try {
    const result = await load(tile.large, controller.signal);
    if (controller.signal.aborted) return;
    if (result.source === 'failed') {
      find('large-problem').textContent = result.reason;
      return showStatus('failed', timeText(result.time));
    }
    const image = find('large-image');
    image.src = largeBlob = URL.createObjectURL(result.body);
    await image.decode();
    if (controller.signal.aborted) return;
    showStatus(result.source, `${image.naturalWidth} × ${image.naturalHeight} · ${timeText(result.time)} · `
      + bytesText(result.body.size));
  } catch (error) {
    if (controller.signal.aborted) return;
    find('large-problem').textContent = String(error.message);
    showStatus('failed', '');
  }
}

const step = (by) => open((largeIndex + by + tiles.length) % tiles.length);

large.addEventListener('close', () => {
  emptyLarge();
  // Before this event, the browser restores the focus to the element that had it when the dialog was opened.
  tiles[largeIndex].button.focus();
});
large.addEventListener('click', (event) => { if (event.target === large) large.close(); });
large.addEventListener('keydown', (event) => {
  if (event.key === 'ArrowRight') step(1);
  if (event.key === 'ArrowLeft') step(-1);
});
find('close').addEventListener('click', () => large.close());
find('previous').addEventListener('click', () => step(-1));
find('next').addEventListener('click', () => step(1));

// Selects the thumbnail size from the number of device pixels per tile.

function neededSide() {
  const width = (tiles[0] ? tiles[0].element : grid).clientWidth;
  const column = tiles[0] ? width : parseFloat(getComputedStyle(grid).gridTemplateColumns) || width;
  const pixels = column * devicePixelRatio;
  return sides.find((side) => side >= pixels) || sides[sides.length - 1];
}

async function loadList(requestedSide) {
  const response = await fetch(`/gallery/pictures/${requestedSide}`, { cache: 'no-store' });
  if (!response.ok) throw new Error(`status ${response.status}`);
  const list = await response.json();
  side = list.side;
  const fresh = document.createDocumentFragment();
  list.pictures.forEach((image, index) => {
    if (!tiles[index]) {
      tiles[index] = makeTile(index);
      fresh.append(tiles[index].element);
    }
    const tile = tiles[index];
    Object.assign(tile, image);
    tile.image.alt = image.name;
    tile.title.textContent = image.name;
  });
  grid.append(fresh);
  find('count').textContent = numbers.format(tiles.length);
}

function restart() {
  pass = newPass();
  waiting.clear();
  announcement = '';
  sight.disconnect();
  for (const tile of tiles) {
    if (tile.isLoading) tile.controller.abort();
    if (tile.blob) URL.revokeObjectURL(tile.blob);
    tile.blob = null;
    tile.image.removeAttribute('src');
    tile.element.classList.remove('shown');
    tile.problem.textContent = '';
    tile.isDone = tile.isLoading = tile.isVisible = false;
    mark(tile, 'waiting');
    sight.observe(tile.element);
  }
  updateTotals();
}

let resizeTimer = 0;

addEventListener('resize', () => {
  clearTimeout(resizeTimer);
  // Images that load later have the larger size; loaded images remain until they are reloaded.
  resizeTimer = setTimeout(() => { if (tiles.length && neededSide() > side) loadList(neededSide()); }, 200);
});

find('reload').addEventListener('click', () => { restart(); find('status').textContent = 'The images are loaded again.'; });
find('clear-memory').addEventListener('click', (event) =>
  sendCommand(event.currentTarget, '/gallery/clear-memory', 'The memory cache is empty.'));
find('purge-disk').addEventListener('click', (event) =>
  sendCommand(event.currentTarget, '/gallery/purge-disk', 'Both disk caches are empty.'));

function showNotice(text) {
  find('notice').textContent = text;
  find('notice').hidden = false;
}

// Wait for the statistics first: they are above the images, so showing them later would move the images.
Promise.all([loadList(neededSide()), refreshState()]).then(
  () => { if (tiles.length === 0) showNotice('The folder contains no image.'); restart(); },
  (error) => showNotice(`The list of images cannot be loaded: ${error.message}.`),
);
