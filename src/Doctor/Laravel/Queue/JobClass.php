<?php

declare(strict_types=1);

namespace Headroom\Doctor\Laravel\Queue;

/**
 * A class of the application with its own timeout, which has precedence over that of its worker.
 *
 * @internal
 */
final readonly class JobClass
{
    /**
     * @param string $place file:line below the base path
     * @param ?string $connection null: the default one, or one chosen at the dispatch
     */
    public function __construct(
        public string $name,
        public int $timeout,
        public ?string $connection,
        public string $place,
    ) {}
}
