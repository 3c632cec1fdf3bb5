// Characters with a control schema in the studio: the page offers tools for what the schema has, clicks and choices become
// values of it, and a training offers its newest network while the character moves. The networks are trained here within
// seconds, so that they carry a whole schema but move only so-so; how well shipped ones do what is asked is tested with
// those in models/.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { copyFileSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { after, before, test } from 'node:test';
import { amble, buildDir, here, long, openHalted, openStudio, outDir } from './support.mjs';

const folder = join(outDir, 'asks');
const models = join(folder, 'models');
const root = resolve(here, '../..');
const ahead = { position: 'position(root, t)', facing: 'facing(root, t)' };
const trajectory = { item: { draw: { t: 'now + nth(i, 0.2, 0.4, 0.7, 1)' }, set: ahead } };
const later = { later: 'uniform(0.3, 2)' };
const place = 'position(root, now + later)';
const facing = 'facing(root, now + later)';
/** What configs/schemas/all.json asks for, of motion that has no chairs. */
const controls = {
    training: { choose: {
        uncontrolled: {}, trajectory,
        path: { count: 4, item: { set: { position: 'position(root, now + 0.4 * (i + 1))' } } },
        velocity: { set: { velocity: 'velocity(root, now)' } },
        target: { draw: { ...later, faced: 'chance(0.5)' }, set: { target: place, facing: { when: 'faced', value: facing } } },
        styled: { set: { trajectory, style: "pick('cat', 'robot')" } },
        jump: { draw: later, set: { spot: place } },
        sit: { choose: { sit: { draw: later, set: { chair: place, facing } }, get_up: { draw: later, value: facing } } },
        pick_up: { draw: later, set: { object: place } },
    } },
    runtime: { choose: { trajectory: { item: { let: { t: 'nth(i, 0.2, 0.4, 0.7, 1)' },
        set: { position: 'trajectory_position(t)', facing: 'trajectory_facing(t)' } } } } },
};
const recipe = (iterations, every) => ({ seed: 1, stages: [
    { kind: 'pose_encoder', database: join(outDir, 'studio/synth.amdb'), latent: 24, hidden: 0, iterations: 0 },
    { kind: 'flow', database: join(outDir, 'studio/synth.amdb'), schema: join(root, 'configs/schemas/all.json'), controls: 'controls.json',
        hidden: 2, units: 64, batch: 32, iterations, preview_every: every, optimiser: 'adam', rate: 0.002 },
] });
let server, browser, page;

before(async () => {
    rmSync(folder, { recursive: true, force: true });
    mkdirSync(models, { recursive: true });
    writeFileSync(join(folder, 'controls.json'), JSON.stringify(controls));
    writeFileSync(join(folder, 'short.json'), JSON.stringify(recipe(300, 1000)));
    writeFileSync(join(folder, 'long.json'), JSON.stringify(recipe(100000, 200)));
    const velocity = recipe(300, 1000);
    Object.assign(velocity.stages[1], { schema: join(root, 'configs/schemas/velocity.json'), controls: join(root, 'configs/controls/velocity.json') });
    writeFileSync(join(folder, 'velocity.json'), JSON.stringify(velocity));
    amble('train', join(folder, 'short.json'), '-o', join(models, 'flow_tiny.amnet'), '--threads', '1');
    amble('train', join(folder, 'velocity.json'), '-o', join(models, 'flow_walk.amnet'), '--threads', '1');
    server = await openStudio(join(outDir, 'studio'), '--models', models);
    browser = await openHalted(server, 'flow_tiny');
    page = browser.page;
    await page.setViewportSize({ width: 960, height: 600 });
});
after(async () => {
    await browser?.close();
    await server?.stop();
});

const advance = (steps) => page.evaluate((count) => window.amble.advance(count), steps);
const onScreen = (at) => page.evaluate(([x, z]) => window.amble.studio.stage.toScreen(x, z), at);
const logged = () => page.evaluate(() => window.amble.studio.log.flatMap(({ asks }) => (asks ? [asks] : [])));
const last = async () => JSON.parse((await logged()).at(-1).values);

/** Presses the mouse on the ground at [x, z] from the character, and where `to` is given lets go there. */
async function click(at, to = at) {
    const from = await page.evaluate(() => [window.amble.state().rootX, window.amble.state().rootZ]);
    const [a, b] = [await onScreen([from[0] + at[0], from[1] + at[1]]), await onScreen([from[0] + to[0], from[1] + to[1]])];
    await page.mouse.move(a.x, a.y);
    await page.mouse.down();
    await page.mouse.move(b.x, b.y, { steps: 3 });
    await page.mouse.up();
    return [from[0] + at[0], from[1] + at[1]];
}

/** Waits until a question to the page is answered with yes. */
async function until(question, argument) {
    for (let i = 0; !(await page.evaluate(question, argument)); i++) {
        assert.ok(i < 200, `it never became true: ${question}`);
        await new Promise((done) => setTimeout(done, 300));
    }
}

const near = (a, b, within = 0.05) => assert.ok(Math.hypot(a[0] - b[0], a[1] - b[1]) < within, `${a} instead of ${b}`);

test('the page offers a tool for each behaviour of the schema', async () => {
    assert.equal(await page.evaluate(() => window.amble.state().method), 'flow');
    assert.match(await page.locator('#set option:checked').textContent(), /flow tiny/);
    assert.deepEqual(await page.locator('#ask option').allTextContents(),
        ['what keys and sticks say', 'go its own way', 'follow way-points', 'go to a target', 'walk in a style', 'jump to a spot', 'sit on a chair', 'get up', 'pick up an object']);
    copyFileSync(join(models, 'flow_tiny.amnet'), join(folder, 'beside.amnet'));
    for (const name of ['README.md', '..%2fbeside.amnet', '..%2fcontrols.json', 'nowhere.preview.amnet']) {
        assert.equal((await page.request.get(`${server.url}/training/${name}`)).status(), 404, name);
    }
    const plain = await page.evaluate(async () => {
        const { toolsOf } = await import('./asks.js');
        const parts = [{ path: '', operator: 'and', depth: 0 }, { path: 'door', operator: 'location', depth: 1 }, { path: 'hand', operator: 'location', depth: 1, local: true },
            { path: 'how', operator: 'optional', depth: 1 }, { path: 'how', operator: 'enum', depth: 2, names: ['slow', 'fast'] }];
        return [toolsOf({ parts }), toolsOf(null)];
    });
    assert.deepEqual(plain[0].map(({ kind, label, choices }) => [kind, label, choices[0].names, choices[0].optional]), [['place', 'door', ['slow', 'fast'], true]]);
    assert.deepEqual(plain[1], []);
});

test('a click asks for a target, a drag for a facing there too, and steering ends it', async () => {
    await page.selectOption('#ask', 'target');
    await advance(2);
    const plain = await click([1, 1.5]);
    assert.equal((await advance(2)).asked, 1);
    const values = await last();
    near([values['target.target'][0], values['target.target'][2]], plain);
    assert.equal(values['target.facing'], undefined);
    const faced = await click([-0.8, 1], [0.2, 1]);
    await advance(2);
    const both = await last();
    near([both['target.target'][0], both['target.target'][2]], faced);
    near([both['target.facing'][0], both['target.facing'][2]], [1, 0]);
    assert.equal(await page.evaluate(() => window.amble.studio.asks.marks.object.visible), true);
    await page.screenshot({ path: join(outDir, 'asks-target.png') });
    await page.keyboard.down('w');
    const steered = await advance(2);
    await page.keyboard.up('w');
    assert.equal(steered.asked, 0);
    await advance(2);
    assert.equal(await page.evaluate(() => window.amble.studio.asks.marks.object.visible), false);
});

test('chair, object and spot are put on the ground; what needs no place is asked at once', async () => {
    await page.selectOption('#ask', 'sit.sit');
    await click([0, 1.5]);
    await advance(2);
    const sits = await last();
    assert.ok(Math.abs(sits['sit.sit.chair'][1] - 0.45) < 1e-6, 'at the height of a seat');
    near([sits['sit.sit.facing'][0], sits['sit.sit.facing'][2]], [0, -1], 0.2); // towards the character
    await page.selectOption('#ask', 'sit.get_up');
    await click([0, 1.5]);
    await advance(2);
    near([(await last())['sit.get_up'][0], (await last())['sit.get_up'][2]], [0, 1], 0.2);
    await page.selectOption('#ask', 'pick_up');
    await page.selectOption('#ask-hand', 'left');
    await page.fill('#ask-height', '0.8');
    await page.locator('#ask-height').blur();
    await click([0.5, 1]);
    await advance(2);
    const picks = await last();
    assert.equal(picks['pick_up.hand'], 'left');
    assert.ok(Math.abs(picks['pick_up.object'][1] - 0.8) < 1e-6);
    await page.selectOption('#ask-hand', ''); // any: asked again without it
    await advance(2);
    assert.deepEqual(Object.keys(await last()), ['pick_up.object']);
    await page.selectOption('#ask', 'jump');
    await click([0, 1.2]);
    await advance(2);
    assert.deepEqual(Object.keys(await last()), ['jump.spot']);
    await page.selectOption('#ask', 'uncontrolled');
    assert.equal((await advance(2)).asked, 1);
    assert.deepEqual(await last(), { '': 'uncontrolled' });
    await page.selectOption('#ask', '');
    assert.equal((await advance(2)).asked, 0);
    assert.equal(await page.locator('#notice').isVisible(), false, 'nothing was refused');
});

test('a style holds while keys steer; its encoding changes', async () => {
    await page.evaluate(() => window.amble.studio.reset());
    await page.selectOption('#ask', 'styled');
    await page.selectOption('#ask-style', 'cat');
    await page.keyboard.down('w');
    const cat = await advance(60);
    await page.selectOption('#ask-style', 'robot');
    const robot = await advance(1);
    await page.keyboard.up('w');
    assert.equal(robot.asked, 1, 'steering does not end it');
    const asked = (await logged()).at(-1);
    assert.equal(asked.list, 'styled.trajectory');
    assert.deepEqual(asked.times, [0.2, 0.4, 0.7, 1]);
    assert.equal(cat.encoding.length, cat.encodingCount);
    assert.ok(cat.encoding.some((number, i) => Math.abs(number - robot.encoding[i]) > 1e-3), 'another style, another encoding');
    await advance(30);
    const bars = await page.locator('#encoding i').evaluateAll((all) => all.map((bar) => parseFloat(bar.style.height)));
    assert.equal(bars.length, cat.encodingCount);
    assert.ok(Math.max(...bars) > 40 && new Set(bars).size > 5, `bars of ${bars}`);
    await page.screenshot({ path: join(outDir, 'asks-style.png') });
    const log = await page.evaluate(() => window.amble.studio.log);
    const hashes = await page.evaluate((steps) => [window.amble.engine.hash(), window.amble.replay(steps), window.amble.replay(steps)], log);
    assert.equal(hashes[1], hashes[2], 'what was asked is part of the log');
    assert.equal(hashes[0], hashes[1]);
    await page.selectOption('#ask', '');
});

test('way-points: clicks add to those ahead, a line replaces them', async () => {
    await page.evaluate(() => window.amble.studio.reset());
    await page.selectOption('#ask', 'path');
    await advance(2);
    assert.equal(await page.locator('#mode').inputValue(), '1');
    await click([0, 1.5]);
    await advance(2);
    await click([1.2, 2.5]);
    const two = await advance(2);
    assert.equal(two.path, 1);
    assert.equal(two.asked, 1);
    const ways = await page.evaluate(() => window.amble.studio.play.wayPoints.map(({ x, z }) => [x, z]));
    assert.equal(ways.length, 2);
    near(ways[0], [0, 1.5], 0.3);
    const asked = (await logged()).at(-1);
    assert.equal(asked.list, 'path');
    assert.equal(asked.times.length, 4);
    await page.screenshot({ path: join(outDir, 'asks-path.png') });
    await click([0.3, 0.3], [1, 2]);
    await advance(2);
    assert.equal(await page.evaluate(() => window.amble.studio.play.wayPoints.length), 0);
    await page.selectOption('#ask', '');
    assert.equal(await page.locator('#mode').inputValue(), '0');
    await page.selectOption('#mode', '1');
    assert.equal(await page.locator('#ask').inputValue(), 'path', 'drawings are way-points');
    assert.equal((await advance(2)).asked, 1);
    await page.selectOption('#mode', '0');
    assert.equal(await page.locator('#ask').inputValue(), '');
    assert.equal((await advance(2)).asked, 0);
});

test('steps and noise are sliders that take effect', async () => {
    assert.equal(await page.inputValue('#noise-value'), '', "the networks' own");
    assert.equal(await page.getAttribute('#noise-value', 'placeholder'), 'own');
    await page.fill('#steps-value', '2');
    await page.locator('#steps-value').blur();
    await page.fill('#noise-value', '0');
    await page.locator('#noise-value').blur();
    const options = await page.evaluate(() => Object.fromEntries(window.amble.engine.options.options.map(({ key, value }) => [key, value])));
    assert.equal(options.steps, 2);
    assert.equal(options.noise, 0);
    assert.ok(await page.locator('#settings #steps').isVisible() && await page.locator('#settings #noise').isVisible(), 'in sight');
    const run = async (noise) => {
        await page.evaluate((value) => {
            window.amble.studio.setOption('noise', value);
            window.amble.studio.reset();
        }, noise);
        await page.keyboard.down('w'); // a body that stands is held
        const { hash } = await advance(40);
        await page.keyboard.up('w');
        return hash;
    };
    assert.equal(await run(0), await run(0));
    assert.notEqual(await run(0), await run(0.5));
    await page.fill('#noise-value', '');
    await page.locator('#noise-value').blur();
    assert.equal(await page.evaluate(() => window.amble.engine.options.options.find(({ key }) => key === 'noise').value), -1);
});

test('the page computes what the command computes of the same goals', async () => {
    const goals = [{ t: 0, values: { 'target.target': [1, 0, 2], 'target.facing': [1, 0, 0] } }, { t: 1, values: { '': 'uncontrolled' } }];
    const hash = await page.evaluate((all) => {
        const { engine, studio } = window.amble;
        studio.reset();
        engine.set({ walk_mps: 0, steps: 0, noise: -1 });
        for (let i = 0; i < 120; i++) {
            const goal = all.find(({ t }) => 60 * t === i);
            studio.step({ keys: 0, ...(goal ? { asks: { values: JSON.stringify(goal.values) } } : {}) });
        }
        return engine.hash();
    }, goals);
    const script = join(folder, 'goals.json');
    writeFileSync(script, JSON.stringify({ model: 'models/flow_tiny.amnet', controller: 'flow', seconds: 2, characters: [{ goals }] }));
    assert.equal(hash, JSON.parse(amble('run', script, '--json')).hash);
});

test('a saved session is the same motion in the command', async () => {
    await page.evaluate(() => window.amble.studio.reset());
    await page.keyboard.down('w');
    await advance(40);
    await page.keyboard.up('w');
    await page.selectOption('#ask', 'target');
    await click([1, 1], [1, 2]);
    await advance(60);
    const { hash } = await advance(20);
    await page.selectOption('#ask', '');
    const [download] = await Promise.all([page.waitForEvent('download'), page.click('#save')]);
    const script = join(models, 'session.json');
    await download.saveAs(script);
    const run = JSON.parse(readFileSync(script, 'utf8'));
    assert.deepEqual(Object.keys(run.characters[0]), ['keys', 'goals']);
    assert.equal(run.model, 'flow_tiny.amnet');
    assert.equal(hash, JSON.parse(amble('run', script, '--json')).hash);
    await page.evaluate(() => window.amble.studio.pusher.next.push({ character: 0, joint: 2, force: [30, 0, 0], seconds: 0.1 }));
    await advance(2);
    const pushed = await page.evaluate(() => window.amble.studio.session.script.characters[0].pushes);
    assert.deepEqual(pushed.map(({ force, seconds }) => [force, seconds]), [[[30, 0, 0], 0.1]]);
    await page.selectOption('#ask', 'styled');
    await advance(2);
    assert.deepEqual(await page.evaluate(() => window.amble.studio.session.left), ['styles and way-points that keys and drawings steer']);
    await page.selectOption('#ask', '');
    await advance(2);
});

test('other networks take over the pose; their schema brings its own tools', async () => {
    const pose = () => page.evaluate(() => Array.from(window.amble.studio.after));
    const take = async (name) => {
        await page.selectOption('#network', name);
        await page.waitForFunction((wanted) => window.amble.studio.trainings.used.flow.name === wanted, name);
    };
    await page.keyboard.down('w');
    await advance(60);
    const before_ = await pose();
    await take('flow_walk');
    await advance(1);
    const now = await pose();
    await page.keyboard.up('w');
    const farthest = Math.max(...before_.map((number, i) => (i % 7 > 3 ? Math.abs(number - now[i]) : 0)));
    assert.ok(farthest < 0.1, `a joint jumps by ${farthest} m`);
    assert.deepEqual(await page.locator('#ask option').allTextContents(), ['what keys and sticks say', 'go to a target']);
    await page.selectOption('#ask', 'target'); // by the arrival plan: the schema has no target of its own
    const at = await click([0.5, 1], [0.5, 2]);
    const sent = await advance(2);
    assert.equal(sent.target, 2);
    const { sends } = await page.evaluate(() => window.amble.studio.log.filter((step) => step.sends).at(-1));
    near([sends.x, sends.z], at);
    near([sends.wayX, sends.wayZ], [0, 1]);
    const refused = await page.evaluate(async () => {
        const { studio } = window.amble;
        await studio.exchange('flow', { name: 'nowhere', url: '/training/nowhere.amnet' });
        return document.getElementById('notice').textContent;
    });
    assert.match(refused, /nowhere/);
    assert.equal((await advance(1)).target, 2, 'all stays as it was');
    browser.errors.length = 0; // the browser tells of the 404
    await page.evaluate(() => window.amble.studio.asks.take({ id: '', kind: 'steer', choices: [] }));
    assert.equal((await advance(1)).target, 0, 'another tool ends it');
    await take('flow_tiny');
    assert.equal(await page.locator('#ask option').count(), 9);
    await page.evaluate(() => window.amble.studio.notice(null));
});

test('a training offers its newest network, which the character takes over as it moves', { skip: long }, async () => {
    const output = join(models, 'flow_new.amnet');
    const preview = join(models, 'flow_new.preview.amnet');
    const training = spawn(join(buildDir, 'amble'), ['train', join(folder, 'long.json'), '-o', output, '--threads', '1'], { stdio: 'ignore' });
    const ended = new Promise((done) => training.on('exit', done));
    try {
        await until(async () => {
            await window.amble.studio.trainings.refresh();
            return window.amble.studio.trainings.rows.length > 0;
        });
        assert.match((await page.locator('#set option').allTextContents()).join(), /flow_new \(in training\)/);
        await page.keyboard.down('w');
        const before_ = await advance(30);
        await page.selectOption('#network', 'flow_new.preview');
        await until(() => Boolean(window.amble.studio.trainings.row?.hash));
        const first = await page.evaluate(() => ({ ...window.amble.studio.trainings.row }));
        assert.equal(first.iterations, 100000);
        assert.ok(first.iteration >= 100 && first.loss > 0);
        const given = await openStudio(join(outDir, 'studio'), output, '--models', models);
        const { trainings } = await (await page.request.get(`${given.url}/api/trainings`)).json();
        await given.stop();
        assert.deepEqual(trainings.map(({ name }) => name), ['flow_new.preview'], 'once, though it is named and in the folder');
        const taken = await advance(1);
        assert.ok(Math.hypot(taken.rootX - before_.rootX, taken.rootZ - before_.rootZ) < 0.1, 'it goes on from its place');
        await until(async (iteration) => {
            await window.amble.studio.trainings.refresh();
            return window.amble.studio.trainings.row.iteration > iteration;
        }, first.iteration);
        const [row, used] = await page.evaluate(() => [window.amble.studio.trainings.row, window.amble.studio.trainings.used.flow]);
        assert.equal(used.hash, row.hash, 'the newest plays');
        const newer = await advance(1);
        assert.ok(newer.steps > taken.steps && Math.hypot(newer.rootX - taken.rootX, newer.rootZ - taken.rootZ) < 0.1, 'without a restart');
        await advance(6);
        assert.match(await page.textContent('#training'), /of 100,000 iterations, loss 0\.\d+, \d+ s ago/);
        await page.screenshot({ path: join(outDir, 'asks-training.png') });
    } finally {
        await page.keyboard.up('w');
        training.kill('SIGINT');
        await ended;
    }
    const script = join(folder, 'preview.json');
    writeFileSync(script, JSON.stringify({ model: 'models/flow_new.preview.amnet', controller: 'flow', seconds: 1, characters: [{ keys: [{ t: 0, down: ['W'] }] }] }));
    assert.equal(JSON.parse(amble('run', script, '--json')).frames, 60, 'amble run plays it, too');
    // As at the end of a training: the preview is gone, the output there.
    assert.ok(existsSync(preview));
    copyFileSync(preview, output);
    rmSync(preview);
    await until(async () => {
        await window.amble.studio.trainings.refresh();
        const { row, used } = window.amble.studio.trainings;
        return row.hash === null && used.flow.hash === null;
    });
    await advance(6);
    assert.equal(await page.textContent('#training'), 'The training has ended.');
    assert.deepEqual(browser.errors, []);
});

test('a shipped flow walks by keys, stands, and goes where it is clicked', { skip: long }, async () => {
    const own = await openStudio(join(outDir, 'studio'));
    const shown = await openHalted(own, 'flow_velocity');
    const go = (steps) => shown.page.evaluate((count) => window.amble.advance(count), steps);
    try {
        await shown.page.setViewportSize({ width: 960, height: 600 });
        assert.equal(await shown.page.locator('#asks .note').first().isVisible(), false);
        await shown.page.keyboard.down('w');
        const walking = await go(120);
        assert.ok(walking.speed > 0.8 && walking.rootZ > 1.2, `walks at ${walking.speed} m/s`);
        await shown.page.keyboard.up('w');
        const stopped = await go(150);
        const standing = await go(120);
        assert.ok(Math.hypot(standing.rootX - stopped.rootX, standing.rootZ - stopped.rootZ) < 0.01, 'stands');
        await shown.page.selectOption('#ask', 'target');
        await go(2);
        const [x, z] = [standing.rootX + 0.8, standing.rootZ + 1.6];
        const screen = (at) => shown.page.evaluate(([px, pz]) => window.amble.studio.stage.toScreen(px, pz), at);
        const [from, to] = [await screen([x, z]), await screen([x - 0.7, z])];
        await shown.page.mouse.move(from.x, from.y);
        await shown.page.mouse.down();
        await shown.page.mouse.move(to.x, to.y, { steps: 3 });
        await shown.page.mouse.up();
        const end = await go(420);
        assert.ok(Math.hypot(end.rootX - x, end.rootZ - z) < 0.15, `it is at ${end.rootX}, ${end.rootZ} instead of ${x}, ${z}`);
        assert.ok(Math.abs(end.heading + Math.PI / 2) < 0.1, `it faces ${end.heading}`);
        assert.ok(end.speed < 0.05, `still at ${end.speed} m/s`);
        assert.equal(end.fallback, 0);
        await shown.page.selectOption('#network', 'flow_uncontrolled');
        await shown.page.waitForSelector('#asks .note');
        assert.match(await shown.page.textContent('#asks'), /its own way/);
        const wandering = await go(300);
        assert.ok(wandering.encodingCount === 0 && wandering.fallback === 0);
        assert.deepEqual(shown.errors, []);
    } finally {
        await shown.close();
        await own.stop();
    }
});
