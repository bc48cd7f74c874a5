<?php

declare(strict_types=1);

namespace Headroom\Load\Metrics;

use Headroom\Load\Failure;

/**
 * The reason why a complete response with an accepted status is not a success.
 *
 * @internal
 */
final readonly class FailedCheck
{
    private function __construct(public Failure $failure, public string $message) {}

    /** @param string $searched the part of the body that was searched */
    public static function unexpectedBody(string $searched): self
    {
        return new self(Failure::UnexpectedBody, "{$searched} does not contain the expected text");
    }

    public static function notDecoded(string $reason): self
    {
        return new self(Failure::NotDecoded, $reason);
    }

    /**
     * @param string $name of the variable
     * @param string $searched the part of the body that was searched
     */
    public static function nothingToCapture(string $name, string $searched): self
    {
        return new self(Failure::NothingToCapture, "{$searched} has no value for '{$name}'");
    }
}
