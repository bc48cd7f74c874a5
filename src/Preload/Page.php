<?php

declare(strict_types=1);

namespace Headroom\Preload;

/**
 * A request to the application, sent to record the classes that it uses and to compare its answers.
 *
 * @internal
 */
final readonly class Page
{
    /**
     * @param string $method in upper case
     * @param string $target path and query, starting with a slash
     * @param string $body of a POST, PUT or PATCH
     * @param string $contentType of the body; '' without a body
     * @param int<1, max> $weight number of such requests, relative to other pages
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
