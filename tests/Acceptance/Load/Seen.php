<?php

declare(strict_types=1);

namespace Headroom\Tests\Acceptance\Load;

use Closure;
use Headroom\Load\Observer;
use Headroom\Load\Request;
use Headroom\Load\Response;

/**
 * Keeps every response, by the number of its request.
 */
final class Seen implements Observer
{
    /** @var array<int, Response> */
    public array $responses = [];

    /** @var array<int, Request> */
    public array $requests = [];

    /** @param ?Closure(int): void $then called with how many there are */
    public function __construct(private readonly ?Closure $then = null) {}

    public function finished(int $number, Request $request, Response $response): void
    {
        $this->requests[$number] = $request;
        $this->responses[$number] = $response;

        if ($this->then !== null) {
            ($this->then)(count($this->responses));
        }
    }
}
