// Motion fields in the studio: a field takes the body over and gives it back, turns where it is steered, walks, stops and
// stands by the keys, keeps to a line that was drawn, goes to a point, says what it chose among, and a crowd of field
// characters strolls. On procedural motion, with the value functions that ship for it; keys and points also on captured
// motion where that is here.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { long, openHalted, openStudio, outDir } from './support.mjs';

const FIELD = 'field';
const [DIRECTION, LINE, SPEED, POINT] = ['direction', 'line', 'speed', 'point'];
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

async function setMethod(method, on = page) {
    await on.selectOption('#method', method);
    await on.waitForFunction((wanted) => window.amble.state().method === wanted, method, { timeout: 60000 });
}

async function setTask(task, policy = 'lookahead', on = page) {
    await on.selectOption('#task', task);
    await on.selectOption('#policy', policy);
}

/**
 * Plays so many steps with the keys that are down. Gives after how many seconds the root went slower than 0.15 m/s for
 * good and quicker than 0.5 m/s for the first time (over 0.2 s), how far it went in the last second, how quickly joints
 * moved then on average and toes at most, and the heading at the end.
 */
const watch = (on, steps) => on.evaluate((count) => {
    const { engine, studio } = window.amble;
    const toes = [engine.about.roles.left_toe, engine.about.roles.right_toe];
    const places = [];
    let [stands, starts, joints, toe, before, state] = [0, Infinity, 0, 0, null, null];
    for (let i = 0; i < count; i++) {
        state = window.amble.advance(1);
        places.push([state.rootX, state.rootZ]);
        const then = places[Math.max(i - 12, 0)];
        const speed = Math.hypot(state.rootX - then[0], state.rootZ - then[1]) / (Math.min(i, 12) || 1) * 60;
        stands = speed > 0.15 ? (i + 1) / 60 : stands;
        starts = speed > 0.5 ? Math.min(starts, i / 60) : starts;
        const body = Array.from(studio.after);
        for (let j = 0; before && i > count - 60 && 7 * j < body.length; j++) {
            const moved = Math.hypot(...[4, 5, 6].map((k) => body[7 * j + k] - before[7 * j + k])) * 60;
            joints += moved / (59 * body.length / 7);
            toe = toes.includes(j) ? Math.max(toe, moved) : toe;
        }
        before = body;
    }
    const last = places[Math.max(count - 60, 0)];
    return { stands, starts, joints, toe, way: Math.hypot(state.rootX - last[0], state.rootZ - last[1]), heading: state.heading, fallback: state.fallback };
}, steps);

/** W walks, nothing stands with planted feet but no statue, W starts again, D turns by 90 degrees, and all over. */
async function playByKeys(on, limits) {
    await setTask(SPEED, 'lookahead', on);
    await on.evaluate(() => {
        window.amble.studio.reset();
    });
    const told = [];
    for (let round = 0; round < 4; round++) {
        await on.keyboard.down('w');
        const walks = await watch(on, 120 + 13 * round);
        await on.keyboard.up('w');
        assert.ok(walks.starts < 1.6 && walks.way > 0.5, `W: starts after ${walks.starts} s, then ${walks.way} m/s`);
        const rests = await watch(on, limits.rest);
        told.push(rests.stands);
        assert.ok(rests.stands < limits.stands, `let go: stands after ${rests.stands} s`);
        assert.ok(rests.way < 0.02, `a standing character goes ${rests.way} m in a second`);
        assert.ok(rests.toe < 0.05, `the standing character's toes: ${rests.toe} m/s`);
        assert.ok(rests.joints > 0.003 && rests.joints < 0.1, `the standing character's joints: ${rests.joints} m/s`);
        await on.keyboard.down('d');
        const turns = await watch(on, 120);
        assert.ok(Math.abs(wrap(turns.heading + Math.PI / 2)) < 0.2, `D: heading ${turns.heading}`);
        assert.ok(turns.way > 0.5, `D: ${turns.way} m/s`);
        assert.equal(turns.fallback, 0);
        await on.keyboard.up('d');
    }
    console.log(`stands ${told.map((s) => s.toFixed(2)).join(', ')} s after W is let go`);
}

/** A click on the ground sends it there, and there it stands. */
async function goToPoint(on) {
    await setTask(POINT, 'lookahead', on);
    assert.doesNotMatch(await on.textContent('#field-note'), /No value function was trained/);
    await on.evaluate(() => {
        window.amble.studio.reset();
        window.amble.studio.draw(10); // the camera is back
    });
    const at = await on.evaluate(() => window.amble.studio.stage.toScreen(-1, 2.5));
    await on.mouse.click(at.x, at.y);
    const rests = await watch(on, 480);
    const now = await on.evaluate(() => window.amble.state());
    const off = Math.hypot(now.rootX + 1, now.rootZ - 2.5);
    assert.ok(off < 0.7, `${off} m from the point`);
    assert.ok(rests.way < 0.05, `there it stands: ${rests.way} m in the last second`);
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
    assert.ok(field.states > 1000 && field.k === 20, JSON.stringify(field));
    assert.ok(field.values.every((ticks) => ticks > 0), `${field.values}`);
});

test('the method changes while the character walks, and the pose goes on', async () => {
    await setMethod('match');
    await page.evaluate(() => window.amble.studio.reset());
    await page.keyboard.down('w');
    await advance(120);
    const pose = () => page.evaluate(() => Array.from(window.amble.studio.after));
    for (const method of [FIELD, 'match', FIELD]) {
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

test('the panel says how much of the turning is motion', async () => {
    await setTask(SPEED);
    await page.evaluate(() => window.amble.studio.reset());
    await page.keyboard.down('a');
    const turned = await advance(120);
    await page.keyboard.up('a');
    assert.ok(turned.byMotion > 0 && turned.byMotion <= 1, `${turned.byMotion} of the turn`);
    await page.evaluate(() => window.amble.studio.draw(1 / 60));
    assert.match(await page.textContent('#show-turning'), /\d %/);
});

test('it turns to the desired direction within 3 s', async () => {
    await setTask(DIRECTION);
    await page.evaluate(() => window.amble.studio.reset());
    for (const [key, target] of [['w', 0], ['a', Math.PI / 2], ['s', Math.PI], ['d', -Math.PI / 2]]) {
        await page.keyboard.down(key);
        const turned = await advance(180);
        await page.keyboard.up(key);
        const off = Math.abs(wrap(turned.heading - target));
        assert.ok(off < 0.35, `${key}: ${(off * 180 / Math.PI).toFixed(0)} degrees off after 3 s`);
        assert.ok(turned.nearest < 1, `near the data: ${turned.nearest}`);
        assert.equal(turned.fallback, 0);
    }
});

test('by the keys it walks, stops, stands and turns', () => playByKeys(page, { rest: 300, stands: 4 }));
test('a click sends it to a point', () => goToPoint(page));

test('on captured motion it stands within 1.8 s and goes to points', async (t) => {
    const sets = await page.evaluate(() => window.amble.studio.sets.map((set) => set.name));
    if (!sets.includes('fields')) {
        console.log("SKIPPED: the motion capture of the set 'fields' is not here (build/data/accad_male1)");
        t.skip('no motion capture');
        return;
    }
    const other = await openHalted(server, 'fields');
    await other.page.waitForFunction((wanted) => window.amble.state().method === wanted, FIELD, { timeout: 60000 });
    await playByKeys(other.page, { rest: 180, stands: 1.8 });
    await goToPoint(other.page);
    assert.deepEqual(other.errors, []);
    await other.close();
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
    assert.equal((await advance(2)).target, 0, 'steering leaves it');
    await page.keyboard.up('a');
});

test('policies can be chosen, and what they do is said', async () => {
    await setTask(DIRECTION, 'passive');
    assert.match(await page.textContent('#field-note'), /wanders/);
    const passive = await advance(60);
    assert.equal(passive.fallback, 0);
    await setTask(DIRECTION, 'greedy');
    assert.match(await page.textContent('#field-note'), /one tick ahead/);
    await setTask(SPEED);
    await advance(2);
    assert.equal(await page.isVisible('#near'), true);
});

test('a crowd of fifty strolls', { skip: long }, async () => {
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
    await setMethod('match');
    assert.deepEqual(browser.errors, []);
});
