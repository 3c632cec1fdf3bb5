// The studio as a user meets it: the server starts, the page loads, keys and a gamepad steer, and the page computes
// what the command computes.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { amble, buildDir, long, openHalted, openStudio, outDir, realClips, wasmDir } from './support.mjs';

const cache = join(outDir, 'studio');
const captured = ['locomotion', 'jump', 'low', 'dance'].every((set) => realClips(set, 1).length > 0);
let server, browser, page;

const startStudio = (...more) => openStudio(cache, ...more);

before(async () => {
    server = await startStudio();
    browser = await openHalted(server, 'synth');
    page = browser.page;
});
after(async () => {
    await browser?.close();
    await server?.stop();
});

const advance = (steps) => page.evaluate((count) => window.amble.advance(count), steps);
const state = () => page.evaluate(() => window.amble.state());
const restart = () => page.evaluate(() => window.amble.studio.reset());
const down = (name) => page.keyboard.down(name);
const up = (name) => page.keyboard.up(name);

/** Chooses a data set in the panel and waits until it plays, with the clock stopped. */
async function choose(name) {
    await page.selectOption('#set', name);
    await page.waitForFunction((set) => window.amble.state().set === set, name, { timeout: 60000 });
    await page.evaluate(() => window.amble.pause());
}

/** Steps until the activity is no longer `activity`; gives the steps it took and how high the hips were at most. */
const outlast = (activity, most) => page.evaluate(([name, limit]) => {
    let high = 0;
    for (let i = 1; i <= limit; i++) {
        const now = window.amble.advance(1);
        high = Math.max(high, window.amble.studio.after[5]);
        if (now.activity !== name) {
            return { steps: i, high };
        }
    }
    return { steps: Infinity, high };
}, [activity, most]);

/** Mean height of the hips over some steps; walks bob and dip. */
const meanHips = (steps) => page.evaluate((count) => {
    let sum = 0;
    for (let i = 0; i < count; i++) {
        window.amble.advance(1);
        sum += window.amble.studio.after[5];
    }
    return sum / count;
}, steps);

const hipHeight = () => page.evaluate(() => window.amble.studio.after[5]);

// ---------------------------------------------------------------------------------------------
// What every set can

async function walks() {
    await restart();
    await down('w');
    const walked = await advance(120);
    assert.ok(walked.rootZ > 1, `after 2 s of W it is at z = ${walked.rootZ}`);
    assert.ok(Math.abs(walked.rootX) < 0.5, `and not aside, x = ${walked.rootX}`);
    assert.equal(walked.activity, 'move');
    await up('w');
    const stopped = await advance(120);
    assert.ok(stopped.speed < 0.1, `2 s after W is released it still moves at ${stopped.speed} m/s`);
    assert.equal(stopped.activity, 'stand');
}

async function turns() {
    await restart();
    await down('w');
    await advance(60);
    await down('a');
    const left = await advance(90);
    await up('a');
    assert.ok(left.heading > 0.4, `A turns to +x, heading ${left.heading}`);
    await down('d');
    const right = await advance(120);
    await up('d');
    await up('w');
    assert.ok(right.heading < -0.4, `D turns to -x, heading ${right.heading}`);
}

async function jumps() {
    await restart();
    await down('w');
    await advance(60);
    const standing = await hipHeight();
    await down('j');
    const began = await advance(6);
    await up('j');
    assert.equal(began.activity, 'jump');
    const { steps, high } = await outlast('jump', 240);
    await up('w');
    assert.ok(steps < 240, 'a jump ends by itself');
    assert.ok(high > standing + 0.05, `the hips rise, from ${standing} to ${high}`);
}

async function creeps() {
    await restart();
    await down('w');
    await advance(60);
    const upright = await meanHips(60);
    await down('c');
    await advance(60);
    const low = await meanHips(60);
    assert.equal((await state()).activity, 'creep');
    await up('c');
    assert.ok(low < upright - 0.06, `the hips are lower: ${low}, upright ${upright}`);
    const rose = await advance(120);
    await up('w');
    assert.equal(rose.activity, 'move');
}

/** A minute of keys, recorded in the page, gives the same state again in the page and with `amble run`. */
async function agrees(set) {
    const seconds = long ? 15 : 60;
    await page.evaluate(() => {
        window.amble.engine.set({ walk_mps: 0 });
        window.amble.studio.reset();
    });
    const presses = ['w', 'a', 'd', 'Shift', 'j', 's', 'c'];
    let held = [];
    for (let i = 0; i < seconds; i++) {
        const next = presses.filter((_, k) => (i * 7 + k * k * 3 + (i >> 2)) % 5 < (k === 0 ? 3 : 1));
        for (const name of held.filter((item) => !next.includes(item))) {
            await up(name);
        }
        for (const name of next.filter((item) => !held.includes(item))) {
            await down(name);
        }
        held = next;
        await advance(60);
    }
    for (const name of held) {
        await up(name);
    }
    const { hash, log, keys, names } = await page.evaluate(() => ({ hash: window.amble.engine.hash(), log: window.amble.studio.log,
        keys: window.amble.studio.log.map((item) => item.keys), names: window.amble.engine.about.keys }));
    assert.equal(log.length, 60 * seconds);
    assert.equal(await page.evaluate((steps) => window.amble.replay(steps), log), hash, 'the same again in the page');
    // With W alone: the first step of a jump does not mind it.
    const walks = log.findIndex(({ keys: bits }, i) => i >= 15 * seconds && bits === 1);
    assert.ok(walks >= 0, 'the keys walk somewhere');
    const other = log.map((item, i) => (i === walks ? { keys: item.keys ^ 1 } : item));
    assert.notEqual(await page.evaluate((steps) => window.amble.replay(steps), other), hash, 'one key in one step is told apart');
    const events = [];
    keys.forEach((bits, frame) => {
        if (frame === 0 || bits !== keys[frame - 1]) {
            events.push({ t: frame / 60, down: names.filter((_, k) => bits & (1 << k)) });
        }
    });
    const script = join(outDir, `studio-${set}.json`);
    const run = { database: join(cache, `${set}.amdb`), controller: 'match', fps: 60, seconds, characters: [{ keys: events }] };
    writeFileSync(script, JSON.stringify(run));
    const native = JSON.parse(amble('run', script, '--json'));
    assert.equal(native.frames, 60 * seconds);
    assert.equal(hash, native.hash, 'page and command');
}

// ---------------------------------------------------------------------------------------------

test('the server lists its sets and gives nothing else away', async () => {
    const { sets } = await (await fetch(`${server.url}/api/sets`)).json();
    const synth = sets.find((set) => set.name === 'synth');
    assert.equal(synth.ready, true);
    assert.ok(synth.frames > 10000 && synth.bytes < 60e6);
    // Without motion capture the page begins with the learned character that ships.
    assert.equal(sets[0].name, captured ? 'cmu' : 'everyday');
    for (const path of ['/db/none.amdb', '/db/..%2f..%2frun', '/wasm/libamble.a', '/..%2f..%2f..%2fREADME.md']) {
        assert.equal((await fetch(server.url + path)).status, 404, path);
    }
    const opener = (await fetch(server.url)).headers.get('cross-origin-opener-policy');
    assert.equal(opener, 'same-origin');
});

test('the camera looks at the character', async () => {
    const [from, at] = await page.evaluate(() => {
        const { camera, target } = window.amble.studio.stage;
        return [camera.position.toArray(), target.toArray()];
    });
    assert.ok(Math.hypot(at[0], at[1] - 0.9, at[2]) < 0.3, `looks at ${at}`);
    assert.ok(from[2] < -3 && Math.abs(from[0]) < 0.3, `from ${from}`);
});

test('W walks forward and letting go stops', walks);
test('A and D turn', turns);
test('J jumps and lands', jumps);
test('C creeps while held', creeps);

test('a key without motion is struck out and says why', async () => {
    const rows = await page.evaluate(() => Array.from(document.querySelectorAll('#help .absent'), (row) => [row.textContent, row.title]));
    assert.deepEqual(rows, [['Pdance', 'this data set has no dance']]);
});

test('a key let go under Ctrl is let go, and a window that loses the focus lets go of all', async () => {
    await restart();
    await down('w');
    await down('Control');
    await up('w');
    await up('Control');
    assert.equal((await advance(1)).desiredZ, 0);
    await down('w');
    assert.ok((await advance(1)).desiredZ > 0);
    await page.evaluate(() => window.dispatchEvent(new Event('blur')));
    assert.equal((await advance(1)).desiredZ, 0);
    await up('w');
});

test('controls can be worked by the keyboard and keep their keys', async () => {
    await restart();
    const ik = page.locator('#ik');
    const was = await ik.isChecked();
    await ik.focus();
    await page.keyboard.press('Space');
    assert.equal(await ik.isChecked(), !was, 'Space ticks a box');
    await ik.focus();
    await page.keyboard.press('Space');
    assert.equal(await ik.isChecked(), was);
    await down('w');
    await advance(60);
    await up('w');
    await page.locator('#reset').focus();
    await page.keyboard.press('Space');
    const after = await state();
    assert.equal(after.steps, 0, 'Space presses Restart');
    assert.notEqual((await advance(3)).activity, 'jump');
    const unnamed = await page.evaluate(() => [...document.querySelectorAll('select, input, button')]
        .filter((item) => !item.ariaLabel && !item.labels?.length && !item.textContent).length);
    assert.equal(unnamed, 0, 'every control has a name');
});

test('the panel adds up to the cost of the frame that was chosen', async () => {
    await restart();
    await down('w');
    const gaps = await page.evaluate(() => Array.from({ length: 120 }, () => window.amble.advance(1))
        .filter((now) => now.searched).map((now) => Math.abs(now.costs.reduce((a, b) => a + b, 0) - now.cost) / (now.cost + 1)));
    await up('w');
    assert.ok(gaps.length > 5 && Math.max(...gaps) < 1e-4, `gaps ${gaps}`);
});

test('the arrows change one target speed, however the camera stands', async () => {
    await restart();
    const before = (await advance(1)).targetMps;
    await page.evaluate(() => {
        const { stage } = window.amble.studio;
        stage.turned = true;
        stage.camera.position.x += 3;
    });
    await down('ArrowUp');
    const turned = await advance(30);
    await up('ArrowUp');
    await page.click('#camera');
    assert.ok(Math.abs(turned.targetMps - before - 0.5) < 1e-3, `from ${before} to ${turned.targetMps}`);
    await down('w');
    const walks = await advance(1);
    await up('w');
    assert.ok(Math.abs(walks.desiredZ - turned.targetMps) < 1e-4, `target ${walks.desiredZ}`);
});

test('the trunk bends as one skin', async () => {
    const { rings, sharpest } = await page.evaluate(() => {
        const { studio } = window.amble;
        const [figure] = studio.bodies;
        const skins = figure.object.children.filter((item) => item.isSkinnedMesh);
        const [mesh] = skins;
        const bent = Float32Array.from(studio.after);
        const chain = mesh.skeleton.bones.map((bone) => figure.groups.indexOf(bone));
        const length = (i) => Math.hypot(...figure.reach(chain[i - 1], chain[i]).toArray());
        // Every joint of the spine half a radian further forward than the one below it.
        let [y, z] = [1, 0];
        chain.forEach((joint, i) => {
            y += i === 0 ? 0 : length(i) * Math.cos(0.5 * (i - 1));
            z += i === 0 ? 0 : length(i) * Math.sin(0.5 * (i - 1));
            bent.set([Math.sin(0.25 * i), 0, 0, Math.cos(0.25 * i), 0, y, z], 7 * joint);
        });
        figure.update(bent);
        figure.object.updateMatrixWorld(true);
        const place = (ring, k) => mesh.getVertexPosition(33 * ring + k, mesh.position.clone());
        const count = mesh.geometry.attributes.position.count / 33;
        const planes = Array.from({ length: count }, (_, r) => place(r, 0).sub(place(r, 16)).cross(place(r, 8).sub(place(r, 24))).normalize());
        const turns = planes.slice(1).map((plane, r) => plane.angleTo(planes[r]));
        figure.update(studio.after);
        return { rings: skins.length === 1 ? count : 0, sharpest: Math.max(...turns) };
    });
    assert.ok(rings > 20, 'one skin');
    assert.ok(sharpest > 0.01 && sharpest < 0.25, `a ring turns by ${sharpest} against its neighbour`);
});

test('of two data sets asked for at once the last one plays', async () => {
    const [first, last] = await page.evaluate(async () => {
        const { studio } = window.amble;
        const names = [studio.sets[0].name, 'synth'];
        const fetchAsBefore = window.fetch;
        let calls = 0;
        window.fetch = async (...what) => {
            const slow = calls++ === 0;
            const answer = await fetchAsBefore(...what);
            await new Promise((done) => setTimeout(done, slow ? 400 : 0));
            return answer;
        };
        const loads = [studio.load(names[0]), studio.load('synth')];
        await Promise.all(loads);
        window.fetch = async () => new Response('no such database', { status: 404 });
        await studio.load(names[0]);
        window.fetch = fetchAsBefore;
        return [studio.current, document.getElementById('set').value];
    });
    assert.equal(first, 'synth');
    assert.equal(last, 'synth', 'a set that could not be loaded is not shown as the one that plays');
    assert.match(await page.textContent('#notice'), /no such database/);
    await page.evaluate(() => {
        window.amble.pause();
        window.amble.studio.notice(null);
    });
});

test('a gamepad steers', async () => {
    await restart();
    const hold = (axes, pressed) => page.evaluate(([sticks, button]) => {
        const buttons = Array.from({ length: 16 }, (_, i) => ({ pressed: i === button, value: i === button ? 1 : 0 }));
        navigator.getGamepads = () => [{ connected: true, axes: sticks, buttons }];
    }, [axes, pressed]);
    await hold([0, -1, 0, 0], -1);
    const walked = await advance(120);
    assert.ok(walked.rootZ > 1, `stick forward, z = ${walked.rootZ}`);
    await hold([1, 0, 0, 0], -1);
    const aside = await advance(120);
    assert.ok(aside.rootX < -0.6, `stick right, x = ${aside.rootX}`);
    await hold([0, -1, 0, 0], 0);
    assert.equal((await advance(6)).activity, 'jump');
    await page.evaluate(() => {
        navigator.getGamepads = () => [];
    });
    await advance(240);
    assert.equal((await state()).activity, 'stand');
});

test('options and views change while it runs', async () => {
    await restart();
    await down('w');
    await advance(60);
    const from = await state();
    await page.selectOption('#inertialise', { label: 'quintic' });
    await page.uncheck('#ik');
    await page.selectOption('#body', { label: 'skeleton' });
    const later = await advance(60);
    await up('w');
    assert.ok(later.rootZ > from.rootZ + 0.3, 'it walks on from where it was');
    assert.equal(later.locked, 0, 'no foot is held without IK');
    await page.check('#ik');
    await page.selectOption('#inertialise', { label: 'spring' });
    await page.selectOption('#body', { label: 'figure' });
    assert.deepEqual(await page.evaluate(() => window.amble.studio.bodies.map((body) => body.object.visible).slice(0, 2)),
        [true, false]);
});

test('the mannequin stands on the feet of the rig', async (t) => {
    if (await page.evaluate(() => window.amble.studio.bodies.length < 3)) {
        t.skip('the mannequin is not installed');
        return;
    }
    await restart();
    await page.selectOption('#body', { label: 'mannequin' });
    await down('w');
    await advance(80);
    await up('w');
    const apart = await page.evaluate(() => {
        const { studio, engine } = window.amble;
        const [, , mannequin] = studio.bodies;
        mannequin.update(studio.after);
        mannequin.object.updateMatrixWorld(true);
        return ['left', 'right'].map((side) => {
            const { elements } = mannequin.bones[`${side}Foot`].matrixWorld;
            const at = 7 * engine.about.roles[`${side}_foot`] + 4;
            return Math.hypot(...[0, 1, 2].map((k) => elements[12 + k] - studio.after[at + k]));
        });
    });
    await page.selectOption('#body', { label: 'figure' });
    assert.ok(apart.every((metres) => metres < 0.001), `feet are ${apart} m off`);
});

test('hands of the mannequin go on along its forearms, whatever pose its rig was measured in', async (t) => {
    if (await page.evaluate(() => window.amble.studio.bodies.length < 3)) {
        t.skip('the mannequin is not installed');
        return;
    }
    const bends = await page.evaluate(async () => {
        const { loadModel } = await import('/mannequin.js');
        const [figure, , mannequin] = window.amble.studio.bodies;
        const { joints, roles } = figure.about;
        const model = await loadModel();
        const bend = (degrees) => {
            // The arms lowered by an angle: about the shoulder, with all that hangs on it.
            const pose = figure.pose.map((matrix) => matrix.clone());
            for (const [side, sign] of [['left', -1], ['right', 1]]) {
                const shoulder = roles[`${side}_arm`];
                const [x, y, z] = pose[shoulder].elements.slice(12, 15);
                const there = pose[0].clone().makeTranslation(x, y, z);
                const turn = there.clone().multiply(pose[0].clone().makeRotationZ((sign * degrees * Math.PI) / 180))
                    .multiply(there.clone().invert());
                const under = (j) => j === shoulder || (j >= 0 && under(joints[j].parent));
                joints.forEach((_, j) => under(j) && pose[j].premultiply(turn));
            }
            const body = new mannequin.constructor(model, Object.assign(Object.create(Object.getPrototypeOf(figure)), figure, { pose }));
            const rotation = body.bones.hips.quaternion.clone();
            body.update(pose.flatMap((matrix) => [...rotation.setFromRotationMatrix(matrix).toArray(), ...matrix.elements.slice(12, 15)]));
            body.object.updateMatrixWorld(true);
            const at = (bone) => bone.getWorldPosition(body.object.position.clone());
            return ['left', 'right'].map((side) => {
                const hand = body.bones[`${side}Hand`];
                const finger = hand.children.find((item) => /middle/i.test(item.name));
                const along = at(hand).sub(at(body.bones[`${side}LowerArm`]));
                return (at(finger).sub(at(hand)).angleTo(along) * 180) / Math.PI;
            });
        };
        return [bend(0), bend(80)].flat();
    });
    assert.ok(bends.every((degrees) => degrees < 25), `hands are bent by ${bends} degrees`);
});

test('a minute in the page has the bits of amble run', () => agrees('synth'));

test('the clock runs by itself', async () => {
    await restart();
    const run = (on) => page.evaluate((running) => {
        window.amble.pause(!running);
        window.amble.studio.blind = !running;
    }, on);
    await run(true);
    await down('w');
    await page.waitForFunction(() => window.amble.state().rootZ > 0.5, null, { timeout: 30000 });
    await up('w');
    await run(false);
    await page.screenshot({ path: join(outDir, 'studio-synth.png') });
});

test('captured motion steers, too', async (t) => {
    if (!captured) {
        t.skip('no captured motion here');
        return;
    }
    await choose('cmu');
    await walks();
    await turns();
    await jumps();
    await creeps();
    await restart();
    await down('p');
    assert.equal((await advance(30)).activity, 'dance');
    await up('p');
    await down('w');
    await outlast('dance', 600);
    assert.equal((await advance(30)).activity, 'move');
    await page.screenshot({ path: join(outDir, 'studio-cmu.png') });
    await up('w');
    await agrees('cmu');
});

test('the page has nothing to complain about', () => {
    assert.deepEqual(browser.errors, []);
});

test('a broken database is refused with words, and Ctrl-C ends the server', async () => {
    const broken = join(outDir, 'broken.amdb');
    writeFileSync(broken, 'no database');
    assert.throws(() => execFileSync(join(buildDir, 'amble'), ['studio', '--no-open', '--port', '0', '--wasm', wasmDir, '--db', broken],
        { stdio: 'pipe' }), (error) => error.status === 1 && /broken\.amdb/.test(String(error.stderr)));
    const single = await startStudio('--db', join(cache, 'synth.amdb'));
    assert.deepEqual(single.sets, ['synth']);
    assert.equal(await single.stop(), 0);
});
