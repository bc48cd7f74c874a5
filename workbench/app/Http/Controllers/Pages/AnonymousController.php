<?php

declare(strict_types=1);

namespace Workbench\App\Http\Controllers\Pages;

use Illuminate\Http\JsonResponse;
use Workbench\App\Shapes\NamedShape;
use Workbench\App\Shapes\Shape;
use Workbench\App\Shapes\Shapes;

/**
 * Uses an anonymous class by what it extends and by what it implements.
 */
final class AnonymousController
{
    public function __invoke(Shapes $shapes): JsonResponse
    {
        $square = $shapes->square(3.0);

        return new JsonResponse([...$this->named($square), ...$this->measured($square)]);
    }

    /** @return array{title: string} */
    private function named(NamedShape $shape): array
    {
        return ['title' => $shape->title()];
    }

    /** @return array{area: float} */
    private function measured(Shape $shape): array
    {
        return ['area' => $shape->area()];
    }
}
