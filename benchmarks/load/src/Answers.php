<?php

declare(strict_types=1);

namespace Headroom\Benchmarks\Load;

use Headroom\Load\Observer;
use Headroom\Load\Request;
use Headroom\Load\Response;

/**
 * Of each request, how long the server says it kept it and how long it took here; in microseconds.
 */
final class Answers implements Observer
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
