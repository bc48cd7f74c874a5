<?php

declare(strict_types=1);

namespace Headroom\Load;

final readonly class SameRequest implements RequestSource
{
    public function __construct(private Request $request) {}

    public function next(int $number): Request
    {
        return $this->request;
    }
}
