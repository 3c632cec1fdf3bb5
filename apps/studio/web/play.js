// Modes and games: steering or drawing, the characters on the stage, whose path is drawn, and the state of the game.
import { Ghosts, PathView, Pen } from './draw.js';
import { Game } from './games.js';

const CLICK_M = 0.2;      // a shorter drag is a click
const WALK_MPS = 1.2;     // between way-points
const MEASURE_AFTER = 60; // steps after a path's end: then the character stands

export class Play {
    constructor(studio) {
        this.studio = studio;
        this.stage = studio.stage;
        this.draws = false;
        this.index = 0;
        this.chosen = 0;
        this.crowd = 1;
        this.drawn = [];   // of each character
        this.next = [];    // drawings that the next step begins
        this.wayPoints = []; // that were clicked
        this.measures = null;
        this.ended = 0;
        this.ghosts = new Ghosts();
        this.sketch = new PathView(); // under the pen
        this.stage.scene.add(this.ghosts.object, this.sketch.object);
        this.views = [];
        this.game = new Game(0);
        this.pen = new Pen(this.stage, {
            began: () => document.activeElement?.blur(),
            moved: (places) => this.sketch.drawing(places, this.studio.panel.path.scale),
            done: (drawing) => this.take(drawing),
        });
        window.addEventListener('keydown', (event) => this.key(event));
    }

    get count() {
        return this.game.rules.places?.length ?? (this.studio.sideBySide ? 2 : this.crowd);
    }

    /** Another mode or game: draws or steers, with the characters that the game has. */
    set(draws, index) {
        const { studio } = this;
        const moves = index !== this.index || this.crowd > 1;
        this.crowd = 1;
        this.game.dispose();
        [this.draws, this.index, this.chosen, this.game] = [draws, index, 0, new Game(index)];
        this.stage.scene.add(this.game.object);
        studio.panel.setMode(draws, index);
        this.pen.on = draws;
        this.stage.draws(draws);
        const { places, centre } = this.game.rules;
        this.stage.look(centre ? 'field' : draws ? 'above' : 'behind', centre);
        // A game begins at its own places, and so does what follows it; otherwise characters stay where they are.
        studio.engine.cast(this.count, draws, places ?? (moves ? [[0, 0, 0]] : null));
        studio.began(places !== null || moves);
    }

    /** Places `count` characters around the start. */
    gather(count) {
        this.studio.engine.call('crowd', count);
        [this.crowd, this.chosen] = [count, 0];
        this.stage.look(count > 1 ? 'above' : 'behind');
        this.studio.began(true);
    }

    /** Restarts the characters: no path, the game from its start. */
    clear() {
        this.goOn();
        this.views.forEach((view) => view.clear());
        this.drawn = [];
        [this.next, this.measures, this.ended] = [[], null, 0];
        this.game.begin();
    }

    /** Other characters in the place of the old ones: paths and the game stay; removed characters lose theirs. */
    goOn() {
        while (this.views.length < this.count) {
            this.views.push(new PathView());
            this.stage.scene.add(this.views.at(-1).object);
        }
        this.views.slice(this.count).forEach((view) => view.clear());
        this.drawn.length = Math.min(this.drawn.length, this.count);
        this.next = this.next.filter(({ chosen }) => chosen < this.count);
        this.choose(this.chosen < this.count ? this.chosen : 0);
    }

    key(event) {
        const number = /^Digit([1-9])$/.exec(event.code)?.[1];
        if (number && number <= this.count && !event.ctrlKey && !event.metaKey && !event.altKey) {
            this.choose(number - 1);
        }
    }

    choose(number) {
        this.chosen = number;
        this.studio.engine.choose(number);
        this.studio.panel.showOptions();
        [this.measures, this.ended] = [null, 0];
    }

    /** A drawing for the chosen character. Where way-points are asked for, a click adds one to those that are still ahead. */
    take(drawn) {
        const samples = this.studio.asks.tool?.kind === 'list' ? this.wayTo(drawn) : drawn;
        const { avoids, ...options } = this.studio.panel.path;
        if (this.game.result !== 'lost') {
            this.next.push({ samples, options: { ...options, obstacles: avoids ? this.game.standing : [] }, chosen: this.chosen });
        }
    }

    /** From the character by the way-points ahead to a click, at a walk; a line that was dragged stays as it is. */
    wayTo(drawn) {
        const [, x, z] = drawn.at(-1);
        if (Math.hypot(x - drawn[0][1], z - drawn[0][2]) > CLICK_M) {
            this.wayPoints = [];
            return drawn;
        }
        const { view, hips, panel } = this.studio;
        const passed = view.path === 1 ? view.pathAt + CLICK_M : Infinity;
        this.wayPoints = [...this.wayPoints.filter(({ along }) => along > passed), { x, z }];
        let [last, along] = [hips[this.chosen], 0];
        const way = [[0, last.x, last.z]];
        for (const point of this.wayPoints) {
            along += Math.hypot(point.x - last.x, point.z - last.z);
            point.along = along;
            way.push([along / WALK_MPS * panel.path.scale, point.x, point.z]);
            last = point;
        }
        return way;
    }

    /** What the next step takes beside keys and sticks; part of the log, so that a replay chooses and draws, too. */
    devices() {
        const paths = this.next;
        this.next = [];
        return { ...(this.count > 1 ? { chosen: this.chosen } : {}), ...(paths.length ? { paths } : {}) };
    }

    /** Before a step: the chosen character, and the paths that it starts. */
    begin({ chosen = 0, paths = [] }) {
        if (chosen !== this.chosen) {
            this.choose(chosen);
        }
        paths.forEach((path) => this.follow(path));
        this.studio.engine.choose(this.chosen);
    }

    follow({ samples, options, chosen }) {
        const { engine } = this.studio;
        engine.choose(chosen);
        try {
            engine.follow(samples, options);
        } catch (error) {
            this.studio.notice(error.message, true);
            this.views[chosen].clear();
            return;
        }
        this.studio.notice(null);
        const { pathX: x, pathZ: z } = engine.view;
        this.drawn[chosen] = samples;
        this.views[chosen].followed(samples, { x, z }, engine.path, engine.about.fps);
    }

    /** After a step. */
    step(view) {
        this.ended = view.path === 2 ? this.ended + 1 : 0;
        if (view.path === 1) {
            this.measures = null;
        } else if (this.ended === MEASURE_AFTER) {
            this.measures = this.studio.engine.measures;
        } else if (view.path === 0 && this.drawn[this.chosen]) {
            this.views[this.chosen].clear(); // the path was left
            this.drawn[this.chosen] = null;
        }
        if (this.game.step(this.studio.hips)) {
            this.studio.reset();
        }
    }

    /** Once per picture. */
    update(view) {
        this.ghosts.object.visible = this.draws && view.path === 1 && this.studio.overlay.object.visible;
        if (this.ghosts.object.visible) {
            this.ghosts.update(view.trajectory);
        }
        this.game.update(this.studio.hips, this.chosen);
    }

    /** Now and then: what a person reads. */
    show(view) {
        document.getElementById('score').textContent = this.studio.sideBySide ? 'Orange: matching · blue: learned' : this.game.words;
        if (this.draws) {
            this.studio.panel.showPath(view, this.measures);
        }
    }
}
