<?php

declare(strict_types=1);

namespace Headroom\Tests\Contract\Support;

use JsonSerializable;

final readonly class Money implements JsonSerializable
{
    public function __construct(private int $cents, private string $currency) {}

    public function jsonSerialize(): mixed
    {
        return ['cents' => $this->cents, 'currency' => $this->currency];
    }
}
