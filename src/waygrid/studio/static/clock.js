// The replay: one clock for all boards, in events; play, pause, step, scrub, speed.

import { byId, count } from "./dom.js";

const SLOWEST = 4; // events per second
const FASTEST = 4_000_000;
const USUAL_S = 5; // how long a replay takes when nobody chose a speed

export class Clock {
  #before = 0;
  #rest = 0;
  #chosen = false;

  constructor(app) {
    this.app = app;
    this.time = 0;
    this.length = 0;
    this.speed = 100;
    this.stopBetween = () => null; // of breakpoints: the first time after one and up to another to stop at, or null
    this.#wire();
  }

  #wire() {
    const on = (id, action) => byId(id).addEventListener("click", action);
    on("play", () => this.toggle());
    on("back", (event) => this.step(-1, event.shiftKey));
    on("forward", (event) => this.step(1, event.shiftKey));
    on("to-start", () => this.seek(0));
    on("to-end", () => this.end());
    byId("scrub").addEventListener("input", (event) => this.seek(Number(event.target.value)));
    byId("speed").addEventListener("input", (event) => {
      this.#chosen = true;
      this.#setSpeed(SLOWEST * (FASTEST / SLOWEST) ** (Number(event.target.value) / 100));
    });
    this.app.machine.onChange(() => this.show());
  }

  #setSpeed(speed) {
    this.speed = speed;
    byId("speed").value = (100 * Math.log(speed / SLOWEST)) / Math.log(FASTEST / SLOWEST);
    const rounded = Number(speed.toPrecision(2));
    byId("speed-text").textContent = `${count(rounded)}/s`;
    byId("speed").setAttribute("aria-valuetext", `${count(rounded)} events per second`);
  }

  /** New traces: go to the end, where the finished search is seen. */
  load() {
    this.length = Math.max(0, ...this.app.panes.map(({ player }) => player?.length ?? 0));
    this.time = this.length;
    byId("scrub").max = this.length;
    if (!this.#chosen) this.#setSpeed(Math.max(SLOWEST, Math.min(FASTEST, this.length / USUAL_S)));
    this.#show(true);
    setTimeout(() => this.app.panes.forEach(({ player }) => player?.lists)); // so that the first jump is quick too
  }

  toggle() {
    if (this.app.machine.state === "playing") return this.app.machine.step("pause");
    return this.play();
  }

  play() {
    if (!this.length || !this.app.machine.can("play")) return;
    if (this.time >= this.length) this.#go(0);
    this.app.machine.step("play");
    this.#before = performance.now();
    this.#rest = 0;
    requestAnimationFrame((now) => this.#tick(now));
  }

  #tick(now) {
    if (this.app.machine.state !== "playing") return;
    const passed = this.#rest + (Math.max(0, now - this.#before) / 1000) * this.speed;
    this.#before = now;
    this.#rest = passed % 1;
    let stop = null;
    if (passed >= 1) {
      const target = Math.min(this.length, this.time + Math.floor(passed));
      stop = this.stopBetween(this.time, target);
      this.#go(stop ?? target);
    }
    if (stop !== null && stop < this.length) this.app.machine.step("pause");
    else if (this.time >= this.length) this.app.machine.step("end");
    else requestAnimationFrame((next) => this.#tick(next));
  }

  /** One event on or back, or to the next or last update cycle of the chosen board. */
  step(direction, cycle = false) {
    const { player } = this.app.active;
    this.seek(cycle && player ? player.cycleAt(this.time, direction) : this.time + direction);
  }

  seek(time) {
    if (!this.length) return;
    const target = Math.max(0, Math.min(this.length, time));
    if (this.app.machine.step(target === this.length ? "end" : "seek")) this.#go(target);
  }

  end() {
    this.seek(this.length);
  }

  #go(time) {
    this.time = Math.min(this.length, time);
    this.#show(false);
  }

  #show(all) {
    for (const pane of this.app.panes) pane.seek(this.time, all);
    this.app.momentChanged();
    this.show();
  }

  /** Controls follow the state. */
  show() {
    const { state } = this.app.machine;
    const idle = this.length > 0 && ["playing", "paused", "finished"].includes(state);
    const playing = state === "playing";
    byId("play").setAttribute("aria-label", playing ? "Pause" : "Play");
    byId("play").classList.toggle("playing", playing);
    for (const id of ["play", "back", "forward", "to-start", "to-end", "scrub"]) byId(id).disabled = !idle;
    if (idle && this.time <= 0) byId("back").disabled = byId("to-start").disabled = true;
    if (idle && this.time >= this.length) byId("forward").disabled = byId("to-end").disabled = true;
    byId("scrub").value = this.time;
    byId("scrub").style.setProperty("--share", `${(100 * this.time) / Math.max(1, this.length)}%`);
    byId("scrub").setAttribute("aria-valuetext", `event ${this.time} of ${this.length}`);
    byId("moment").textContent = `${count(this.time)} / ${count(this.length)}`;
  }
}
