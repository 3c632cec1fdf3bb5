// The room: renderer, light, ground with a grid, and a camera that follows and can be turned.
import * as THREE from 'three';
import { OrbitControls } from 'three/addons/controls/OrbitControls.js';

const SKY = 0xdde4ea;
const GROUND = 0xc9d2da;
/** Where the camera stands from what it looks at: behind the character; above, to draw; over the field of a game. */
export const VIEWS = {
    behind: new THREE.Vector3(0, 1.15, -4.6), above: new THREE.Vector3(0, 5.2, -6.2), field: new THREE.Vector3(0, 10.4, -9.4),
};
const FARTHEST = 40; // m: a pen beyond points at the horizon

/** One square metre of ground: a line around it, fainter ones each quarter. */
function gridTexture(renderer) {
    const size = 256;
    const canvas = document.createElement('canvas');
    canvas.width = canvas.height = size;
    const c = canvas.getContext('2d');
    c.fillStyle = '#ffffff';
    c.fillRect(0, 0, size, size);
    c.strokeStyle = 'rgba(70, 90, 110, 0.10)';
    c.lineWidth = 1;
    for (let i = 1; i < 4; i++) {
        const at = (i * size) / 4;
        c.beginPath();
        c.moveTo(at, 0);
        c.lineTo(at, size);
        c.moveTo(0, at);
        c.lineTo(size, at);
        c.stroke();
    }
    c.strokeStyle = 'rgba(50, 70, 95, 0.34)';
    c.lineWidth = 3;
    c.strokeRect(0, 0, size, size);
    const texture = new THREE.CanvasTexture(canvas);
    texture.wrapS = texture.wrapT = THREE.RepeatWrapping;
    texture.repeat.set(400, 400);
    texture.anisotropy = renderer.capabilities.getMaxAnisotropy();
    texture.colorSpace = THREE.SRGBColorSpace;
    return texture;
}

export class Stage {
    /** @param low true leaves out shadows, smoothing and fine pixels: for tests and weak machines */
    constructor(canvas, low) {
        this.low = low;
        this.canvas = canvas;
        this.renderer = new THREE.WebGLRenderer({ canvas, antialias: !low, powerPreference: 'high-performance' });
        this.renderer.setPixelRatio(low ? 1 : Math.min(window.devicePixelRatio, 2));
        this.renderer.toneMapping = THREE.ACESFilmicToneMapping;
        this.renderer.toneMappingExposure = 1.12;
        this.renderer.shadowMap.enabled = !low;
        this.scene = new THREE.Scene();
        this.scene.background = new THREE.Color(SKY);
        this.scene.fog = new THREE.Fog(SKY, 9, 34);
        this.makeLight();
        this.makeGround();
        this.makeCamera();
        this.resize();
        window.addEventListener('resize', () => this.resize());
    }

    makeLight() {
        this.scene.add(new THREE.HemisphereLight(0xffffff, 0xb8a890, 1.5));
        this.key = new THREE.DirectionalLight(0xfff1df, 2.6);
        this.key.castShadow = !this.low;
        this.key.shadow.mapSize.set(2048, 2048);
        this.key.shadow.radius = 5;
        this.key.shadow.bias = -0.0004;
        this.key.shadow.normalBias = 0.02;
        Object.assign(this.key.shadow.camera, { left: -3, right: 3, top: 3, bottom: -3, near: 0.5, far: 14 });
        this.rim = new THREE.DirectionalLight(0xcfe3ff, 1.1);
        this.scene.add(this.key, this.key.target, this.rim, this.rim.target);
    }

    makeGround() {
        // The depth of such a large plane is imprecise: moved back a little, it does not hide the marks on it.
        const back = { polygonOffset: true, polygonOffsetFactor: 1, polygonOffsetUnits: 64 };
        const material = new THREE.MeshStandardMaterial({ color: GROUND, map: gridTexture(this.renderer), roughness: 0.95, ...back });
        this.ground = new THREE.Mesh(new THREE.PlaneGeometry(400, 400), material);
        this.ground.rotation.x = -Math.PI / 2;
        this.ground.receiveShadow = true;
        this.scene.add(this.ground);
    }

    makeCamera() {
        this.camera = new THREE.PerspectiveCamera(38, 1, 0.05, 120);
        this.target = new THREE.Vector3(0, 0.95, 0);
        this.offset = VIEWS.behind;
        this.fixed = null; // a point that the camera looks at, wherever characters walk
        this.held = false; // nothing may move under a pen
        this.camera.position.copy(this.target).add(this.offset);
        this.controls = new OrbitControls(this.camera, this.canvas);
        this.controls.enablePan = false;
        this.controls.enableDamping = true;
        this.controls.minDistance = 1.5;
        this.controls.maxDistance = 16;
        this.controls.maxPolarAngle = 1.53;
        this.controls.target.copy(this.target);
        this.turned = false;
        this.controls.addEventListener('start', () => {
            this.turned = true;
        });
        this.controls.update();
    }

    /** How far the camera was turned by hand from looking along +z, about y. */
    get yaw() {
        if (!this.turned) {
            return 0;
        }
        const x = this.controls.target.x - this.camera.position.x;
        const z = this.controls.target.z - this.camera.position.z;
        return Math.atan2(x, z);
    }

    /** Looks along +z again, from behind the start. */
    resetCamera() {
        this.turned = false;
        this.camera.position.copy(this.controls.target).add(this.offset);
    }

    /** Another place of the camera. @param fixed { x, z } to look at, or null to follow the character */
    look(view, fixed = null) {
        this.offset = VIEWS[view];
        this.fixed = fixed;
        this.jump = true;
        this.resetCamera();
    }

    /** Whether the left button and one finger draw; the right one and two fingers then turn the camera. */
    draws(on) {
        Object.assign(this.controls.mouseButtons, { LEFT: on ? null : THREE.MOUSE.ROTATE, RIGHT: on ? THREE.MOUSE.ROTATE : THREE.MOUSE.PAN });
        Object.assign(this.controls.touches, { ONE: on ? null : THREE.TOUCH.ROTATE, TWO: on ? THREE.TOUCH.DOLLY_ROTATE : THREE.TOUCH.DOLLY_PAN });
        this.canvas.style.cursor = on ? 'crosshair' : '';
    }

    /** From the camera through a pointer. */
    ray(clientX, clientY) {
        const box = this.canvas.getBoundingClientRect();
        this.camera.updateMatrixWorld();
        const at = new THREE.Vector3(2 * (clientX - box.left) / box.width - 1, 1 - 2 * (clientY - box.top) / box.height, 0.5);
        return new THREE.Ray(this.camera.position.clone(), at.unproject(this.camera).sub(this.camera.position).normalize());
    }

    /** A way on the screen as one over the ground: right is right, up is away from the camera. */
    along(right, up) {
        const way = this.controls.target.clone().sub(this.camera.position).setY(0).normalize();
        return new THREE.Vector3(-way.z, 0, way.x).multiplyScalar(right).addScaledVector(way, up);
    }

    /** The place of the ground under a pointer, or null above the horizon. */
    toGround(clientX, clientY) {
        const ray = this.ray(clientX, clientY).direction;
        const way = -this.camera.position.y / ray.y;
        const at = ray.multiplyScalar(way).add(this.camera.position);
        const far = Math.hypot(at.x - this.camera.position.x, at.z - this.camera.position.z);
        return way > 0 && far < FARTHEST ? { x: at.x, z: at.z } : null;
    }

    /** Where a place is on the screen: of the ground, or y above it. */
    toScreen(x, z, y = 0) {
        const box = this.canvas.getBoundingClientRect();
        this.camera.updateMatrixWorld();
        const at = new THREE.Vector3(x, y, z).project(this.camera);
        return { x: box.left + (at.x + 1) * box.width / 2, y: box.top + (1 - at.y) * box.height / 2 };
    }

    resize() {
        const { clientWidth: width, clientHeight: height } = this.canvas;
        this.renderer.setSize(width, height, false);
        this.camera.aspect = width / Math.max(height, 1);
        this.camera.updateProjectionMatrix();
    }

    /** Follows a place softly, at once when it is far away; the light comes along. */
    follow(x, y, z, seconds) {
        if (this.held) {
            return;
        }
        const wanted = this.fixed ? new THREE.Vector3(this.fixed.x, 0, this.fixed.z) : new THREE.Vector3(x, y, z);
        const far = this.jump || wanted.distanceTo(this.target) > 3;
        this.jump = false;
        const share = far ? 1 : 1 - Math.exp(-seconds / 0.18);
        const move = wanted.sub(this.target).multiplyScalar(share);
        this.target.add(move);
        this.controls.target.add(move);
        this.camera.position.add(move);
        this.controls.update();
        this.key.target.position.set(this.target.x, 0.8, this.target.z);
        this.key.position.set(this.target.x + 2.6, 6, this.target.z - 2.2);
        this.rim.target.position.copy(this.key.target.position);
        this.rim.position.set(this.target.x - 4, 3, this.target.z + 4);
        // The grid is the same every metre: the ground itself may follow, so that it never ends.
        this.ground.position.set(Math.round(this.target.x), 0, Math.round(this.target.z));
    }

    render() {
        this.renderer.render(this.scene, this.camera);
    }
}
