// What the browser tests share: generated motion, the built command, a small web server, headless Chromium.
import { execFileSync, spawn } from 'node:child_process';
import { createReadStream, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { dirname, extname, join, normalize, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { chromium } from 'playwright-core';

export const here = dirname(fileURLToPath(import.meta.url));
export const buildDir = resolve(process.env.AMBLE_BUILD ?? join(here, '../../build/release'));
export const wasmDir = resolve(process.env.AMBLE_WASM ?? join(here, '../../build/wasm'));
/** Where tests leave files: databases, exported motion and pictures. */
export const outDir = resolve(process.env.AMBLE_OUT ?? join(buildDir, 'browser'));
mkdirSync(outDir, { recursive: true });

/** Why a test that takes long is left out; false when all of them run. */
export const long = process.env.AMBLE_QUICK ? 'takes long; ./run test all has it' : false;

/** Runs the built command and gives its stdout. */
export function amble(...args) {
    return execFileSync(join(buildDir, 'amble'), args, { encoding: 'utf8', maxBuffer: 1 << 28 });
}

// ---------------------------------------------------------------------------------------------
// Motion

// name, parent, offset in metres; a name that ends in * carries an end site
const biped = [
    ['Hips', -1, [0, 0.95, 0]], ['Spine', 0, [0, 0.15, 0]], ['Chest', 1, [0, 0.2, 0.01]], ['Head*', 2, [0, 0.25, 0]],
    ['LeftArm', 2, [0.18, 0.15, 0]], ['LeftForeArm', 4, [0.28, 0, 0]], ['LeftHand*', 5, [0.25, 0, 0]],
    ['RightArm', 2, [-0.18, 0.15, 0]], ['RightForeArm', 7, [-0.28, 0, 0]], ['RightHand*', 8, [-0.25, 0, 0]],
    ['LeftUpLeg', 0, [0.09, -0.05, 0]], ['LeftLeg', 10, [0, -0.42, 0]], ['LeftFoot*', 11, [0, -0.42, 0]],
    ['RightUpLeg', 0, [-0.09, -0.05, 0]], ['RightLeg', 13, [0, -0.42, 0]], ['RightFoot*', 14, [0, -0.42, 0]],
];

/** A chain of n joints, all of one length. */
export const chain = (n) => Array.from({ length: n }, (_, i) => [i === n - 1 ? `c${i}*` : `c${i}`, i - 1, [0, 0.1, 0]]);

/** Text of a BVH file in which every joint swings and the root travels. */
export function makeBvh(joints = biped, frames = 90, fps = 60) {
    const children = joints.map((_, j) => joints.flatMap(([, parent], k) => (parent === j ? [k] : [])));
    const order = [];
    const lines = ['HIERARCHY'];
    const put = (j, depth) => {
        const pad = '\t'.repeat(depth);
        const name = joints[j][0].replace('*', '');
        order.push(j);
        lines.push(`${pad}${depth ? 'JOINT' : 'ROOT'} ${name}`, `${pad}{`, `${pad}\tOFFSET ${joints[j][2].join(' ')}`);
        lines.push(`${pad}\tCHANNELS ${depth ? 3 : '6 Xposition Yposition Zposition'} Zrotation Yrotation Xrotation`);
        children[j].forEach((k) => put(k, depth + 1));
        if (joints[j][0].endsWith('*')) {
            lines.push(`${pad}\tEnd Site`, `${pad}\t{`, `${pad}\t\tOFFSET 0 0.08 0.02`, `${pad}\t}`);
        }
        lines.push(`${pad}}`);
    };
    put(0, 0);
    lines.push('MOTION', `Frames: ${frames}`, `Frame Time: ${(1 / fps).toFixed(8)}`);
    for (let f = 0; f < frames; f++) {
        const t = f / fps;
        const row = [0.3 * Math.sin(t), 0.95 + 0.03 * Math.sin(9 * t), 1.2 * t];
        for (const j of order) {
            row.push(20 * Math.sin(3 * t + j), 15 * Math.sin(2 * t + 2 * j), 35 * Math.sin(5 * t + 3 * j));
        }
        lines.push(row.map((v) => v.toFixed(6)).join(' '));
    }
    return `${lines.join('\n')}\n`;
}

/** Writes a made-up BVH below outDir and gives its path. */
export function writeBvh(name, joints, frames, fps) {
    const path = join(outDir, `${name}.bvh`);
    writeFileSync(path, makeBvh(joints, frames, fps));
    return path;
}

/** Paths of a few real clips, or none after saying so. */
export function realClips(set, count) {
    const folder = join(process.env.AMBLE_DATA ?? join(here, '../../build/data'), set);
    if (!existsSync(folder)) {
        console.log(`SKIPPED: the real data set '${set}' is not here (build/data/${set})`);
        return [];
    }
    return readdirSync(folder).filter((name) => name.endsWith('.bvh')).sort().slice(0, count).map((name) => join(folder, name));
}

/** Rows of a CSV that amble wrote: { names, rows }, names without their .px and the like. */
export function parseCsv(text) {
    const [head, ...lines] = text.trim().split('\n');
    const names = head.split(',').slice(1).filter((column) => column.endsWith('.px')).map((column) => column.slice(0, -3));
    return { names, rows: lines.map((line) => line.split(',').map(Number)) };
}

// ---------------------------------------------------------------------------------------------
// Server

const types = { '.html': 'text/html', '.mjs': 'text/javascript', '.js': 'text/javascript', '.wasm': 'application/wasm' };

/** Serves the page, three.js, the exported files and the wasm build on a free port: { url, close }. */
export function serve() {
    const roots = { page: join(here, 'page'), three: join(here, 'node_modules/three'), files: outDir, wasm: wasmDir };
    const server = createServer((request, response) => {
        const [, root, ...rest] = normalize(decodeURIComponent(new URL(request.url, 'http://x').pathname)).split('/');
        const path = roots[root] && join(roots[root], ...rest);
        if (!path || !path.startsWith(roots[root]) || !existsSync(path) || !statSync(path).isFile()) {
            response.writeHead(404).end();
            return;
        }
        response.writeHead(200, { 'content-type': types[extname(path)] ?? 'application/octet-stream' });
        createReadStream(path).pipe(response);
    });
    return new Promise((done) => {
        server.listen(0, '127.0.0.1', () => {
            done({ url: `http://127.0.0.1:${server.address().port}`, close: () => server.close() });
        });
    });
}

/** Starts `amble studio` on a free port, its databases in `cache`: { url, sets, stop }. */
export function openStudio(cache, ...more) {
    return startStudio(join(buildDir, 'amble'), ['--wasm', wasmDir, '--cache', cache, ...more]);
}

/** The same with any command; `options` are those of spawn. */
export async function startStudio(program, more = [], options = {}) {
    const args = ['studio', '--no-open', '--json', '--port', '0', ...more];
    const child = spawn(program, args, { ...options, stdio: ['ignore', 'pipe', 'pipe'] });
    let complaint = '';
    child.stderr.on('data', (text) => {
        complaint += text;
    });
    const ended = new Promise((done) => child.on('exit', done));
    const line = await new Promise((done, fail) => {
        let text = '';
        child.stdout.on('data', (part) => {
            text += part;
            if (text.includes('\n')) {
                done(text);
            }
        });
        ended.then((code) => fail(new Error(`amble studio ended with ${code}: ${complaint}`)));
    });
    const stop = () => {
        child.kill('SIGINT');
        return ended;
    };
    return { ...JSON.parse(line), stop };
}

// ---------------------------------------------------------------------------------------------
// Browser

function findChromium() {
    const names = [process.env.CHROMIUM, '/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];
    const path = names.filter(Boolean).find((name) => existsSync(name));
    if (!path) {
        throw new Error('no Chromium found; install the package chromium, or name one in CHROMIUM');
    }
    return path;
}

/** Opens a page at `url` in a fresh browser; `errors` gathers whatever the page complains about. */
export async function openPage(url) {
    const profile = mkdtempSync(join(tmpdir(), 'amble-browser-'));
    const context = await chromium.launchPersistentContext(profile, {
        executablePath: findChromium(),
        headless: true,
        viewport: { width: 640, height: 360 },
        // As root there is no sandbox; the others keep a machine without a network from waiting for one.
        args: ['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking',
            '--disable-component-update', '--disable-sync', '--enable-unsafe-swiftshader'],
    });
    const page = await context.newPage();
    const errors = [];
    page.on('console', (message) => message.type() === 'error' && errors.push(message.text()));
    page.on('pageerror', (error) => errors.push(String(error)));
    page.on('requestfailed', (request) => errors.push(`failed: ${request.url()}`));
    await page.goto(url);
    const close = async () => {
        await context.close();
        rmSync(profile, { recursive: true, force: true });
    };
    return { page, errors, close };
}

/**
 * Opens the studio's page with a data set, its clock stopped: tests advance it step by step. A picture is drawn after
 * each advance() of several steps, not all the time: without a graphics card pictures take most of a test.
 */
export async function openHalted(server, set) {
    const browser = await openPage(`${server.url}/?quality=low&set=${set}`);
    await browser.page.waitForFunction(() => window.amble, null, { timeout: 60000 });
    await browser.page.evaluate(() => {
        const { studio, advance } = window.amble;
        window.amble.pause();
        studio.blind = true;
        studio.draw(10); // the camera is where it comes to rest
        window.amble.advanceUnseen = advance; // for tests that draw by themselves
        window.amble.advance = (steps) => {
            const state = advance(steps);
            if (steps > 1) {
                studio.pictures = 0; // the panel, too, which has its turn at every sixth picture
                studio.draw(steps / 60);
            }
            return state;
        };
    });
    await browser.page.screenshot(); // a page that has never been painted may lose what the mouse does
    return browser;
}
