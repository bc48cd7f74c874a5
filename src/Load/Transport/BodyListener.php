<?php

declare(strict_types=1);

namespace Headroom\Load\Transport;

/**
 * @internal
 */
interface BodyListener
{
    /** The head of an answer, before any of its body. */
    public function expect(string $head): void;

    /** The next piece of an answer's body, as it came. */
    public function receive(string $piece): void;
}
