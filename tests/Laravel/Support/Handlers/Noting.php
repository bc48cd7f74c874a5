<?php

declare(strict_types=1);

namespace Headroom\Tests\Laravel\Support\Handlers;

use ArrayObject;
use Headroom\Core\Record;

final readonly class Noting implements HandlesEach
{
    /** @param ArrayObject<int, string> $notes */
    public function __construct(private ArrayObject $notes) {}

    public function handle(Record $event): void
    {
        $this->notes[] = is_string($event->values['event']) ? $event->values['event'] : '';
    }
}
