<?php

declare(strict_types=1);

namespace Headroom\Load\Transport;

/**
 * @internal
 */
interface BodyListener
{
    /** The head of a response, before its body. */
    public function expect(string $head): void;

    /** The next piece of the body, with content coding. */
    public function receive(string $piece): void;
}
