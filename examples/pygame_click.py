"""A pygame window: click, and the unit walks there; right clicks build and remove walls.

python examples/pygame_click.py [--headless] [--frames 200]        needs: pip install pygame-ce
"""

import argparse
import os

import numpy as np

import waygrid as wg

SIDE = 16  # pixels of a cell
COLOURS = {"ground": (235, 235, 230), "wall": (50, 50, 60), "path": (250, 190, 60), "unit": (200, 40, 60)}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--headless", action="store_true", help="without a window: click by itself")
    parser.add_argument("--frames", type=int, default=None, help="stop after so many; headless: 200")
    given = parser.parse_args()
    if given.headless:
        os.environ["SDL_VIDEODRIVER"] = os.environ["SDL_AUDIODRIVER"] = "dummy"
    os.environ.setdefault("PYGAME_HIDE_SUPPORT_PROMPT", "1")
    import pygame

    pygame.init()
    grid = wg.generate("caves", width=50, height=36, seed=4)
    finder = wg.make_finder("astar", grid)
    ground = np.argwhere(grid.components == np.bincount(grid.components[grid.passable]).argmax())[:, ::-1]
    unit, way, walked, clicks = tuple(ground[0].tolist()), [], 0, np.random.default_rng(1)
    screen = pygame.display.set_mode((SIDE * grid.width, SIDE * grid.height))
    clock, frame, last = pygame.time.Clock(), 0, given.frames or (200 if given.headless else None)
    while last is None or frame < last:
        frame += 1
        if given.headless and frame % 40 == 1:
            x, y = ground[clicks.integers(len(ground))]
            pygame.event.post(pygame.event.Event(pygame.MOUSEBUTTONDOWN, button=1, pos=(SIDE * x + 1, SIDE * y + 1)))
        for event in pygame.event.get():
            if event.type == pygame.QUIT:
                last = frame
            elif event.type == pygame.MOUSEBUTTONDOWN:
                cell = event.pos[0] // SIDE, event.pos[1] // SIDE
                if event.button == 3 and cell != unit:
                    grid.set_passable(cell, not grid.passable[cell[1], cell[0]])
                    way = way and finder.find(unit, way[-1], partial=True)[1:]  # the old way may be closed
                elif event.button == 1 and grid.passable[cell[1], cell[0]]:
                    way = finder.find(unit, cell, partial=True)[1:]
        if way:
            unit, walked = way.pop(0), walked + 1
        screen.fill(COLOURS["ground"])
        for y, x in np.argwhere(~grid.passable).tolist():
            screen.fill(COLOURS["wall"], (SIDE * x, SIDE * y, SIDE, SIDE))
        for x, y in way:
            screen.fill(COLOURS["path"], (SIDE * x + 5, SIDE * y + 5, SIDE - 10, SIDE - 10))
        screen.fill(COLOURS["unit"], (SIDE * unit[0] + 2, SIDE * unit[1] + 2, SIDE - 4, SIDE - 4))
        pygame.display.flip()
        if not given.headless:
            clock.tick(30)
    pygame.quit()
    print(f"{frame} frames, {walked} steps")


if __name__ == "__main__":
    main()
