// The four scenarios of the long-horizon paper (LHMM VIII-E) as small games: free move, cross the finish line between
// moving obstacles, reach the target between static ones, and the same with several characters. Their rules live in
// steps, not in pictures: the same drawing gives the same game.
import * as THREE from 'three';
import { STEP } from './engine.js';
import { flat, paint } from './overlay.js';

const BODY = 0.12;      // m: hips nearer to an obstacle than this touch it
const MARGIN = 0.1;     // m that an avoiding path keeps beyond half a body, since sharp turns are cut
const AGAIN_AFTER = 90; // steps between a touch and the next try
/** Colours of characters and of what belongs to them. */
export const COLOURS = [0xe4692c, 0x2478c8, 0x1fa56b];

/** The games: `control` as in the paper (0 global, 1 local); places [x, z, heading]; obstacles [x, z, radius, speed];
 * targets [x, z, radius]; the centre of the picture is off to one side, since the panel covers the other. */
export const GAMES = [
    { title: 'free move', control: 1, places: null },
    { title: 'cross the finish line', control: 1, places: [[0, 0, 0]], centre: { x: -1, z: 3 }, line: 7,
        obstacles: [[0, 1.6, 0.35, 0.5], [-4, 1.6, 0.35, 0.5], [2, 3, 0.35, 0.9], [-3, 3, 0.35, 0.9], [0, 4.4, 0.35, 0.7], [4, 4.4, 0.35, 0.7],
            [-2, 5.8, 0.35, 1.2]] },
    { title: 'reach the target', control: 0, places: [[0, 0, 0]], centre: { x: -1, z: 2.7 }, targets: [[0, 6.5, 0.5]],
        obstacles: [[0, 2, 0.4], [-1.6, 3.2, 0.4], [1.5, 3.4, 0.4], [-0.3, 4.8, 0.4], [-2.4, 5, 0.4], [2, 5.4, 0.4]] },
    { title: 'several characters', control: 0, places: [[2, 0, 0], [0, 0, 0], [-2, 0, 0]], centre: { x: -1, z: 2.6 },
        targets: [[-2, 6, 0.5], [2, 6, 0.5], [0, 6, 0.5]], obstacles: [[0, 2.4, 0.4], [1.6, 3.8, 0.4], [-1.6, 3.8, 0.4]] },
];
const HALF_WIDTH = 5; // m: moving obstacles leave on one side of the field and come back on the other

export class Game {
    /** @param index of GAMES */
    constructor(index) {
        this.rules = GAMES[index];
        this.title = this.rules.title;
        this.object = new THREE.Group();
        this.posts = (this.rules.obstacles ?? []).map((item) => this.post(item[2]));
        (this.rules.targets ?? []).forEach(([x, z, radius], i) => this.target(x, z, radius, COLOURS[i]));
        if (this.rules.line) {
            this.finish(this.rules.line);
        }
        this.rings = (this.rules.places ?? []).map((_, i) => this.ring(COLOURS[i]));
        this.begin();
    }

    post(radius) {
        const material = new THREE.MeshStandardMaterial({ color: this.rules.line ? 0xb5483a : 0x5d6f86, roughness: 0.7 });
        const mesh = new THREE.Mesh(new THREE.CylinderGeometry(radius, radius, 0.8, 32), material);
        mesh.castShadow = true;
        this.object.add(mesh);
        return mesh;
    }

    target(x, z, radius, colour) {
        const disc = new THREE.Mesh(flat(new THREE.CircleGeometry(radius, 40)), paint(colour, 0.3));
        const rim = new THREE.Mesh(flat(new THREE.RingGeometry(radius - 0.04, radius, 40)), paint(colour, 0.9));
        disc.position.set(x, 0.003, z);
        rim.position.set(x, 0.0035, z);
        this.object.add(disc, rim);
    }

    /** Two rows of squares across the field. */
    finish(z) {
        for (let i = 0; i < 80; i++) {
            const [column, row] = [i % 40, Math.floor(i / 40)];
            const square = new THREE.Mesh(flat(new THREE.PlaneGeometry(0.25, 0.25)), paint((column + row) % 2 ? 0xffffff : 0x1f2a37, 0.9));
            square.position.set(-HALF_WIDTH + 0.125 + 0.25 * column, 0.003, z + 0.125 + 0.25 * row);
            this.object.add(square);
        }
    }

    ring(colour) {
        const mesh = new THREE.Mesh(flat(new THREE.RingGeometry(0.3, 0.34, 40)), paint(colour, 0.9));
        this.object.add(mesh);
        return mesh;
    }

    /** Back to the beginning. */
    begin() {
        this.steps = 0;
        this.result = 'plays'; // then won or lost
        this.reached = (this.rules.places ?? []).map(() => false);
        this.lostAt = 0;
    }

    /** Obstacles as they are now: [x, z, radius]. They go to the right of the picture, which is -x. */
    get obstacles() {
        const width = 2 * HALF_WIDTH;
        return (this.rules.obstacles ?? []).map(([x, z, radius, speed]) => {
            const gone = speed ? x - speed * this.steps * STEP + HALF_WIDTH : 0;
            return [speed ? gone - Math.floor(gone / width) * width - HALF_WIDTH : x, z, radius];
        });
    }

    /** The obstacles that a path can be bent around: those that do not move. */
    get standing() {
        return this.rules.line ? [] : this.obstacles.map(([x, z, radius]) => [x, z, radius + MARGIN]);
    }

    /** After each step. @param hips [{ x, z }] of all characters. Gives true when the next try is due. */
    step(hips) {
        this.steps++;
        if (this.result === 'lost') {
            return this.steps - this.lostAt >= AGAIN_AFTER;
        }
        if (this.result === 'plays' && this.rules.places) {
            const touched = this.obstacles.some(([x, z, radius]) => hips.some((at) => Math.hypot(at.x - x, at.z - z) < radius + BODY));
            hips.forEach((at, i) => {
                const [x, z, radius] = this.rules.targets?.[i] ?? [];
                this.reached[i] ||= this.rules.line ? at.z > this.rules.line : Math.hypot(at.x - x, at.z - z) < radius;
            });
            if (touched) {
                [this.result, this.lostAt] = ['lost', this.steps];
            } else if (this.reached.every(Boolean)) {
                this.result = 'won';
            }
        }
        return false;
    }

    /** Once per picture. */
    update(hips, chosen) {
        this.obstacles.forEach(([x, z], i) => this.posts[i].position.set(x, 0.4, z));
        this.rings.forEach((ring, i) => {
            ring.position.set(hips[i].x, 0.006, hips[i].z);
            ring.scale.setScalar(i === chosen ? 1.25 : 0.8);
            ring.material.opacity = i === chosen ? 0.95 : 0.45;
        });
    }

    /** The text that the user reads. */
    get words() {
        if (!this.rules.places) {
            return '';
        }
        if (this.result === 'lost') {
            return 'You touched an obstacle. Try again…';
        }
        const seconds = (this.steps * STEP).toFixed(0);
        if (this.result === 'won') {
            return 'Done! Press Restart to play again.';
        }
        const there = this.reached.length > 1 ? ` · ${this.reached.filter(Boolean).length} of ${this.reached.length} there` : '';
        return `${this.title} · ${seconds} s${there}`;
    }

    dispose() {
        this.object.traverse((item) => {
            item.geometry?.dispose();
            item.material?.dispose();
        });
        this.object.removeFromParent();
    }
}
