<?php

declare(strict_types=1);

namespace Headroom\Tests\Laravel\Support\Handlers;

use Headroom\Core\Record;

interface HandlesEach
{
    public function handle(Record $event): void;
}
