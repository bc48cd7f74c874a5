<?php

declare(strict_types=1);

namespace Headroom\Tests\Fault\Support;

use Headroom\Sink\PartialBatchFailure;
use RuntimeException;

final class SomeAreBad extends RuntimeException implements PartialBatchFailure
{
    /** @param non-empty-array<int<0, max>, mixed> $refused */
    private function __construct(private readonly array $refused)
    {
        parent::__construct(count($refused).' of them are bad.');
    }

    /** @param non-empty-array<int<0, max>, mixed> $refused */
    public static function those(array $refused): self
    {
        return new self($refused);
    }

    public function refused(): array
    {
        /** @var non-empty-array<int<0, max>, string> $refused or so they say */
        $refused = $this->refused;

        return $refused;
    }
}
