"""How fast a body falls."""

import math

G = 9.81  # m/s², at sea level


def speed(height: float) -> float:
    """Return the speed after a fall of ``height`` metres, in m/s."""
    return math.sqrt(2 * G * height)


# A body that meets air
# reaches a last speed.
@final
class Faller:
    """A body of some mass."""

    limit = 55.0

    def __init__(self, mass: float) -> None:
        self.mass = mass

    @property
    def weight(self) -> float:
        def inner() -> float:
            return self.mass * G

        return inner()

    class Parachute:
        area = 25.0

        def drag(self, v: float) -> float:
            return 0.5 * self.area * v**2


if __name__ == "__main__":
    print(speed(100))
