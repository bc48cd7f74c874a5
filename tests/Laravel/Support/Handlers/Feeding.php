<?php

declare(strict_types=1);

namespace Headroom\Tests\Laravel\Support\Handlers;

use Closure;
use Headroom\Core\Record;

final readonly class Feeding implements HandlesEach
{
    /** @param Closure(): void $feed */
    public function __construct(private Closure $feed) {}

    public function handle(Record $event): void
    {
        ($this->feed)();
    }
}
