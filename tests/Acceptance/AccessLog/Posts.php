<?php

declare(strict_types=1);

namespace Headroom\Tests\Acceptance\AccessLog;

use Headroom\Load\Request;
use Headroom\Load\RequestSource;

/**
 * Each event once, as a form.
 */
final readonly class Posts implements RequestSource
{
    /** @param list<array<string, string>> $events */
    public function __construct(private string $url, private array $events) {}

    public function next(int $number): ?Request
    {
        return isset($this->events[$number])
            ? new Request($this->url, 'POST', http_build_query($this->events[$number]), [
                'Content-Type: application/x-www-form-urlencoded', 'Accept: application/json',
            ])
            : null;
    }
}
