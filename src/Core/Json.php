<?php

declare(strict_types=1);

namespace Headroom\Core;

/**
 * A structured value of an event, as the JSON text it was encoded to when the event was accepted.
 */
final readonly class Json
{
    public function __construct(public string $text) {}

    /**
     * The text on one line: outside of strings, where JSON allows none, a line break is the same as a space.
     *
     * @internal
     */
    public function line(): string
    {
        return strtr($this->text, "\r\n", '  ');
    }
}
