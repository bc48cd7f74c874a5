<?php

declare(strict_types=1);

namespace Workbench\App\Shapes;

abstract class NamedShape
{
    abstract public function name(): string;

    final public function title(): string
    {
        return ucfirst($this->name());
    }
}
