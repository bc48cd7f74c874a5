<?php

declare(strict_types=1);

namespace Headroom\Preload;

/**
 * A request that the application is asked, to see what it uses and whether it still answers the same.
 *
 * @internal
 */
final readonly class Page
{
    /**
     * @param string $method in capitals
     * @param string $target path and query, beginning with a slash
     * @param string $body of a POST, PUT or PATCH
     * @param string $contentType of the body; '' without one
     * @param int<1, max> $weight how often it was asked for, against the others
     */
    public function __construct(
        public string $method,
        public string $target,
        public string $body = '',
        public string $contentType = '',
        public int $weight = 1,
    ) {}

    /** GET /posts/5 */
    public function name(): string
    {
        return "{$this->method} {$this->target}";
    }
}
