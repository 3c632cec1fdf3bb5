// What a newcomer has: a clone without motion capture. The page then begins with the everyday character, and each key,
// a drawn path and a push do what the help says.
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, beforeEach, test } from 'node:test';
import { buildDir, openHalted, outDir, startStudio, wasmDir } from './support.mjs';

const engine = existsSync(join(wasmDir, '../ode-wasm/lib/libode.a'));
let server, browser, page;

before(async () => {
    const env = { ...process.env, AMBLE_DATA: join(outDir, 'nowhere') };
    server = await startStudio(join(buildDir, 'amble'), ['--wasm', wasmDir, '--cache', join(outDir, 'studio')], { env });
    browser = await openHalted(server, '');
    page = browser.page;
});
after(async () => {
    await browser?.close();
    await server?.stop();
});
beforeEach(async () => {
    await page.evaluate(() => window.amble.studio.reset());
    await advance(30);
});

const advance = (steps) => page.evaluate((count) => window.amble.advance(count), steps);
const hips = () => page.evaluate(() => window.amble.studio.after[5]);
const wrap = (angle) => Math.atan2(Math.sin(angle), Math.cos(angle));

/** Holds keys for so many steps; gives the state after them and how it moved in the last second. */
async function hold(keys, steps) {
    for (const key of keys) {
        await page.keyboard.down(key);
    }
    const then = await advance(steps - 60);
    const now = await advance(60);
    for (const key of keys) {
        await page.keyboard.up(key);
    }
    const [x, z] = [now.rootX - then.rootX, now.rootZ - then.rootZ];
    return { ...now, mps: Math.hypot(x, z), way: Math.atan2(x, z) };
}

/** It stands: slow, in its activity, and upright. */
async function stands(steps = 150) {
    const standing = await advance(steps);
    assert.ok(standing.speed < 0.15, `stands at ${standing.speed} m/s`);
    assert.equal(standing.activity, 'stand');
    assert.equal(standing.fallback, 0);
}

test('the page begins with the everyday character, and no key is struck out', async () => {
    const state = await advance(1);
    assert.equal(state.set, 'everyday');
    assert.equal(state.method, 'learned');
    const rows = await page.evaluate(() => Array.from(document.querySelectorAll('#help div'), (row) => [row.className, row.textContent]));
    assert.ok(rows.length >= 6, JSON.stringify(rows));
    assert.deepEqual(rows.filter(([name]) => name.includes('absent')), []);
});

for (const [key, heading] of [['w', 0], ['a', Math.PI / 2], ['s', Math.PI], ['d', -Math.PI / 2]]) {
    test(`${key.toUpperCase()} walks its way, and letting go stops`, async () => {
        const walking = await hold([key], 180);
        assert.ok(Math.abs(walking.mps - 1.2) < 0.25, `walks at ${walking.mps} m/s`);
        assert.ok(Math.abs(wrap(walking.way - heading)) < 0.2, `goes ${walking.way} rad, not ${heading}`);
        assert.ok(Math.abs(wrap(walking.heading - heading)) < 0.35, `faces ${walking.heading} rad, not ${heading}`);
        await stands();
    });
}

test('networks are listed by words, not by the name of a config', async () => {
    const { sets } = await page.evaluate(() => fetch('api/sets').then((response) => response.json()));
    const titles = Object.fromEntries(sets.map(({ name, title }) => [name, title]));
    assert.equal(titles.locomotion, 'locomotion, learned');
    assert.equal(titles.salsa, 'salsa and walks, learned');
    for (const title of Object.values(titles)) {
        assert.doesNotMatch(title, /_/);
    }
});

test('two keys walk between them', async () => {
    const walking = await hold(['w', 'd'], 180);
    assert.ok(Math.abs(wrap(walking.way + Math.PI / 4)) < 0.2, `goes ${walking.way} rad`);
});

test('Shift sprints, and letting it go walks again', async () => {
    await page.keyboard.down('w');
    const running = await hold(['Shift'], 210);
    assert.ok(running.mps > 2.2, `runs at ${running.mps} m/s`);
    const walking = await hold([], 180);
    await page.keyboard.up('w');
    assert.ok(Math.abs(walking.mps - 1.2) < 0.35, `walks at ${walking.mps} m/s`);
    await stands();
});

test('the arrows change the speed', async () => {
    await hold(['ArrowDown'], 90);
    const slow = await hold(['w'], 180);
    await hold(['ArrowUp'], 90);
    const usual = await hold(['w'], 180);
    assert.ok(slow.mps < usual.mps - 0.2, `${slow.mps} m/s after the down arrow, ${usual.mps} after the up arrow`);
});

test('J jumps with a wind-up out of a walk, and it walks on', async () => {
    const upright = await hips();
    await page.keyboard.down('w');
    await advance(60);
    await page.keyboard.down('j');
    assert.equal((await advance(3)).activity, 'jump');
    const heights = [];
    for (let i = 0; i < 24; i++) {
        await advance(3);
        heights.push(await hips());
        if (i === 4) {
            await page.keyboard.up('j');
        }
    }
    const top = heights.indexOf(Math.max(...heights));
    assert.ok(heights[top] > upright + 0.15, `jumps to ${heights[top]} m`);
    assert.ok(Math.min(...heights.slice(0, top)) < upright - 0.04, `winds up to ${Math.min(...heights.slice(0, top))} m`);
    const on = await advance(120);
    await page.keyboard.up('w');
    assert.equal(on.activity, 'move', 'it walks out of the jump');
    assert.ok(on.speed > 0.8, `at ${on.speed} m/s`);
});

test('C creeps while it is held', async () => {
    const upright = await hips();
    await page.keyboard.down('w');
    await advance(60);
    const creeping = await hold(['c'], 150);
    assert.equal(creeping.activity, 'creep');
    assert.ok(await hips() < upright - 0.08, `creeps at ${await hips()} m`);
    const walking = await hold([], 150);
    await page.keyboard.up('w');
    assert.equal(walking.activity, 'move');
    assert.ok(await hips() > upright - 0.06, `rises to ${await hips()} m`);
});

test('P dances on the spot until it is steered', async () => {
    await page.keyboard.down('p');
    const places = [];
    for (let i = 0; i < 20; i++) {
        const state = await advance(6);
        assert.equal(state.activity, 'dance');
        places.push(await page.evaluate(() => Array.from(window.amble.studio.after)));
    }
    await page.keyboard.up('p');
    let moved = 0;
    for (let i = 4; i < places[0].length; i += 7) { // of each joint the farthest two places
        for (const place of places) {
            moved = Math.max(moved, Math.hypot(place[i] - places[0][i], place[i + 1] - places[0][i + 1], place[i + 2] - places[0][i + 2]));
        }
    }
    assert.ok(moved > 0.2, `joints move by up to ${moved} m in two seconds`);
    const walking = await hold(['w'], 180);
    assert.equal(walking.activity, 'move');
    assert.ok(walking.mps > 0.8, `then walks at ${walking.mps} m/s`);
    await stands();
});

test('a path is drawn and walked to its end, with Shift sooner', async () => {
    await page.selectOption('#mode', { label: 'draw a path' });
    const seconds = [];
    for (const keys of [[], ['Shift']]) {
        await page.click('#reset');
        await page.evaluate(() => {
            const { studio } = window.amble;
            studio.stage.follow(studio.after[4], 0.9, studio.after[6], 60);
        });
        const places = Array.from({ length: 10 }, (_, i) => [0.8 * Math.sin(i / 3), 0.4 * i]);
        const ways = await page.evaluate((all) => all.map(([x, z]) => window.amble.studio.stage.toScreen(x, z)), places);
        await page.mouse.move(ways[0].x, ways[0].y);
        await page.mouse.down();
        for (const { x, y } of ways.slice(1)) {
            await page.mouse.move(x, y, { steps: 3 });
        }
        await page.mouse.up();
        for (const key of keys) {
            await page.keyboard.down(key);
        }
        const steps = await page.evaluate(() => {
            window.amble.advance(1);
            let count = 1;
            for (; count < 1800 && window.amble.studio.view.path === 1; count++) {
                window.amble.studio.step();
            }
            return count;
        });
        for (const key of keys) {
            await page.keyboard.up(key);
        }
        const there = await advance(90);
        const end = await page.evaluate(() => window.amble.studio.play.drawn[0].at(-1));
        assert.equal(there.path, 2, 'the path has ended');
        const off = Math.hypot(there.rootX - end[1] - there.pathX, there.rootZ - end[2] - there.pathZ);
        assert.ok(off < 0.35, `it stands ${off} m from the end`);
        seconds.push(steps / 60);
    }
    await page.selectOption('#mode', { index: 0 });
    assert.ok(seconds[1] < seconds[0] + 0.1, `${seconds[0]} s, with Shift ${seconds[1]}`);
});

test('a drag on the body pushes it, and it catches itself', { skip: engine ? false : 'no Open Dynamics Engine for WebAssembly' }, async () => {
    const screen = await page.evaluate(() => {
        const { studio, engine: { about } } = window.amble;
        const [x, y, z] = studio.after.slice(7 * about.roles.chest + 4, 7 * about.roles.chest + 7);
        studio.draw(10);
        return studio.stage.toScreen(x, z, y);
    });
    const before = await advance(1);
    await page.mouse.move(screen.x, screen.y);
    await page.mouse.down();
    await page.mouse.move(screen.x + 160, screen.y, { steps: 3 });
    await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
    await page.mouse.up();
    const pushed = await advance(1);
    assert.equal(pushed.pushes, 1);
    const later = await advance(60);
    assert.ok(later.rootX < before.rootX - 0.05, `it goes along: ${later.rootX - before.rootX} m`);
    await stands(180);
    assert.ok(await hips() > 0.85, `and stays on its feet, hips at ${await hips()} m`);
});

test('the page has nothing to complain about', () => assert.deepEqual(browser.errors, []));
