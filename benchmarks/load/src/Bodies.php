<?php

declare(strict_types=1);

namespace Headroom\Benchmarks\Load;

use Headroom\Load\Observer;
use Headroom\Load\Request;
use Headroom\Load\Response;

/**
 * Keeps what was answered.
 */
final class Bodies implements Observer
{
    /** @var list<string> */
    public array $bodies = [];

    public function finished(int $number, Request $request, Response $response): void
    {
        $this->bodies[] = $response->body;
    }
}
