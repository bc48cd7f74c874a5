<?php

declare(strict_types=1);

namespace Workbench\App\Shapes;

/**
 * Makes its shapes of anonymous classes. Preloaded without what these extend, PHP leaves them unlinked, and from the
 * second request on they are not what the return types say (php-src issue 10131).
 */
final readonly class Shapes
{
    public function square(float $side): NamedShape&Shape
    {
        return new class($side) extends NamedShape implements Shape
        {
            public function __construct(private readonly float $side) {}

            public function name(): string
            {
                return 'square';
            }

            public function area(): float
            {
                return $this->side ** 2;
            }
        };
    }
}
