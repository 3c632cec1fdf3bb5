// Loads a GLB with three.js and plays it; the tests call the functions on window.stage.
import * as THREE from 'three';
import { GLTFLoader } from 'three/addons/loaders/GLTFLoader.js';

const background = new THREE.Color(0x20242c);
const renderer = new THREE.WebGLRenderer({ preserveDrawingBuffer: true });
renderer.setSize(640, 360);
document.body.append(renderer.domElement);
const scene = new THREE.Scene();
scene.background = background;
const camera = new THREE.PerspectiveCamera(40, 640 / 360, 0.01, 1000);
scene.add(new THREE.HemisphereLight(0xffffff, 0x404048, 2.5));
const sun = new THREE.DirectionalLight(0xffffff, 2);
sun.position.set(1, 2, 1.5);
scene.add(sun, new THREE.GridHelper(4, 8, 0x606874, 0x3a4048));

let model = null;
let mixer = null;
let clips = [];

/** Names and lengths of the animations of a GLB, which becomes the one on stage. */
async function load(url) {
    if (model) {
        scene.remove(model);
    }
    const gltf = await new GLTFLoader().loadAsync(url);
    model = gltf.scene;
    clips = gltf.animations;
    scene.add(model);
    mixer = new THREE.AnimationMixer(model);
    return clips.map((clip) => ({ name: clip.name, duration: clip.duration, tracks: clip.tracks.length }));
}

/** Poses the model at a time of an animation; gives where each bone then is, by its name in the file. */
function pose(index, seconds) {
    mixer.stopAllAction();
    const action = mixer.clipAction(clips[index]);
    action.setLoop(THREE.LoopOnce);
    action.clampWhenFinished = true;
    action.play();
    mixer.setTime(seconds);
    model.updateMatrixWorld(true);
    const places = {};
    model.traverse((object) => {
        if (object.isBone) {
            places[object.userData.name ?? object.name] = new THREE.Vector3().setFromMatrixPosition(object.matrixWorld).toArray();
        }
    });
    return places;
}

/** Draws what is posed, camera on the figure; gives the share of the picture that the figure itself covers. */
function draw() {
    const box = new THREE.Box3();
    const meshes = [];
    model.traverse((object) => {
        if (object.isSkinnedMesh) {
            meshes.push(object);
            object.computeBoundingBox();
            box.union(object.boundingBox.clone().applyMatrix4(object.matrixWorld));
            object.frustumCulled = false;
        }
    });
    const centre = box.getCenter(new THREE.Vector3());
    const size = box.getSize(new THREE.Vector3()).length();
    camera.position.copy(centre).add(new THREE.Vector3(0.7, 0.35, 1).multiplyScalar(size));
    camera.lookAt(centre);
    const grab = () => {
        renderer.render(scene, camera);
        const gl = renderer.getContext();
        const pixels = new Uint8Array(640 * 360 * 4);
        gl.readPixels(0, 0, 640, 360, gl.RGBA, gl.UNSIGNED_BYTE, pixels);
        return pixels;
    };
    meshes.forEach((mesh) => { mesh.visible = false; });
    const empty = grab();
    meshes.forEach((mesh) => { mesh.visible = true; });
    const full = grab();
    let covered = 0;
    for (let i = 0; i < full.length; i += 4) {
        covered += Math.abs(full[i] - empty[i]) + Math.abs(full[i + 1] - empty[i + 1]) + Math.abs(full[i + 2] - empty[i + 2]) > 24;
    }
    return covered / (640 * 360);
}

window.stage = { load, pose, draw };
