// Motion fields in the studio: a field takes the body over and gives it back, turns where it is steered, keeps to a line
// that was drawn, says what it chose among, and a crowd of field characters strolls. On procedural motion, with the value
// functions that ship for it.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { openHalted, openStudio, outDir } from './support.mjs';

const FIELD = 4;
const [DIRECTION, LINE, SPEED] = [0, 1, 2];
let server, browser, page;

before(async () => {
    server = await openStudio(join(outDir, 'studio'));
    browser = await openHalted(server, 'synth');
    page = browser.page;
});
after(async () => {
    await browser?.close();
    await server?.stop();
});

const advance = (steps) => page.evaluate((count) => window.amble.advance(count), steps);
const wrap = (angle) => Math.atan2(Math.sin(angle), Math.cos(angle));

async function setMethod(method) {
    await page.selectOption('#method', String(method));
    await page.waitForFunction((wanted) => window.amble.state().method === wanted, method, { timeout: 60000 });
}

async function setTask(task, policy = 0) {
    await page.selectOption('#task', String(task));
    await page.selectOption('#policy', String(policy));
}

/** The farthest that any joint moves between two lists of joints. */
function farthest(before, after) {
    let most = 0;
    for (let i = 0; i < before.length; i += 7) {
        most = Math.max(most, Math.hypot(after[i + 4] - before[i + 4], after[i + 5] - before[i + 5], after[i + 6] - before[i + 6]));
    }
    return most;
}

test('the value functions that ship fit the database that the studio builds', async () => {
    await setMethod(FIELD);
    const { field, notice } = await page.evaluate(() => ({ field: window.amble.engine.about.field, notice: document.getElementById('notice').hidden }));
    assert.ok(notice, 'no complaint about them');
    assert.ok(field.states > 1000 && field.k === 15, JSON.stringify(field));
    assert.ok(field.values[DIRECTION] > 0 && field.values[LINE] > 0 && field.values[SPEED] > 0, `${field.values}`);
});

test('the method changes while the character walks, and the pose goes on', async () => {
    await setMethod(0);
    await page.evaluate(() => window.amble.studio.reset());
    await page.keyboard.down('w');
    await advance(120);
    const pose = () => page.evaluate(() => Array.from(window.amble.studio.after));
    for (const method of [FIELD, 0, FIELD]) {
        const last = await pose();
        await setMethod(method);
        await advance(1);
        const jump = farthest(last, await pose());
        assert.ok(jump < 0.12, `a joint jumped by ${jump} m with method ${method}`);
        const on = await advance(90);
        assert.ok(on.speed > 0.4, `speed ${on.speed} with method ${method}`);
        assert.equal(on.near.length > 0, method === FIELD, 'only a field has neighbours');
    }
    await page.keyboard.up('w');
});

test('it turns to the wished direction within 3 s', async () => {
    await setTask(DIRECTION);
    await page.evaluate(() => window.amble.studio.reset());
    for (const [key, wish] of [['w', 0], ['a', Math.PI / 2], ['s', Math.PI], ['d', -Math.PI / 2]]) {
        await page.keyboard.down(key);
        const turned = await advance(180);
        await page.keyboard.up(key);
        const off = Math.abs(wrap(turned.heading - wish));
        assert.ok(off < 0.35, `${key}: ${(off * 180 / Math.PI).toFixed(0)} degrees off after 3 s`);
        assert.ok(turned.nearest < 1, `near the data: ${turned.nearest}`);
        assert.equal(turned.fallback, 0);
    }
});

test('it keeps to a line that is dragged on the ground', async () => {
    await setTask(LINE);
    await page.evaluate(() => {
        window.amble.studio.reset();
        window.amble.studio.draw(1 / 60);
    });
    const screen = (x, z) => page.evaluate(([a, b]) => window.amble.studio.stage.toScreen(a, b), [x, z]);
    const [from, to] = [await screen(0.8, 1), await screen(0.8, 4)];
    await page.mouse.move(from.x, from.y);
    await page.mouse.down();
    await page.mouse.move(to.x, to.y, { steps: 3 });
    await page.mouse.up();
    await advance(300);
    const now = await advance(1);
    assert.equal(now.target, 1);
    assert.ok(Math.abs(now.rootX - 0.8) < 0.25, `across the line: ${now.rootX - 0.8} m`);
    assert.ok(Math.abs(wrap(now.heading)) < 0.35 && now.rootZ > 1, `along it: heading ${now.heading}, z ${now.rootZ}`);
    await page.evaluate(() => window.amble.studio.draw(1 / 60));
    assert.ok(await page.evaluate(() => window.amble.studio.aim.line.mesh.visible), 'the line is drawn');
    await page.screenshot({ path: join(outDir, 'field-line.png') });
    const hash = await page.evaluate(() => window.amble.engine.hash());
    assert.equal(await page.evaluate(() => window.amble.replay(window.amble.studio.log.slice())), hash, 'a replay is sent along, too');
    await page.keyboard.down('a');
    assert.equal((await advance(2)).target, 0, 'who steers leaves it');
    await page.keyboard.up('a');
});

test('policies can be chosen, and what they do is said', async () => {
    await setTask(DIRECTION, 2);
    assert.match(await page.textContent('#field-note'), /wanders/);
    const passive = await advance(60);
    assert.equal(passive.fallback, 0);
    await setTask(DIRECTION, 1);
    assert.match(await page.textContent('#field-note'), /one tick ahead/);
    await setTask(3, 0); // no values for points on procedural motion
    assert.match(await page.textContent('#field-note'), /Nobody trained/);
    await setTask(SPEED, 0);
    assert.equal(await page.isVisible('#near'), true);
});

test('a crowd of fifty strolls', async () => {
    await page.evaluate(() => {
        window.amble.studio.blind = true;
    });
    await page.selectOption('#crowd', { label: '50' });
    const hips = () => page.evaluate(() => window.amble.studio.hips);
    const first = await hips();
    assert.equal(first.length, 50);
    const last = await advance(120);
    const moved = (await hips()).filter((at, i) => i > 0 && Math.hypot(at.x - first[i].x, at.z - first[i].z) > 0.5).length;
    assert.ok(moved >= 25, `${moved} of 49 went somewhere in 2 s`);
    assert.equal(last.fallback, 0);
    await page.selectOption('#crowd', { label: '1' });
    assert.equal((await hips()).length, 1);
    await setMethod(0);
    assert.deepEqual(browser.errors, []);
});
