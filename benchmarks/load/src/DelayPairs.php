<?php

declare(strict_types=1);

namespace Headroom\Benchmarks\Load;

use Headroom\Load\Observer;
use Headroom\Load\Request;
use Headroom\Load\Response;

/**
 * For each request, the time that the server kept it and the time that the client measured; in microseconds.
 */
final class DelayPairs implements Observer
{
    /** @var list<int> */
    public array $made = [];

    /** @var list<int> */
    public array $taken = [];

    public function finished(int $number, Request $request, Response $response): void
    {
        $this->made[] = (int) $response->body;
        $this->taken[] = $response->micros;
    }
}
