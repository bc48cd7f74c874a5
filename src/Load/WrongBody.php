<?php

declare(strict_types=1);

namespace Headroom\Load;

/**
 * Why an answer with a good status is none.
 *
 * @internal
 */
final readonly class WrongBody
{
    private function __construct(public Failure $failure, public string $message) {}

    /** @param string $of what was looked at */
    public static function without(string $of): self
    {
        return new self(Failure::UnexpectedBody, "{$of} does not contain the expected text");
    }

    public static function notDecoded(string $reason): self
    {
        return new self(Failure::NotDecoded, $reason);
    }

    /** @param string $name of the capture */
    public static function nothingToCapture(string $name, string $of): self
    {
        return new self(Failure::NothingToCapture, "{$of} has nothing for '{$name}'");
    }
}
