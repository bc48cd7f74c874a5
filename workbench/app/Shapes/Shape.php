<?php

declare(strict_types=1);

namespace Workbench\App\Shapes;

interface Shape
{
    public function area(): float;
}
