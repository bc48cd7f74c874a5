<?php

declare(strict_types=1);

namespace Headroom\Doctor\Laravel\Queue;

/**
 * A class of the application with a time limit of its own, which stands before that of its worker.
 *
 * @internal
 */
final readonly class JobClass
{
    /**
     * @param string $place file:line below the base path
     * @param ?string $connection null: the default one, or one that is chosen when it is dispatched
     */
    public function __construct(
        public string $name,
        public int $timeout,
        public ?string $connection,
        public string $place,
    ) {}
}
